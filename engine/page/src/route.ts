import { computed, signal } from "@preact/signals";

/** The address decides what is shown, so that the browser's buttons and bookmarks work. */

export const VIEWS = ["chat", "corpus", "telemetry", "models"] as const;
export type View = (typeof VIEWS)[number];

const path = signal(location.pathname);

/** The view and what is opened in it. */
export const place = computed(() => {
  const [first = "", second = ""] = path.value.split("/").filter(Boolean).map(decodeURIComponent);
  const view = VIEWS.find((one) => one === first) ?? "chat";
  return { view, id: second || null };
});

export function pathTo(view: View, id: string | number | null = null): string {
  const base = view === "chat" && id === null ? "/" : `/${view}`;
  return id === null ? base : `${base}/${encodeURIComponent(id)}`;
}

export function go(view: View, id: string | number | null = null, replace = false) {
  const target = pathTo(view, id);
  if (target === path.value) return;
  history[replace ? "replaceState" : "pushState"](null, "", target);
  path.value = target;
}

addEventListener("popstate", () => (path.value = location.pathname));
