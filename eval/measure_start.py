#!/usr/bin/env python3
"""Measures peak memory and time to the first token of one `polyrag ask`.

    python3 eval/measure_start.py --polyrag PATH --data DIR [--question TEXT] [--runs 3]

Each run starts the executable anew, twice:

* streaming (`ask`): seconds from the start of the process to the first byte on standard
  output, and to its end;
* `--json`: the program's own `timings` and the answer.

Peak memory is the resident set of that one child as the kernel accounts for it (`ru_maxrss`
by `wait4`; mapped model pages count). The first run may read the models from disk; the
others find them in the page cache, so the median of the later runs is reported as well.

Exit code: 1 when a limit (`--limit-mb`, `--limit-s`) is passed by the median of the later
runs, or when a run fails; else 0. Python 3.9 or later, no other packages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

QUESTION = "Qual foi a receita total da região Sul no trimestre?"


def peak_mb(usage: Any) -> float:
    """Returns `ru_maxrss` in MB (10^6 bytes); Linux counts KiB, macOS bytes."""
    scale = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * scale / 1e6


def run_once(command: list[str]) -> dict[str, Any]:
    """Runs one child; returns its output, exit code, peak memory and times in seconds."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    errors = _drain(process.stderr)
    first = process.stdout.read(1)
    first_byte = time.monotonic() - started
    output = first + process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    total = time.monotonic() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    errors.join()
    return {"code": process.returncode, "output": output.decode("utf-8", "replace"),
            "stderr": errors.text[-500:], "peak_mb": round(peak_mb(usage), 1),
            "first_byte_s": round(first_byte, 3) if first else None,
            "total_s": round(total, 3)}


def _drain(stream: Any) -> Any:
    """Reads a stream to its end on a thread, so that a full pipe never stops the child."""
    import threading

    class Reader(threading.Thread):
        text = ""

        def run(self) -> None:
            self.text = stream.read().decode("utf-8", "replace")
            stream.close()

    reader = Reader(daemon=True)
    reader.start()
    return reader


def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Runs the question `options.runs` times in both ways. Raises RuntimeError on a failed run."""
    base = [options.polyrag, "--data", str(options.data)]
    results = []
    for number in range(1, options.runs + 1):
        streamed = run_once([*base, "ask", "--no-cache", options.question])
        structured = run_once([*base, "--json", "ask", "--no-cache", options.question])
        for name, done in (("streaming", streamed), ("json", structured)):
            if done["code"] != 0 or done["first_byte_s"] is None:
                raise RuntimeError(f"{name} run: exit {done['code']}: {done['stderr']}")
        answer = json.loads(structured["output"])
        results.append({
            "run": number,
            "first_byte_s": streamed["first_byte_s"],
            "total_s": streamed["total_s"],
            "peak_mb": max(streamed["peak_mb"], structured["peak_mb"]),
            "json_total_s": structured["total_s"],
            "timings": answer.get("timings"),
            "answer": answer.get("answer"),
        })
        print(f"run {number}: first byte {streamed['first_byte_s']:.3f} s, total "
              f"{streamed['total_s']:.3f} s, peak {results[-1]['peak_mb']:.1f} MB, first token by "
              f"the program's clock {(answer.get('timings') or {}).get('first_token_ms')} ms",
              flush=True)
    return results


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--polyrag", default=shutil.which("polyrag") or "polyrag")
    parser.add_argument("--data", type=Path, required=True, help="data directory with a corpus")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit-mb", type=float, default=2500.0)
    parser.add_argument("--limit-s", type=float, default=12.0)
    parser.add_argument("--out", type=Path, help="where the JSON result goes")
    return parser.parse_args()


def main() -> int:
    """Runs the measurement; returns the exit code."""
    options = arguments()
    try:
        results = measure(options)
    except (RuntimeError, OSError, ValueError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    later = results[1:] or results
    summary = {
        "first_byte_s": statistics.median(r["first_byte_s"] for r in later),
        "peak_mb": max(r["peak_mb"] for r in results),
        "limit_s": options.limit_s,
        "limit_mb": options.limit_mb,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
    }
    within = (summary["first_byte_s"] < options.limit_s
              and summary["peak_mb"] < options.limit_mb)
    print(f"first byte {summary['first_byte_s']:.3f} s (limit {options.limit_s}), peak "
          f"{summary['peak_mb']:.1f} MB (limit {options.limit_mb}), {summary['cores']} cores: "
          f"{'within' if within else 'OVER'}")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps({"summary": summary, "runs": results},
                                          ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
