import { computed, effect, signal } from "@preact/signals";
import { remember } from "../theme";
import { en, type Strings } from "./en";
import { pt } from "./pt";

export type Language = "pt" | "en";

function first(): Language {
  const chosen = document.documentElement.lang;
  try {
    if (localStorage.getItem("polyrag.language") === chosen && (chosen === "pt" || chosen === "en")) return chosen;
  } catch {
    // No storage: the browser's language decides.
  }
  return navigator.language.toLowerCase().startsWith("pt") ? "pt" : "en";
}

export const language = signal<Language>(first());
/** The language for numbers and dates: Brazilian Portuguese, British English. */
export const locale = computed(() => (language.value === "pt" ? "pt-BR" : "en-GB"));
/** Every text of the page in the language chosen. */
export const t = computed<Strings>(() => (language.value === "pt" ? pt : en));

effect(() => {
  document.documentElement.lang = language.value;
});

export function setLanguage(next: Language) {
  language.value = next;
  remember("polyrag.language", next);
}
