import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { onEvent } from "../../api/feed";
import type { AddedDocument, DocumentList, JobStep, JobSummary } from "../../api/corpus";
import { t } from "../../i18n";
import { place } from "../../route";
import { Empty, ProblemNote, Skeleton } from "../../ui/basic";
import { Icon } from "../../ui/icons";
import { useLoad } from "../../ui/load";
import { Passage } from "../chat/passage";
import { DocumentDetail } from "./document";
import { DropZone } from "./drop-zone";
import { JobCards } from "./job-cards";
import { corpusVersion, loadJobs, takeDocument, takeStep, takeSummary } from "./jobs";
import { DocumentTable, Failures } from "./list";
import { ContentSearch } from "./search";

export function Corpus() {
  const s = t.value.corpus;
  const { id } = place.value;
  const query = useSignal("");
  const passage = useSignal<string | null>(null);
  const list = useLoad<DocumentList>(`/api/documents?limit=1000`);
  useJobFeed();
  useSignalEffect(() => {
    if (corpusVersion.value > 0) list.reload();
  });
  const documents = list.data?.documents ?? [];
  const named = documents.filter((document) => matches(document.name + document.path, query.value));
  if (id) return <DocumentDetail id={id} />;
  return (
    <div class="column">
      <header class="page-head">
        <h1>{s.title}</h1>
        {list.data && <p class="quiet-text">{s.count(list.data.total)}</p>}
      </header>
      <DropZone />
      <JobCards />
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {list.data && <Failures failed={list.data.failed} />}
      {documents.length > 0 && (
        <label class="search">
          <Icon name="search" />
          <span class="unseen">{s.search}</span>
          <input type="search" placeholder={s.search} value={query.value} onInput={(event) => (query.value = event.currentTarget.value)} />
        </label>
      )}
      {!list.data && !list.problem && <Skeleton lines={8} />}
      {list.data && documents.length === 0 && <Empty title={s.empty}><p>{s.emptyText}</p></Empty>}
      {named.length > 0 && <DocumentTable documents={named} />}
      {documents.length > 0 && named.length === 0 && <p class="quiet-text">{s.noName(query.value)}</p>}
      <ContentSearch query={query.value} open={(chunk) => (passage.value = chunk)} />
      {passage.value && <Passage id={passage.value} close={() => (passage.value = null)} />}
    </div>
  );
}

function useJobFeed() {
  useEffect(() => {
    void loadJobs();
    const ends = [
      onEvent<JobSummary>("job", takeSummary),
      onEvent<{ job: number; document: AddedDocument }>("document", takeDocument),
      onEvent<JobStep & { job: number }>("step", takeStep),
      onEvent("reset", loadJobs),
      onEvent("corpus", () => (corpusVersion.value += 1)),
    ];
    return () => ends.forEach((end) => end());
  }, []);
}

/** Whether every word of the query is in the text, accents and case aside. */
function matches(text: string, query: string): boolean {
  const fold = (value: string) => value.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const folded = fold(text);
  return fold(query).split(/\s+/).every((word) => folded.includes(word));
}
