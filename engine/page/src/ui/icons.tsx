import type { Store } from "../api/types";

/** Line drawings on a 16 by 16 grid, in the colour of the text around them. */
const PATHS = {
  send: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  stop: "M4 4h8v8H4z",
  close: "m4 4 8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
  copy: "M6 6h7v7H6zM10 6V3H3v7h3",
  check: "m3 8.5 3.2 3.2L13 5",
  download: "M8 3v7M4.8 7 8 10.2 11.2 7M3 13h10",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14",
  up: "M8 12V4M4.5 7.5 8 4l3.5 3.5",
  down: "M8 4v8M4.5 8.5 8 12l3.5-3.5",
  right: "m6 3.5 4.5 4.5L6 12.5",
  left: "M10 3.5 5.5 8l4.5 4.5",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.1",
  upload: "M8 11V3M4.5 6.5 8 3l3.5 3.5M3 13h10",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M3.2 12.8l1.1-1.1M11.7 4.3l1.1-1.1",
  moon: "M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z",
  system: "M2.5 3.5h11v7h-11zM5.5 13h5",
  chat: "M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z",
  corpus: "M4 2.5h5.5L12.5 5.5v8H4zM9.5 2.5v3h3M6 8.5h4.5M6 11h4.5",
  telemetry: "M2.5 4h5M5 8h6M9 12h4.5",
  models: "M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14",
  flow: "M3 4h10M3 8h6M3 12h3",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

const MARKS: Record<Store, string> = {
  relational: "M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.8h11M6.5 6.5V13",
  vector: "M2.5 4h11M2.5 8h11M2.5 12h6.5",
  graph: "M4 5.6v4.8M5.4 4.9l4.9 2.3M5.4 11.1l4.9-2.3M4 5.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM4 13.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2zM11.8 9.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2z",
};

/** The mark of a store: a shape of its own in the store's colour, so that colour is never alone. */
export function StoreMark({ store }: { store: string }) {
  return (
    <svg class="icon store-mark" data-store={store} viewBox="0 0 16 16" aria-hidden="true">
      <path d={MARKS[store as Store] ?? MARKS.vector} />
    </svg>
  );
}
