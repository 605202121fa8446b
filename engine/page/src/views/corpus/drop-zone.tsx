import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { Button } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { sendFiles } from "./jobs";

/** A place to drop files, anywhere on the page, and a button for those who do not drag. */
export function DropZone() {
  const s = t.value.corpus;
  const over = useSignal(false);
  const fast = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const send = (files: FileList | null | undefined) =>
    void sendFiles([...(files ?? [])], fast.value ? { fast: "true" } : {});
  useEffect(() => {
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      over.value = event.type === "dragover";
      if (event.type === "drop") send(event.dataTransfer.files);
    };
    const names = ["dragover", "dragleave", "drop"] as const;
    names.forEach((name) => addEventListener(name, drag));
    return () => names.forEach((name) => removeEventListener(name, drag));
  }, []);
  return (
    <section class="drop-zone" data-over={over.value} aria-label={s.add}>
      <Icon name="upload" />
      <div>
        <p class="drop-title">{over.value ? s.dropNow : s.drop}</p>
        <p class="quiet-text">{s.formats}</p>
      </div>
      <div class="drop-actions">
        <Button kind="strong" onClick={() => input.current?.click()}>{s.choose}</Button>
        <label class="check" title={s.fastTitle}>
          <input type="checkbox" checked={fast.value} onChange={(event) => (fast.value = event.currentTarget.checked)} />
          {s.fast}
        </label>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        class="unseen"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => { send(event.currentTarget.files); event.currentTarget.value = ""; }}
      />
    </section>
  );
}
