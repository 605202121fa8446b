#!/usr/bin/env python3
"""Compares answers of the demo with what `demo/questions.jsonl` expects.

    polyrag --data DIR --json ask --batch < demo/questions.jsonl | python3 eval/check_demo.py

Reads the answers as JSON lines from standard input, in the order of the questions. Prints a
line for each question and what differs; exit code 1 when anything does.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from matching import normalise  # noqa: E402
from scoring import missing  # noqa: E402

QUESTIONS = Path(__file__).resolve().parent.parent / "demo" / "questions.jsonl"


def differences(expect: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Returns what an answer lacks of what was expected; empty when all is there."""
    found = []
    if answer.get("error"):
        found.append(f"error: {answer['error']}")
    hit = bool((answer.get("cache") or {}).get("hit"))
    if "cache_hit" in expect and hit != expect["cache_hit"]:
        found.append(f"cache hit {hit}, expected {expect['cache_hit']}")
    routes = sorted(answer.get("routes") or [])
    if expect["routes"] and routes != sorted(expect["routes"]):
        found.append(f"routes {routes}, expected {sorted(expect['routes'])}")
    lacking = missing(normalise(str(answer.get("answer") or "")), expect["facts"])
    if lacking:
        found.append(f"the answer does not say {lacking}")
    abstained = bool(answer.get("abstained"))
    if abstained != bool(expect.get("abstained")):
        found.append(f"abstained {abstained}, expected {bool(expect.get('abstained'))}")
    return found


def main() -> int:
    """Reads both sides, prints the comparison, returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    options = parser.parse_args()
    questions = [json.loads(line) for line in
                 options.questions.read_text(encoding="utf-8").splitlines() if line.strip()]
    answers = [json.loads(line) for line in sys.stdin if line.strip()]
    bad = 0
    for number, question in enumerate(questions):
        answer = answers[number] if number < len(answers) else {"error": "no answer line"}
        found = differences(question["expect"], answer)
        bad += bool(found)
        print(f"{question['id']} {'DIFFERS' if found else 'as expected'}: {question['question']}")
        for line in found:
            print(f"    {line}")
    print(f"{len(questions) - bad} of {len(questions)} as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
