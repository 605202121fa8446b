import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Problem } from "../api/types";
import { CUT_OFF, UNREACHABLE } from "../api/http";
import { t } from "../i18n";
import { go, pathTo, type View } from "../route";
import { Icon, type IconName, StoreMark } from "./icons";

interface ButtonProps {
  icon?: IconName;
  kind?: "plain" | "strong" | "quiet" | "danger";
  /** For a button that shows its icon alone. */
  label?: string;
  children?: ComponentChildren;
  [attribute: string]: unknown;
}

export function Button({ icon, kind = "plain", label, children, ...rest }: ButtonProps) {
  const only = children === undefined ? " only-icon" : "";
  return (
    <button type="button" class={`button ${kind}${only}`} aria-label={label} title={label} {...rest}>
      {icon && <Icon name={icon} />}
      {children !== undefined && <span class="button-text">{children}</span>}
    </button>
  );
}

/** A link inside the page. */
export function Link({ to, id = null, children, ...rest }: { to: View; id?: string | number | null; children: ComponentChildren; [attribute: string]: unknown }) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to, id);
  };
  return (
    <a href={pathTo(to, id)} onClick={follow} {...rest}>
      {children}
    </a>
  );
}

export function storeName(store: string): string {
  const names: Record<string, string> = t.value.stores;
  return names[store] ?? store;
}

/** A store by mark and name. */
export function StoreChip({ store, count }: { store: string; count?: number | undefined }) {
  return (
    <span class="store-chip" data-store={store}>
      <StoreMark store={store} />
      {storeName(store)}
      {count !== undefined && <span class="count">{count}</span>}
    </span>
  );
}

/** A few choices, one of which holds. */
export function Segments<T extends string>(props: { label: string; value: T; options: readonly { value: T; text: string; icon?: IconName }[]; choose: (value: T) => void }) {
  return (
    <div class="segments" role="group" aria-label={props.label}>
      {props.options.map(({ value, text, icon }) => (
        <button type="button" key={value} aria-pressed={value === props.value} onClick={() => props.choose(value)} title={text}>
          {icon ? <Icon name={icon} /> : text}
          {icon && <span class="unseen">{text}</span>}
        </button>
      ))}
    </div>
  );
}

/** What went wrong and the way out. */
export function ProblemNote({ problem, retry }: { problem: Problem; retry?: (() => void) | undefined }) {
  const { title, detail, hint } = wordsOf(problem);
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p class="problem-title">{title}</p>
        {detail && detail !== title && <p>{detail}</p>}
        {hint && <p class="hint">{hint}</p>}
        {retry && <Button icon="again" onClick={retry}>{t.value.common.tryAgain}</Button>}
      </div>
    </div>
  );
}

function wordsOf(problem: Problem): { title: string; detail?: string | null | undefined; hint?: string | null | undefined } {
  const own = t.value.problems;
  if (problem.type === UNREACHABLE) return own.unreachable;
  if (problem.type === CUT_OFF) return own.cutOff;
  const kind = problem.type.split(":").at(-1) ?? "";
  const titles: Record<string, string> = own.titles;
  return { title: titles[kind] ?? problem.title, detail: problem.detail, hint: problem.hint };
}

/** A place with nothing in it, and what to do about that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Grey lines in the shape of what is coming. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => <span key={index} />)}
    </div>
  );
}

/** Copies a text, and says so where the button is. */
export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [done, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setDone(true);
    clearTimeout(timer.current ?? undefined);
    timer.current = setTimeout(() => setDone(false), 1600);
  };
  return (
    <Button kind="quiet" icon={done ? "check" : "copy"} onClick={copy}>
      <span aria-live="polite">{done ? t.value.common.copied : label}</span>
    </Button>
  );
}

/** Hands a text to the person as a file. */
export function saveFile(name: string, text: string, type = "application/json") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
