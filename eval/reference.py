#!/usr/bin/env python3
"""Runs a golden set against the `polyrag` executable and reports every failure.

    python3 eval/reference.py --polyrag PATH --corpus DIR --golden FILE [--out FILE]

Adds the corpus to a fresh data directory (`polyrag add`), asks all questions in one batch
(`polyrag ask --batch --no-cache`), and scores them by the definitions in `scoring.py` and
the matching rules in `matching.py`. The table goes to standard output, the full result
with per-question detail to `--out`. Needs Python 3.9 or later and nothing else.

Exit code: 0 when everything ran and `--require` holds (`--require routing=1.0,recall@5=0.84`),
1 otherwise, 2 on wrong usage.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scoring import by_group, passages, score, summarise  # noqa: E402


def read_questions(path: Path) -> list[dict[str, Any]]:
    """Reads a set; numbers questions that carry no `id`. Raises ValueError naming the line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}:{number}: {error}") from error
        if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
            raise ValueError(f"{path}:{number}: expected an object with a `question`")
        entry.setdefault("id", str(len(questions) + 1))
        questions.append(entry)
    if not questions:
        raise ValueError(f"{path}: no questions")
    return questions


def run(command: list[str], text: str | None = None) -> str:
    """Runs a command, passes its standard error through, returns its standard output.

    Raises RuntimeError with the exit code when the command fails without any output;
    `add` exits with 1 when one file of many failed, and its report is still wanted.
    """
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, encoding="utf-8",
                          check=False)
    if done.returncode not in (0, 1) or (done.returncode and not done.stdout.strip()):
        raise RuntimeError(f"exit {done.returncode}: {' '.join(command)}")
    return done.stdout


def add_corpus(base: list[str], corpus: Path, extra: list[str]) -> dict[str, Any]:
    """Ingests the corpus; returns the report of `polyrag add --json`."""
    report = json.loads(run([*base, "add", str(corpus), *extra]))
    for document in report.get("documents", []):
        if document.get("status") == "failed":
            print(f"not added: {document.get('path')}: {document.get('error')}", file=sys.stderr)
    return report


def ask_all(base: list[str], questions: list[dict[str, Any]], extra: list[str]) -> list[dict]:
    """Asks all questions in one batch; returns one answer for each, in order.

    A missing or unreadable line becomes `{"error": ...}`, so one bad answer never hides
    the others.
    """
    lines = "".join(
        json.dumps({"id": q["id"], "question": q["question"]}, ensure_ascii=False) + "\n"
        for q in questions)
    output = run([*base, "ask", "--batch", "--no-cache", *extra], lines).splitlines()
    answers: list[dict] = []
    for line in output:
        if line.strip():
            try:
                answers.append(json.loads(line))
            except json.JSONDecodeError as error:
                answers.append({"error": f"not JSON: {error}"})
    by_id = {str(a["id"]): a for a in answers if a.get("id") is not None}
    if len(by_id) == len(answers):
        return [by_id.get(str(q["id"]), {"error": "no answer line"}) for q in questions]
    answers += [{"error": "no answer line"}] * (len(questions) - len(answers))
    return answers[: len(questions)]


def detail(question: dict, answer: dict, result: dict) -> dict[str, Any]:
    """Returns what a person needs to see why one question passed or failed."""
    return {
        "id": question["id"],
        "question": question["question"],
        "right": result["right"],
        "why": result["why"],
        "score": {key: value for key, value in result.items() if key not in ("right", "why")},
        "expected": {key: question[key] for key in
                     ("routes", "relevant", "facts", "forbidden", "parts", "absent", "kind")
                     if key in question},
        "answer": answer.get("answer"),
        "parts": [
            {
                "question": part.get("question"),
                "route": part.get("route"),
                "stage": part.get("stage"),
                "scores": part.get("scores"),
                "margin": part.get("margin"),
                "evidence": part.get("evidence"),
                "sql": part.get("sql"),
                "columns": part.get("columns"),
                "rows": (part.get("rows") or [])[:20],
                "fallback": part.get("fallback"),
            }
            for part in answer.get("parts") or []
        ],
        "retrieved": [
            {"rank": rank, **{key: hit.get(key) for key in
                              ("store", "document", "location", "score")},
             "text": str(hit.get("text") or "")[:200]}
            for rank, hit in passages(answer)
        ],
        "timings": answer.get("timings"),
    }


def table(summary: dict[str, Any]) -> str:
    """Returns the figures of a set as aligned lines."""
    lines = [f"{'questions':28} {summary['questions']}"]
    for name, value in summary.items():
        if isinstance(value, dict):
            if value["total"]:
                low, high = value["interval95"]
                lines.append(f"{name:28} {value['passed']:>4}/{value['total']:<4} "
                             f"{value['share']:7.1%}   95% {low:.1%} to {high:.1%}")
        elif name != "questions" and value is not None:
            lines.append(f"{name:28} {value:>9.3f}" if isinstance(value, float)
                         else f"{name:28} {value:>9}")
    return "\n".join(lines)


def failures(details: list[dict[str, Any]]) -> str:
    """Returns the failure report: one block for each question with something to say."""
    blocks = []
    for entry in details:
        if not entry["why"]:
            continue
        lines = [f"[{entry['id']}] {'right' if entry['right'] else 'WRONG'}: {entry['question']}"]
        lines += [f"    {reason}" for reason in entry["why"]]
        for part in entry["parts"]:
            scores = ", ".join(f"{k} {v:.3f}" for k, v in (part["scores"] or {}).items()
                               if isinstance(v, (int, float)))
            lines.append(f"    part: {part['route']} by {part['stage']}, margin "
                         f"{part['margin']}, scores {scores}")
            if part["sql"]:
                lines.append(f"    sql: {part['sql']}")
                lines.append(f"    rows: {part['rows'][:3]}")
            if part["fallback"]:
                lines.append(f"    fallback: {part['fallback']}")
        for hit in entry["retrieved"][:5]:
            lines.append(f"    {hit['rank']}. {hit['store']} {hit['document']} "
                         f"> {hit['location']} ({hit['score']})")
        lines.append(f"    answer: {entry['answer']}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def unmet(summary: dict[str, Any], required: str) -> list[str]:
    """Returns the requirements (`name=least value`, by comma) that the summary misses."""
    missed = []
    for item in filter(None, required.split(",")):
        name, _, least = item.partition("=")
        value = summary[name.strip()]
        value = value["share"] if isinstance(value, dict) else value
        if value is None or value < float(least):
            missed.append(f"{name.strip()} is {value}, required {least}")
    return missed


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--polyrag", default=shutil.which("polyrag") or "polyrag")
    parser.add_argument("--corpus", type=Path, required=True, help="folder to ingest")
    parser.add_argument("--golden", type=Path, required=True, help="set of questions (JSON lines)")
    parser.add_argument("--data", type=Path,
                        help="data directory; default a temporary one, removed afterwards")
    parser.add_argument("--reuse", action="store_true",
                        help="the data directory holds the corpus already: do not add")
    parser.add_argument("--config", type=Path, help="configuration file for polyrag")
    parser.add_argument("--out", type=Path, help="where the JSON result goes")
    parser.add_argument("--add-args", default="", help="more arguments for `add`")
    parser.add_argument("--ask-args", default="", help="more arguments for `ask`")
    parser.add_argument("--require", default="", help="least values, `routing=0.9,mrr=0.78`")
    return parser.parse_args()


def main() -> int:
    """Runs the set; returns the exit code."""
    options = arguments()
    questions = read_questions(options.golden)
    temporary = None if options.data else tempfile.mkdtemp(prefix="polyrag-eval-")
    data = str(options.data or temporary)
    base = [options.polyrag, "--data", data, "--json"]
    if options.config:
        base[3:3] = ["--config", str(options.config)]
    started = time.monotonic()
    try:
        added = None if options.reuse else add_corpus(base, options.corpus,
                                                      options.add_args.split())
        ingested = time.monotonic()
        answers = ask_all(base, questions, options.ask_args.split())
    finally:
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
    finished = time.monotonic()
    scores = [score(question, answer) for question, answer in zip(questions, answers)]
    details = [detail(*triple) for triple in zip(questions, answers, scores)]
    summary = summarise(questions, scores)
    result = {
        "golden": os.path.basename(options.golden),
        "corpus": options.corpus.name,
        "summary": summary,
        "by_kind": by_group(questions, scores, "kind"),
        "by_language": by_group(questions, scores, "language"),
        "add_seconds": round(ingested - started, 2),
        "ask_seconds": round(finished - ingested, 2),
        "documents": (added or {}).get("documents"),
        "details": details,
    }
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n",
                               encoding="utf-8")
    report = failures(details)
    if report:
        print(report + "\n")
    print(table(summary))
    for group in ("by_kind", "by_language"):
        if set(result[group]) != {"-"}:
            print(f"{group}: " + ", ".join(f"{name} {value['passed']}/{value['total']}"
                                           for name, value in result[group].items()))
    print(f"add {result['add_seconds']} s, ask {result['ask_seconds']} s")
    missed = unmet(summary, options.require)
    for line in missed:
        print(f"required: {line}", file=sys.stderr)
    return 1 if missed or summary["errors"] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ValueError, OSError, RuntimeError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(1)
