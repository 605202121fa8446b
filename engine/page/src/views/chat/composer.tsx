import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { Button } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { conversation, running, send, stopAnswer, useCache } from "./state";

export function Composer() {
  const s = t.value.chat;
  const text = useSignal("");
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = running.value !== null;
  useEffect(() => field.current?.focus({ preventScroll: true }), [conversation.value]);
  const submit = () => {
    const message = text.value.trim();
    if (!message || busy) return;
    text.value = "";
    void send(message);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      submit();
    }
    if (event.key === "Escape" && busy) stopAnswer();
  };
  return (
    <form class="composer" onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <label class="unseen" for="question">{s.ask}</label>
      <div class="composer-field">
        <div class="grow" data-text={text.value}>
          <textarea
            id="question"
            ref={field}
            rows={1}
            value={text.value}
            placeholder={s.placeholder}
            onInput={(event) => (text.value = event.currentTarget.value)}
            onKeyDown={key}
          />
        </div>
        {busy ? (
          <Button kind="strong" icon="stop" label={s.stop} onClick={stopAnswer} />
        ) : (
          <button type="submit" class="button strong only-icon" aria-label={s.send} title={s.send} disabled={!text.value.trim()}>
            <Icon name="send" />
          </button>
        )}
      </div>
      <div class="composer-foot">
        <label class="check">
          <input type="checkbox" checked={useCache.value} onChange={(event) => (useCache.value = event.currentTarget.checked)} />
          {s.useCache}
        </label>
        <span class="keys">{busy ? s.keysBusy : s.keys}</span>
      </div>
    </form>
  );
}

