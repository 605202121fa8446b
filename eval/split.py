#!/usr/bin/env python3
"""Measures the clause splitter on public questions: false splits of single ones, recall on pairs.

    python3 eval/split.py --polyrag PATH --data DIR [--pairs 3000] [--seed 0] [--show 10]

DIR is the folder of public data (`text2sql`, `retrieval`, `multihop`, `reference`). Pairs are
drawn from the single questions that stay whole, both in one language for a conjunction of that
language, the second question in lower case 7 times of 10; a pair counts as found when it comes
back as exactly two parts, cut at the joint. Prints JSON.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import random
import subprocess
from pathlib import Path
from typing import Any, Iterator

JOINTS = [" and ", ", and ", " e ", ", e também ", "; ", " ", "\n"]
LANGUAGES = {" and ": "en", ", and ": "en", " e ": "pt", ", e também ": "pt"}
PIRA = [("question_en_origin", "en"), ("question_pt_origin", "pt"), ("question_en_paraphase", "en"),
        ("question_pt_paraphase", "pt"), ("pt_question_translated_to_en", "en")]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the values of a file of JSON lines."""
    with open(path, encoding="utf-8") as handle:
        yield from map(json.loads, handle)


def singles(data: Path) -> list[dict[str, str]]:
    """Returns the distinct questions with their source and language."""
    found: dict[str, dict[str, str]] = {}

    def add(source: str, language: str, question: str) -> None:
        question = " ".join((question or "").split())
        if question:
            found.setdefault(question, {"source": source, "language": language, "question": question})

    for row in lines(data / "text2sql" / "questions.jsonl"):
        add("spider en", "en", row["en"])
        add("spider pt", "pt", row["pt"])
    with open(data / "retrieval" / "pira_validation.csv", encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            for column, language in PIRA:
                add(f"pira {language}", language, row[column])
    faquad = json.loads((data / "retrieval" / "faquad_train.json").read_text(encoding="utf-8"))
    for document in faquad["data"]:
        for paragraph in document["paragraphs"]:
            for item in paragraph["qas"]:
                add("faquad", "pt", item["question"])
    for name in ("musique", "hotpotqa", "2wiki"):
        for row in lines(data / "multihop" / name / "questions.jsonl"):
            add(name, "en", row["question"])
    for row in lines(data / "reference" / "golden.jsonl"):
        add("golden", "pt", row["question"])
    return list(found.values())


def split(polyrag: str, questions: list[str]) -> list[list[str]]:
    """Returns the parts of each question, by `polyrag split --batch`."""
    feed = "".join(json.dumps({"question": question}) + "\n" for question in questions)
    done = subprocess.run([polyrag, "split", "--batch"], input=feed, capture_output=True, text=True, check=True)
    return [json.loads(line)["parts"] for line in done.stdout.splitlines()]


def pair(first: str, second: str, joint: str, lower: bool) -> tuple[str, int]:
    """Joins two questions; returns the message and the length of its first part."""
    head = first.rstrip() if joint in (" ", "\n") else first.rstrip(" ?.")
    if joint == " " and not head.endswith(("?", ".")):
        head += "?"
    tail = second[0].lower() + second[1:] if lower and joint not in (" ", "\n") else second
    return head + joint + tail, len(head)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polyrag", default="polyrag")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="examples of each error")
    options = parser.parse_args()
    rows = singles(options.data)
    parts = split(options.polyrag, [row["question"] for row in rows])
    whole = [row for row, found in zip(rows, parts) if len(found) == 1]
    false = [{"source": row["source"], "parts": found} for row, found in zip(rows, parts) if len(found) > 1]

    draw = random.Random(options.seed)
    cases = []
    while len(cases) < options.pairs:
        first, second = draw.sample(whole, 2)
        joint = draw.choice(JOINTS)
        if LANGUAGES.get(joint, first["language"]) != first["language"]:
            continue
        if joint in LANGUAGES and second["language"] != first["language"]:
            continue
        cases.append((joint, *pair(first["question"], second["question"], joint, draw.random() < 0.7)))
    tally: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    missed = []
    for (joint, message, length), found in zip(cases, split(options.polyrag, [case[1] for case in cases])):
        good = len(found) == 2 and found[0].rstrip(" ?.,;") == message[:length].strip().rstrip(" ?.,;")
        tally[joint][0] += good
        tally[joint][1] += 1
        if not good:
            missed.append({"joint": joint, "parts": found})
    draw.shuffle(missed)
    print(json.dumps({
        "singles": dict(collections.Counter(row["source"] for row in rows)) | {"all": len(rows)},
        "false_splits": len(false),
        "pairs": len(cases),
        "found": sum(good for good, _ in tally.values()),
        "by_joint": {joint: {"found": good, "of": of} for joint, (good, of) in sorted(tally.items())},
        "false_examples": false[:options.show],
        "missed_examples": missed[:options.show],
    }, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
