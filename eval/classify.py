#!/usr/bin/env python3
"""Measures the router as a library on public intents: in-scope accuracy, out-of-scope recall.

    python3 eval/classify.py --polyrag PATH --data DIR [--sets clinc150,banking77,tais] [--out FILE]

DIR is the folder of public data (`router/*.jsonl`). `polyrag classify` gets the training texts as
anchors and a part to fit its threshold on; what is measured was in neither:

* **clinc150**: 15,000 training texts of 150 intents; the threshold is fitted on the anchors
  without themselves and on 100 foreign training texts; measured on the 3,000 + 100 validation texts;
* **banking77**, **tais**: every fifth text of each intent is measured, the others are anchors. One
  intent in five is taken out whole to be foreign: one half of its texts for fitting, the other for measuring.

In-scope accuracy: texts of an intent that get it; a rejected one counts as wrong. Out-of-scope
recall: foreign texts that are rejected. Both with 95% Wilson intervals. `accuracy_unrejected` is the
best score alone. Prints JSON.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from scoring import wilson  # noqa: E402

Row = dict[str, str]
FOREIGN = "oos"


def lines(path: Path) -> list[Row]:
    """Returns the values of a file of JSON lines."""
    with open(path, encoding="utf-8") as handle:
        return [json.loads(line) for line in handle if line.strip()]


def clinc(data: Path) -> tuple[list[Row], list[Row], list[Row]]:
    """Returns anchors, texts to fit on, and texts to measure on."""
    folder = data / "router"
    measured = lines(folder / "clinc150_val.jsonl") + lines(folder / "clinc150_oos_val.jsonl")
    return lines(folder / "clinc150_train.jsonl"), lines(folder / "clinc150_oos_train.jsonl"), measured


def parted(rows: list[Row]) -> tuple[list[Row], list[Row], list[Row]]:
    """Parts one file: every fifth intent is foreign, every fifth text of the others is measured."""
    by_intent: dict[str, list[str]] = collections.defaultdict(list)
    for row in rows:
        if row["text"] not in by_intent[row["intent"]]:
            by_intent[row["intent"]].append(row["text"])
    anchors, fit, measured = [], [], []
    for number, (intent, texts) in enumerate(sorted(by_intent.items())):
        if number % 5 == 4:
            for position, text in enumerate(texts):
                (fit if position % 2 else measured).append({"text": text, "intent": FOREIGN})
            continue
        for position, text in enumerate(texts):
            (measured if position % 5 == 4 else anchors).append({"text": text, "intent": intent})
    return anchors, fit, measured


def classify(polyrag: str, anchors: list[Row], fit: list[Row], texts: list[str]) -> list[dict[str, Any]]:
    """Returns what `polyrag classify --batch` says of each text."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, rows in (("routes", anchors), ("fit", fit)):
            paths[name] = Path(folder) / f"{name}.jsonl"
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            paths[name].write_text(text, encoding="utf-8")
        feed = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
        command = [polyrag, "--data", folder, "classify", "--routes", str(paths["routes"]), "--fit",
                   str(paths["fit"]), "--batch"]
        done = subprocess.run(command, input=feed, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def share(passed: int, total: int) -> dict[str, Any]:
    """Returns a share with its interval."""
    low, high = wilson(passed, total)
    return {"passed": passed, "total": total, "share": round(passed / max(1, total), 4),
            "interval95": [round(low, 4), round(high, 4)]}


def measure(rows: list[Row], verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the figures of one set."""
    own = [(row, verdict) for row, verdict in zip(rows, verdicts) if row["intent"] != FOREIGN]
    foreign = [verdict for row, verdict in zip(rows, verdicts) if row["intent"] == FOREIGN]
    best = [max(verdict["scores"], key=verdict["scores"].get) for _, verdict in own]
    return {
        "accuracy": share(sum(v["intent"] == row["intent"] for row, v in own), len(own)),
        "accuracy_unrejected": share(sum(b == row["intent"] for b, (row, _) in zip(best, own)), len(own)),
        "rejected_own": share(sum(v["intent"] is None for _, v in own), len(own)),
        "foreign_recall": share(sum(v["intent"] is None for v in foreign), len(foreign)),
        "right_intent_possible": share(sum(row["intent"] in v["possible"] for row, v in own), len(own)),
        "possible_mean": round(sum(len(v["possible"]) for _, v in own) / max(1, len(own)), 2),
        "intents": len({row["intent"] for row, _ in own}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polyrag", default="polyrag")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="clinc150,banking77,tais")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    report = {}
    for name in options.sets.split(","):
        if name == "clinc150":
            anchors, fit, measured = clinc(options.data)
        else:
            file = {"banking77": "banking77_train.jsonl", "tais": "tais_pt_train.jsonl"}[name]
            anchors, fit, measured = parted(lines(options.data / "router" / file))
        started = time.monotonic()
        verdicts = classify(options.polyrag, anchors, fit, [row["text"] for row in measured])
        report[name] = {"anchors": len(anchors), "fit": len(fit), **measure(measured, verdicts),
                        "seconds": round(time.monotonic() - started, 1)}
    text = json.dumps(report, ensure_ascii=False, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
