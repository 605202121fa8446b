import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../i18n";
import { place } from "../../route";
import { Button, Empty, Link, ProblemNote, Skeleton, StoreChip } from "../../ui/basic";
import { useLoad } from "../../ui/load";
import { Dialog } from "../../ui/dialog";
import type { Health } from "../../api/machine";
import { STORES } from "../../api/types";
import { Composer } from "./composer";
import { Conversations } from "./conversations";
import { Panel } from "./panel";
import { Passage } from "./passage";
import { conversation, loading, open, problem, running, selected, shown, turns } from "./state";
import { TurnView } from "./turn";

export function Chat() {
  const { id } = place.value;
  const s = t.value.chat;
  const passage = useSignal<string | null>(null);
  const sheet = useSignal(false);
  const history = useSignal(false);
  useEffect(() => void open(id), [id]);
  const turn = shown.value;
  return (
    <div class="chat-layout">
      <aside class="conversations" aria-label={s.conversations}>
        <Conversations />
      </aside>
      <section class="thread" aria-label={s.thread}>
        <h1 class="unseen">{t.value.views.chat}</h1>
        <div class="thread-bar">
          <Button kind="quiet" icon="chat" onClick={() => (history.value = true)}>{s.conversations}</Button>
          <Link to="chat" class="button quiet">{s.fresh}</Link>
        </div>
        <Thread
          openPassage={(chunk) => (passage.value = chunk)}
          showPanel={(key) => { selected.value = key; sheet.value = true; }}
        />
        <Composer />
      </section>
      <aside class="panel" aria-label={s.panel}>
        {turn ? <Panel turn={turn} openPassage={(chunk) => (passage.value = chunk)} /> : <PanelEmpty />}
      </aside>
      {sheet.value && turn && (
        <Dialog title={s.panel} close={() => (sheet.value = false)}>
          <Panel turn={turn} openPassage={(chunk) => (passage.value = chunk)} />
        </Dialog>
      )}
      {history.value && (
        <Dialog title={s.conversations} close={() => (history.value = false)}>
          <Conversations chosen={() => (history.value = false)} />
        </Dialog>
      )}
      {passage.value && <Passage id={passage.value} close={() => (passage.value = null)} />}
    </div>
  );
}

function Thread(props: { openPassage: (chunk: string) => void; showPanel: (key: number) => void }) {
  const end = useRef<HTMLDivElement>(null);
  const list = turns.value;
  const length = list.at(-1)?.answer.length ?? 0;
  useEffect(() => {
    const box = end.current?.parentElement;
    // Follow the answer as it grows, but leave a person alone who scrolled up to read.
    if (box && box.scrollHeight - box.scrollTop - box.clientHeight < 240) box.scrollTop = box.scrollHeight;
  }, [length, list.at(-1)?.state]);
  useEffect(() => {
    const box = end.current?.parentElement;
    if (box) box.scrollTop = box.scrollHeight;
  }, [list.length, conversation.value]);
  return (
    <div class="turns" tabIndex={0} role="log" aria-live="off" aria-label={t.value.chat.thread}>
      {problem.value && <ProblemNote problem={problem.value} />}
      {loading.value && <Skeleton lines={6} />}
      {list.length === 0 && !loading.value && !problem.value && <Welcome />}
      {list.map((turn) => (
        <TurnView
          key={turn.key}
          turn={turn}
          chosen={turn.key === shown.value?.key && list.length > 1}
          openPassage={props.openPassage}
          showPanel={() => props.showPanel(turn.key)}
        />
      ))}
      <div ref={end} />
      <Announcer />
    </div>
  );
}

/** Tells a screen reader when an answer begins and when it is whole, not every word of it. */
function Announcer() {
  const last = turns.value.at(-1);
  const s = t.value.chat;
  const text = running.value ? s.working : last?.state === "done" ? `${s.ready} ${last.answer}` : "";
  return <p class="unseen" role="status">{text}</p>;
}

function Welcome() {
  const s = t.value.chat;
  const health = useLoad<Health>("/api/health");
  const documents = health.data?.documents;
  if (documents === 0) {
    return (
      <Empty title={s.noFiles}>
        <p>{s.noFilesText}</p>
        <Link to="corpus" class="button strong">{s.addFiles}</Link>
      </Empty>
    );
  }
  return (
    <div class="welcome">
      <h2>{s.welcome}</h2>
      <p>{documents === undefined ? s.welcomeText : s.welcomeCount(documents)}</p>
      <dl>
        {STORES.map((store) => (
          <div key={store}>
            <dt><StoreChip store={store} /></dt>
            <dd>{s.welcomeStores[store]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function PanelEmpty() {
  return (
    <Empty title={t.value.chat.panelEmpty}>
      <p>{t.value.chat.panelEmptyText}</p>
    </Empty>
  );
}
