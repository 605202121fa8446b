import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ConversationRow } from "../../api/machine";
import { locale, t } from "../../i18n";
import { moment } from "../../model/format";
import { Button, Link, Skeleton } from "../../ui/basic";
import { Confirm } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { conversation, conversations, forget, loadConversations } from "./state";

export function Conversations({ chosen }: { chosen?: () => void }) {
  const s = t.value.chat;
  const list = conversations.value;
  const leaving = useSignal<ConversationRow | null>(null);
  useEffect(() => void loadConversations(), []);
  return (
    <>
      <Link to="chat" class="button new" onMouseUp={chosen}>
        <Icon name="plus" />
        {s.fresh}
      </Link>
      {list === null && <Skeleton lines={4} />}
      {list?.length === 0 && <p class="quiet-text">{s.noConversations}</p>}
      <ul class="conversation-list" onClick={chosen}>
        {list?.map((row) => (
          <li key={row.id}>
            <Link to="chat" id={row.id} aria-current={row.id === conversation.value ? "true" : undefined}>
              <span class="conversation-title">{row.title}</span>
              <span class="conversation-when">{moment(row.updated_at, locale.value)} · {s.turns(row.turns)}</span>
            </Link>
            <Button
              kind="quiet"
              icon="trash"
              label={s.forget(row.title)}
              onClick={(event: Event) => { event.stopPropagation(); leaving.value = row; }}
            />
          </li>
        ))}
      </ul>
      {leaving.value && (
        <Confirm
          title={s.forgetTitle}
          text={s.forgetText(leaving.value.title)}
          action={t.value.common.remove}
          confirm={() => leaving.value && void forget(leaving.value.id)}
          close={() => (leaving.value = null)}
        />
      )}
    </>
  );
}
