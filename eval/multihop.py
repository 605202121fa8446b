#!/usr/bin/env python3
"""Multi-hop retrieval through the command line: recall@2, recall@5, all gold in the top 8.

The corpus is added once, to the graph; the same passages are then ranked by the graph, by the
vector index and by full text. For MuSiQue the ready triples are used (`--triples`), so that
search is measured apart from extraction:

    python3 eval/multihop.py --polyrag PATH --set DIR/musique --triples DIR/musique/openie_gpt35.jsonl

A set is a folder with `corpus.jsonl` (`title`, `text`) and `questions.jsonl` (`question`, `gold`
with `title` and perhaps `text`). The figures of the questions on even and on odd lines are also
printed apart: `multihop.md` says how constants were chosen on one half and judged on the other.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STORES = ("graph", "vector", "fts")


def read_lines(path):
    """Reads JSON lines."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def squeeze(text):
    """Folds case and white space, so that texts compare whatever a reader did to line breaks."""
    return " ".join(text.split()).casefold()


class Passages:
    """Finds which passage of the corpus a retrieved chunk belongs to."""

    def __init__(self, corpus):
        self.titles = [squeeze(row["title"]) for row in corpus]
        self.texts = [squeeze(row["text"]) for row in corpus]
        self.by_start = {}
        for place, text in enumerate(self.texts):
            self.by_start.setdefault(text[:60], []).append(place)

    def of(self, hit):
        """Returns the place of a hit's passage in the corpus, or None."""
        text = squeeze(hit["text"])
        named = squeeze(hit["document"] + " " + hit.get("location", ""))
        for title in (title for title in set(self.titles) if text.startswith(title) and title):
            rest = text[len(title):].lstrip(" :.-")
            if rest[:60] in self.by_start:
                text = rest
                break
        candidates = self.by_start.get(text[:60]) or [
            place for place, whole in enumerate(self.texts) if text and text in whole
        ]
        for place in candidates:
            if self.titles[place] in named:
                return place
        return candidates[0] if candidates else None

    def gold(self, wanted):
        """Returns the places of a question's gold passages."""
        found = set()
        for gold in wanted:
            title, text = squeeze(gold["title"]), squeeze(gold.get("text", ""))
            places = [
                place
                for place, name in enumerate(self.titles)
                if name == title and (not text or self.texts[place] == text)
            ]
            if not places:
                raise SystemExit(f"gold passage {gold['title']!r} is not in the corpus")
            found.add(places[0])
        return found


def figures(rankings, golds):
    """Returns mean recall@2 and @5 and the share of questions with all gold in the top 8."""
    if not golds:
        return {"recall@2": 0.0, "recall@5": 0.0, "all@8": 0.0}
    recall = lambda k: sum(  # noqa: E731
        len(gold & set(ranking[:k])) / len(gold) for ranking, gold in zip(rankings, golds)
    ) / len(golds)
    whole = sum(gold <= set(ranking[:8]) for ranking, gold in zip(rankings, golds)) / len(golds)
    return {"recall@2": recall(2), "recall@5": recall(5), "all@8": whole}


def run(polyrag, data, arguments, lines=None):
    """Runs the program; returns its standard output and the seconds it took."""
    started = time.monotonic()
    done = subprocess.run(
        [polyrag, "--data", data, "--json", *arguments],
        input=lines,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stderr[-2000:])
        raise SystemExit(f"{' '.join(arguments[:3])} ended with {done.returncode}")
    return done.stdout, time.monotonic() - started


def main():
    """Adds, searches, prints a table and writes the figures as JSON when asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--polyrag", required=True, help="the executable")
    parser.add_argument("--set", required=True, type=Path, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--triples", help="ready triples, instead of extraction")
    parser.add_argument("--data", help="keep the data directory here; one that is there is used as it is")
    parser.add_argument("--out", type=Path, help="write the figures here as JSON")
    options = parser.parse_args()

    corpus, questions = read_lines(options.set / "corpus.jsonl"), read_lines(options.set / "questions.jsonl")
    passages = Passages(corpus)
    golds = [passages.gold(question["gold"]) for question in questions]
    batch = "".join(json.dumps({"id": n, "question": q["question"]}) + "\n" for n, q in enumerate(questions))
    report = {"set": options.set.name, "questions": len(questions), "passages": len(corpus), "stores": {}}
    with tempfile.TemporaryDirectory() as scratch:
        data = options.data or scratch
        if not (options.data and Path(options.data).exists()):
            triples = ["--triples", options.triples] if options.triples else []
            corpus_file = str(options.set / "corpus.jsonl")
            _, seconds = run(options.polyrag, data, ["add", "--store", "graph", *triples, corpus_file])
            report["add_seconds"] = round(seconds, 1)
        for store in STORES:
            output, seconds = run(options.polyrag, data, ["search", "--store", store, "--batch", "-k", "16"], batch)
            rankings = []
            for line in output.splitlines():
                places = [passages.of(hit) for hit in json.loads(line)["retrieved"]]
                rankings.append(list(dict.fromkeys(place for place in places if place is not None)))
            if len(rankings) != len(questions):
                raise SystemExit(f"{len(rankings)} answers to {len(questions)} questions from {store}")
            report["stores"][store] = {
                "all": figures(rankings, golds),
                "even_lines": figures(rankings[::2], golds[::2]),
                "odd_lines": figures(rankings[1::2], golds[1::2]),
                "seconds": round(seconds, 1),
            }
    print(f"{report['set']}: {report['questions']} questions, {report['passages']} passages")
    print("store    recall@2  recall@5  all@8   recall@5 of even / odd lines")
    for store, part in report["stores"].items():
        whole = part["all"]
        halves = f"{part['even_lines']['recall@5']:.3f} / {part['odd_lines']['recall@5']:.3f}"
        print(f"{store:8} {whole['recall@2']:8.3f} {whole['recall@5']:9.3f} {whole['all@8']:6.2f}   {halves}")
    if options.out:
        options.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
