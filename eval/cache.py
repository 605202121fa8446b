#!/usr/bin/env python3
"""Measures the answer cache and its guard on public pairs: wrong answers served first, then hits.

    python3 eval/cache.py --polyrag PATH --data DIR [--sample 3000] [--seed 0] [--show 10]

DIR is the folder of public data (`cache/*.jsonl`). The entity swaps are always run whole; of QQP and
ASSIN2 a sample is drawn (0 for all). In ASSIN2 pairs with a similarity of 4.5 or more count as the
same. `polyrag cache check --batch` embeds both questions of a pair and answers whether the second
would be served the answer of the first. Prints JSON with 95% Wilson intervals.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import subprocess
from pathlib import Path
from typing import Any


def interval(hits: int, of: int) -> list[float]:
    """Returns the 95% Wilson interval of a share."""
    if of == 0:
        return [0.0, 1.0]
    z, share = 1.96, hits / of
    centre = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return [round(max(0.0, centre - half), 5), round(min(1.0, centre + half), 5)]


def check(polyrag: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns what `polyrag cache check --batch` says of each pair."""
    feed = "".join(json.dumps({"a": row["a"], "b": row["b"]}) + "\n" for row in rows)
    done = subprocess.run([polyrag, "cache", "check", "--batch"], input=feed, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(row: dict[str, Any]) -> bool:
    """Tells whether a pair asks, or states, the same."""
    return row["same"] if "same" in row else row["similarity"] >= 4.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--polyrag", default="polyrag")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    report = {}
    for name in ("entity_swaps_geo", "qqp", "assin2_pt"):
        with open(options.data / "cache" / f"{name}.jsonl", encoding="utf-8") as handle:
            rows = [json.loads(line) for line in handle]
        if options.sample and name != "entity_swaps_geo":
            rows = draw.sample(rows, min(options.sample, len(rows)))
        verdicts = check(options.polyrag, rows)
        alike = [verdict for row, verdict in zip(rows, verdicts) if same(row)]
        wrong = [row for row, verdict in zip(rows, verdicts) if not same(row) and verdict["hit"]]
        hits = sum(verdict["hit"] for verdict in alike)
        different = len(rows) - len(alike)
        report[name] = {
            "same": len(alike),
            "hits": hits,
            "hit_rate": round(hits / max(1, len(alike)), 4),
            "hit_interval": interval(hits, len(alike)),
            "different": different,
            "wrong": len(wrong),
            "wrong_rate": round(len(wrong) / max(1, different), 5),
            "wrong_interval": interval(len(wrong), different),
            "wrong_examples": [[row["a"], row["b"]] for row in wrong[:options.show]],
        }
    print(json.dumps(report, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
