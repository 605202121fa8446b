#!/usr/bin/env python3
"""Measures the loaders on real files: cells against truth tables, words against truth texts.

    python3 eval/documents.py --reader READ_FILES --documents DIR [--password WORD ...] [--json OUT]

READ_FILES is the built example `read_files` (or another program whose `--json` prints the same
lines), DIR the folder of documents with `truth/NAME.csv` (a table of file NAME), `truth/NAME.txt`
(its text), `truth/NAME.box.csv` (its lines, after eight coordinates) or `truth/NAME.json` (forms
with `words`). Each truth is compared with the file of that name; passwords are tried on files
that ask for one. Prints a line a file and the means as JSON.

- Cell F1: cells as a multiset of normalised texts (numbers by value, dates and truth values by
  meaning), header included where the truth has one.
- Word recall and precision: words as multisets, letters and digits only, case folded.
"""

from __future__ import annotations

import argparse
import collections
import csv
import json
import re
import subprocess
import unicodedata
from pathlib import Path
from typing import Any

TRUE, FALSE = {"true", "yes", "sim", "1"}, {"false", "no", "não", "0"}
EMPTY = {"", "-", "null", "nil", "none", "n/a", "nan"}


def normal_cell(cell: str) -> str:
    """Returns a cell's meaning: a number's value, a date's day, a text without case and spacing."""
    text = unicodedata.normalize("NFC", " ".join(cell.split())).casefold()
    if text in EMPTY:
        return ""
    if text in TRUE - {"1"}:
        return "true"
    if text in FALSE - {"0"}:
        return "false"
    percent = text.endswith("%")
    try:
        value = float(text.rstrip("% "))
    except ValueError:
        return re.sub(r"^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d(?::\d\d)?)$", r"\1 \2", text)
    return f"{value:.10g}" + ("%" if percent else "")


def words(text: str) -> list[str]:
    """Returns the words of a text: runs of letters and digits, case folded."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def overlap(found: list[str], truth: list[str]) -> dict[str, float]:
    """Compares two multisets: precision, recall and F1."""
    left, right = collections.Counter(found), collections.Counter(truth)
    common = sum((left & right).values())
    precision = common / max(len(found), 1)
    recall = common / max(len(truth), 1)
    total = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / total if total else 0.0}


def written(cell: str, column: dict[str, Any]) -> str:
    """Returns a cell as the file has it: truth values as words, a percent with its sign."""
    if column.get("kind") == "boolean":
        return {"1": "true", "0": "false"}.get(cell, cell)
    return cell + "%" if cell and column.get("unit") == "%" else cell


def table_cells(line: dict[str, Any], header: bool) -> list[str]:
    """Returns all cells of a file's tables; empty ones say nothing."""
    cells: list[str] = []
    for table in line.get("tables", []):
        if header:
            cells += [column["header"] for column in table["columns"]]
        for row in table["cells"]:
            cells += [written(cell, column) for cell, column in zip(row, table["columns"])]
    return [cell for cell in map(normal_cell, cells) if cell]


def text_words(line: dict[str, Any]) -> list[str]:
    """Returns the words of a file: its texts, and its tables where there is no text."""
    texts = [text["text"] for text in line.get("texts", [])]
    if not texts:
        texts = [" ".join(row) for table in line.get("tables", []) for row in table["cells"]]
    return words(" ".join(texts))


def truth_words(path: Path) -> list[str]:
    """Returns the words of a truth file, whatever its format."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return words(" ".join(",".join(line.split(",")[8:]) for line in text.splitlines()))
    if path.suffix == ".json":
        form = json.loads(text)
        blocks = form.get("form", []) if isinstance(form, dict) else []
        return words(" ".join(word["text"] for block in blocks for word in block.get("words", [])))
    return words(text)


def compare(line: dict[str, Any], truths: list[Path]) -> dict[str, Any]:
    """Compares a file with its truths."""
    scores: dict[str, Any] = {}
    for truth in truths:
        if truth.name.endswith(".key.json"):
            continue
        if truth.suffix == ".csv" and not truth.name.endswith(".box.csv"):
            with open(truth, encoding="utf-8", newline="") as handle:
                rows = list(csv.reader(handle))
            header = bool(rows) and not any(re.fullmatch(r"[\d.,%-]+", cell) for cell in rows[0] if cell)
            cells = [cell for row in rows for cell in map(normal_cell, row) if cell]
            scores["cells"] = overlap(table_cells(line, header), cells)
        else:
            scores["words"] = overlap(text_words(line), truth_words(truth))
    return scores


def read(reader: str, paths: list[Path], password: str | None = None) -> list[dict[str, Any]]:
    """Reads files and returns their lines."""
    extra = ["--password", password] if password else []
    done = subprocess.run([reader, "--json", *extra, *map(str, paths)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main() -> None:
    """Reads every file, compares those with truths, prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--password", action="append", default=[])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    truth_folder = options.documents / "truth"
    files = sorted(path for path in options.documents.rglob("*")
                   if path.is_file() and truth_folder not in path.parents and path.name != "MANIFEST.tsv")
    lines = read(options.reader, files)
    for index, line in enumerate(lines):
        for password in options.password:
            if line["status"] == "refused" and "password" in line["error"]:
                line = read(options.reader, [Path(line["path"])], password)[0]
        lines[index] = line
    report: dict[str, Any] = {"files": {}}
    for line in lines:
        path = Path(line["path"])
        truths = sorted(truth for truth in truth_folder.glob(f"{path.stem}.*") if truth.is_file())
        scores = compare(line, truths) if line["status"] == "read" else {}
        report["files"][path.name] = {
            "status": line["status"], "kind": line.get("kind"), "error": line.get("error"),
            "ms": round(line["ms"], 1), "tables": len(line.get("tables", [])),
            "word_count": len(text_words(line)), "warnings": line.get("warnings", []), **scores,
        }
        shown = " ".join(f"{name} F1 {score['f1']:.3f} recall {score['recall']:.3f}" for name, score in scores.items())
        print(f"{line['status']:8}{path.name:42}{line['ms']:9.1f} ms  {shown or line.get('error') or ''}")
    for name in ("cells", "words"):
        found = [file[name] for file in report["files"].values() if name in file]
        if found:
            report[f"mean_{name}"] = {key: round(sum(one[key] for one in found) / len(found), 4)
                                      for key in ("precision", "recall", "f1")}
    report["read"] = sum(file["status"] == "read" for file in report["files"].values())
    report["refused"] = len(report["files"]) - report["read"]
    print(json.dumps({key: value for key, value in report.items() if key != "files"}))
    if options.json:
        options.json.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
