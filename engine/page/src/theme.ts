import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

function stored(): Theme {
  try {
    const value = localStorage.getItem("polyrag.theme");
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>(stored());

export function setTheme(next: Theme) {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
  remember("polyrag.theme", next);
}

/** Keeps a choice, where the browser allows it. */
export function remember(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice holds until the page is closed.
  }
}
