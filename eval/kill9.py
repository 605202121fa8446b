#!/usr/bin/env python3
"""Kills `polyrag add` or `watch` with SIGKILL at random moments and lets `polyrag doctor` judge.

    python3 eval/kill9.py --polyrag PATH [--watch] [--rounds 20] [--seed N] [--window SECONDS]

Works on a copy of the demo corpus's text files and some generated ones. A round changes a
few generated files, starts `add`, kills the whole process group after a random delay, and
runs `doctor --json`, which must find every check in order. Every fifth round starts from an
empty data directory; the others go on with what the killed ones left. An `add` that ended
before its kill, or had not made its data directory yet, is not counted and tried again. With
--watch it is `watch` that runs, and more files change, move and go while it does. At the end one
undisturbed `add` must take in every file, a second one must find nothing to do, and `doctor` must
agree.

Exit code: 0 when all of that held, 1 otherwise. The seed is printed; the same seed and
window give the same files and delays. Python 3.9 or later, no other packages.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

TEXT_FORMATS = (".md", ".txt", ".csv")
DEMO = Path(__file__).resolve().parent.parent / "demo" / "corpus"

CITIES = ["Santarém", "Caruaru", "Anápolis", "Sorocaba", "Joinville", "Macapá", "Mossoró"]
GOODS = ["remédios", "tecidos", "peças de trator", "livros", "sementes", "louça", "pneus"]


class Failure(Exception):
    """Something that must hold did not; the message says what."""


def write_generated(folder: Path, number: int, generator: random.Random) -> None:
    """Writes generated file `number`: every third one a table, the others sections of text."""
    if number % 3 == 0:
        lines = ["rota,carga,paletes,custo"]
        for line in range(generator.randint(20, 60)):
            lines.append(f"R{number:02d}-{line:03d},{generator.choice(GOODS)},"
                         f"{generator.randint(1, 40)},{generator.randint(900, 99000) / 10:.2f}")
        name, text = f"rotas_{number:02d}.csv", "\n".join(lines) + "\n"
    else:
        blocks = [f"# Rota {number:02d}"]
        for section in range(generator.randint(2, 5)):
            city, goods = generator.choice(CITIES), generator.choice(GOODS)
            blocks.append(f"## Trecho {section + 1} da rota {number:02d}")
            blocks.append(
                f"O trecho {section + 1} leva {goods} até {city} em {generator.randint(2, 90)} "
                f"horas. O Posto {city} recebe {generator.randint(2, 30)} paletes por viagem. "
                f"A Doca {generator.randint(1, 99)} atende o Posto {city}.")
        name, text = f"rota_{number:02d}.md", "\n\n".join(blocks) + "\n"
    (folder / name).write_text(text, encoding="utf-8")


def prepare(folder: Path, corpus: Path, generated: int, generator: random.Random) -> int:
    """Fills `folder` with the corpus's text files and generated ones; returns their number."""
    folder.mkdir(parents=True)
    for path in sorted(corpus.iterdir()):
        if path.suffix.lower() in TEXT_FORMATS:
            shutil.copy(path, folder / path.name)
    for number in range(generated):
        write_generated(folder, number, generator)
    return sum(1 for _ in folder.iterdir())


def call(command: list[str]) -> tuple[int, str]:
    """Runs a command to its end; returns exit code and standard output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8", check=False)
    return done.returncode, done.stdout


def doctor(base: list[str]) -> dict[str, Any]:
    """Runs `doctor --json`; raises Failure unless it says ok, check by check and by exit code."""
    code, output = call([*base, "doctor"])
    try:
        report = json.loads(output)
    except json.JSONDecodeError as error:
        raise Failure(f"doctor: exit {code}, no JSON: {error}: {output[:200]!r}") from error
    bad = [check for check in report.get("checks", []) if not check.get("ok")]
    if code != 0 or report.get("ok") is not True or bad:
        raise Failure(f"doctor: exit {code}, ok {report.get('ok')}: {bad or report}")
    if not report.get("checks"):
        raise Failure("doctor ran no check")
    return report


def add_and_kill(command: list[str], delay: float, log: Path,
                 midway: Callable[[], None] | None) -> tuple[bool, str]:
    """Starts a command and kills its process group after `delay` seconds.

    `midway` is called half-way. Returns whether the command was still running, and the last line
    of its progress.
    """
    with open(log, "wb") as sink:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sink,
                                   start_new_session=True)
        try:
            try:
                process.wait(timeout=delay / 2)
            except subprocess.TimeoutExpired:
                if midway:
                    midway()
                process.wait(timeout=delay / 2)
            running = False
        except subprocess.TimeoutExpired:
            running = True
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    text = log.read_text(encoding="utf-8", errors="replace").replace("\r", "\n")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return running, (lines[-1][:100] if lines else "")


def disturb(folder: Path, generated: int, generator: random.Random) -> None:
    """Changes, renames and deletes some files under a running `watch`."""
    write_generated(folder, generator.randrange(generated), generator)
    paths = sorted(path for path in folder.iterdir() if path.name.startswith("rota"))
    for path in generator.sample(paths, min(2, len(paths))):
        path.rename(path.with_name(f"rota_m{generator.randrange(10**6):06d}{path.suffix}"))
    paths = sorted(path for path in folder.iterdir() if path.name.startswith("rota"))
    generator.choice(paths).unlink()


def statuses(output: str) -> dict[str, str]:
    """Returns path to status of an `add --json` report."""
    return {d["path"]: d["status"] for d in json.loads(output).get("documents", [])}


def finish(base: list[str], folder: Path, extra: list[str], expected: int) -> dict[str, Any]:
    """Runs `add` twice to its end; raises Failure unless all documents are in, once."""
    result: dict[str, Any] = {}
    for name, allowed in (("add", {"added", "updated", "unchanged"}), ("again", {"unchanged"})):
        code, output = call([*base, "add", str(folder), *extra])
        try:
            found = {path: s for path, s in statuses(output).items() if s != "removed"}
        except (json.JSONDecodeError, KeyError) as error:
            raise Failure(f"{name}: exit {code}, no report: {error}") from error
        wrong = {path: status for path, status in found.items() if status not in allowed}
        if code != 0 or wrong or len(found) != expected:
            raise Failure(f"{name}: exit {code}, {len(found)} of {expected} documents, {wrong}")
        result[name] = {s: list(found.values()).count(s) for s in sorted(set(found.values()))}
        doctor(base)
    return result


def measure_window(options: argparse.Namespace, folder: Path, work: Path) -> float:
    """Returns the seconds that one undisturbed `add` takes, on a data directory of its own."""
    base = [options.polyrag, "--data", str(work / "undisturbed"), "--json"]
    started = time.monotonic()
    code, _ = call([*base, "add", str(folder), *options.add_args.split()])
    if code != 0:
        raise Failure(f"an undisturbed add fails already: exit {code}")
    doctor(base)
    shutil.rmtree(work / "undisturbed")
    return time.monotonic() - started


def rounds(options: argparse.Namespace, work: Path, generator: random.Random) -> dict[str, Any]:
    """Runs all rounds; returns their record. Raises Failure at the first disagreement."""
    folder = work / "files"
    expected = prepare(folder, options.corpus, options.generated, generator)
    window = options.window or measure_window(options, folder, work)
    if options.watch:
        window += 3  # It waits until files are complete.
    print(f"{expected} files, kills within {window:.2f} s, seed {options.seed}")
    record: dict[str, Any] = {"seed": options.seed, "files": expected,
                              "window_s": round(window, 3), "rounds": []}
    data, attempts = work / "data-0", 0
    while len(record["rounds"]) < options.rounds:
        attempts += 1
        if attempts > options.rounds * 5:
            raise Failure(f"only {len(record['rounds'])} kills hit a running add; "
                          "give a smaller --window or more --generated files")
        number = len(record["rounds"]) + 1
        if number % 5 == 1 and (number > 1 or attempts > 1):
            data = work / f"data-{attempts}"
        for changed in generator.sample(range(options.generated), max(1, options.generated // 3)):
            write_generated(folder, changed, generator)
        base = [options.polyrag, "--data", str(data), "--json"]
        delay = generator.uniform(0.01, window)
        verb = "watch" if options.watch else "add"
        midway = (lambda: disturb(folder, options.generated, generator)) if options.watch else None
        killed, progress = add_and_kill([*base, verb, str(folder), *options.add_args.split()],
                                        delay, work / "stderr", midway)
        if killed and not data.exists():
            continue
        report = doctor(base)
        if not killed:
            window = max(0.05, window * 0.8)
            continue
        record["rounds"].append({"round": number, "delay_s": round(delay, 3),
                                 "progress": progress, "checks": len(report["checks"])})
        print(f"round {number:2}: killed after {delay:7.3f} s, {len(report['checks'])} checks ok"
              f"{'   ' + progress if progress else ''}", flush=True)
    expected = sum(1 for _ in folder.iterdir())
    extra = [*options.add_args.split(), *(["--mirror"] if options.watch else [])]
    record["finish"] = finish(base, folder, extra, expected)
    return record


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--polyrag", default=shutil.which("polyrag") or "polyrag")
    parser.add_argument("--corpus", type=Path, default=DEMO)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--generated", type=int, default=12, help="how many files to generate")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--window", type=float, default=0.0,
                        help="longest delay in seconds; default: as long as a whole add takes")
    parser.add_argument("--watch", action="store_true", help="kill `watch` instead of `add`")
    parser.add_argument("--add-args", default="", help="more arguments for `add` or `watch`")
    parser.add_argument("--out", type=Path, help="where the JSON record goes")
    parser.add_argument("--keep", action="store_true", help="keep the work folder on failure")
    return parser.parse_args()


def main() -> int:
    """Runs the whole test; returns the exit code."""
    options = arguments()
    work = Path(tempfile.mkdtemp(prefix="polyrag-kill9-"))
    failed = True
    try:
        record = rounds(options, work, random.Random(options.seed))
        failed = False
    except Failure as failure:
        print(f"FAILED (seed {options.seed}): {failure}", file=sys.stderr)
        record = {"seed": options.seed, "failure": str(failure)}
    finally:
        if not (failed and options.keep):
            shutil.rmtree(work, ignore_errors=True)
        else:
            print(f"kept: {work}", file=sys.stderr)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n",
                               encoding="utf-8")
    if not failed:
        print(f"{options.rounds} kills, no disagreement; final add: {record['finish']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
