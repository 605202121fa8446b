import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n";
import { Button } from "./basic";

interface DialogProps {
  title: string;
  close: () => void;
  /** `side`: beside what it explains; `middle`: a question to answer first. */
  place?: "side" | "middle";
  children: ComponentChildren;
}

/** A dialog of the browser: it holds the focus, closes with Escape and gives the focus back. */
export function Dialog({ title, close, place = "side", children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  const outside = (event: MouseEvent) => event.target === element.current && close();
  return (
    <dialog ref={element} class={`dialog ${place}`} aria-label={title} onClose={close} onClick={outside}>
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <Button kind="quiet" icon="close" label={t.value.common.close} onClick={close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Asks before something that cannot be undone. */
export function Confirm(props: { title: string; text: string; action: string; confirm: () => void; close: () => void }) {
  return (
    <Dialog title={props.title} place="middle" close={props.close}>
      <p>{props.text}</p>
      <div class="actions end">
        <Button onClick={props.close}>{t.value.common.cancel}</Button>
        <Button kind="danger" onClick={() => { props.confirm(); props.close(); }}>{props.action}</Button>
      </div>
    </Dialog>
  );
}
