#!/usr/bin/env python3
"""Times the loaders beside well-known readers of the same formats, in one run on one machine.

    python3 benches/readers.py --reader READ_FILES [--rows 1000000] [--repeat 3] [--folder DIR] [--json OUT]

READ_FILES is the example `read_files`, built with `--release`. Files are made here from a fixed
seed. Ours reads and types every cell (inference over all rows, roll-up rows, batches in Arrow);
DuckDB's `read_csv` and pandas' `read_csv` type columns too, openpyxl and pandas read XLSX, and
python-docx reads DOCX. What is not installed is said and left out. Every reader runs in a process
of its own, interleaved; the median of its wall times and its peak resident memory are reported.
DuckDB is held to one thread, as our loader is, unless `--threads` says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

CITIES = ["São Paulo", "Recife", "Porto Alegre", "Manaus", "Belém", "Curitiba", "Fortaleza", "Natal"]

READERS = {
    "duckdb csv": "import duckdb\nc = duckdb.connect(config={{'threads': {threads}}})\n"
                  "c.execute(\"create table t as select * from read_csv('{path}', sample_size=-1)\")\n"
                  "print(c.execute('select count(*) from t').fetchone()[0])",
    "pandas csv": "import pandas as p\nprint(len(p.read_csv('{path}')))",
    "pandas xlsx": "import pandas as p\nprint(len(p.read_excel('{path}')))",
    "openpyxl xlsx": "import openpyxl as o\n"
                     "print(sum(1 for _ in o.load_workbook('{path}', read_only=True).active.iter_rows(values_only=True)) - 1)",
    "python-docx docx": "import docx\nd = docx.Document('{path}')\n"
                        "print(sum(len(p.text.split()) for p in d.paragraphs)"
                        " + sum(len(c.text.split()) for t in d.tables for r in t.rows for c in r.cells))",
    "beautifulsoup html": "import bs4\nprint(len(bs4.BeautifulSoup(open('{path}'), 'html.parser').get_text(' ').split()))",
    "pyarrow parquet": "import pyarrow.parquet as q\nprint(q.read_table('{path}').num_rows)",
}


def rows(count: int):
    """Yields the rows of the test table: codes, names, dates, decimals, counts and words."""
    random.seed(7)
    for number in range(count):
        day = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}"
        yield [f"{number:08}", random.choice(CITIES), day, f"{random.uniform(1, 9999):.2f}",
               str(random.randrange(500)), f"pedido {number % 9973} entregue no prazo combinado com o cliente",
               "sim" if number % 3 else "não"]


HEADER = ["codigo", "cidade", "data", "valor", "quantidade", "observacao", "pago"]


def write_csv(path: Path, count: int) -> None:
    """Writes the table as CSV."""
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(",".join(HEADER) + "\n")
        for row in rows(count):
            handle.write(",".join(row) + "\n")


def write_xlsx(path: Path, count: int) -> None:
    """Writes the table as XLSX: inline strings, plain numbers."""
    def sheet():
        yield '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        for index, row in enumerate([HEADER, *rows(count)], 1):
            cells = []
            for letter, cell in zip("ABCDEFG", row):
                if index > 1 and letter in "DE":
                    cells.append(f'<c r="{letter}{index}"><v>{cell}</v></c>')
                else:
                    cells.append(f'<c r="{letter}{index}" t="inlineStr"><is><t>{cell}</t></is></c>')
            yield f'<row r="{index}">{"".join(cells)}</row>'
        yield "</sheetData></worksheet>"

    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", (
            f'<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
            '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'))
        archive.writestr("_rels/.rels", (f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
                                         f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>'))
        archive.writestr("xl/workbook.xml", (
            '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
            f'xmlns:r="{office}"><sheets><sheet name="P" sheetId="1" r:id="s1"/></sheets></workbook>'))
        archive.writestr("xl/_rels/workbook.xml.rels", (
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="s1" Type="{office}/worksheet" '
            'Target="worksheets/sheet1.xml"/></Relationships>'))
        with archive.open("xl/worksheets/sheet1.xml", "w") as part:
            for piece in sheet():
                part.write(piece.encode())


def write_docx(path: Path, count: int) -> None:
    """Writes a report with python-docx: headings, paragraphs, a table each section."""
    import docx

    document = docx.Document()
    for number, row in enumerate(rows(count)):
        if number % 50 == 0:
            document.add_heading(f"Seção {number // 50}", 1)
            table = document.add_table(rows=3, cols=3)
            for line in table.rows:
                for cell, words in zip(line.cells, row):
                    cell.text = words
        document.add_paragraph(" ".join(row))
    document.save(str(path))


def write_html(path: Path, count: int) -> None:
    """Writes a page of sections and a table."""
    with open(path, "w", encoding="utf-8") as handle:
        handle.write("<!doctype html><meta charset=utf-8><title>t</title><body>")
        for number, row in enumerate(rows(count)):
            if number % 50 == 0:
                handle.write(f"<h2>Seção {number // 50}</h2>")
            handle.write(f"<p>{' '.join(row)}</p>")
        handle.write("</body>")


def write_parquet(path: Path, source: Path) -> None:
    """Writes the CSV's table as Parquet with DuckDB."""
    import duckdb

    duckdb.sql(f"copy (select * from read_csv('{source}')) to '{path}' (format parquet, compression zstd)")


def timed(command: list[str]) -> tuple[float, float, str]:
    """Runs a command; returns seconds, peak resident MB and the last line of its output."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        output.seek(0)
        lines = output.read().decode(errors="replace").strip().splitlines()
    if process.returncode:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return seconds, usage.ru_maxrss / 1024, lines[-1] if lines else ""


def installed(code: str) -> bool:
    """Says whether the library a reader imports is there."""
    name = code.split()[1]
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0


def measure(options: argparse.Namespace, folder: Path) -> list[dict]:
    """Makes the files, runs every reader and returns a record each."""
    files: dict[str, Path] = {kind: folder / f"bench.{kind}" for kind in ("csv", "xlsx", "docx", "html", "parquet")}
    write_csv(files["csv"], options.rows)
    write_xlsx(files["xlsx"], options.rows // 10)
    write_html(files["html"], options.rows // 20)
    for kind, write in (("docx", lambda: write_docx(files["docx"], options.rows // 200)),
                        ("parquet", lambda: write_parquet(files["parquet"], files["csv"]))):
        try:
            write()
        except ImportError as error:
            print(f"no {kind}: {error}", file=sys.stderr)
            del files[kind]
    records = []
    for kind, path in files.items():
        commands = {"polyrag": [options.reader, str(path)]}
        for name, code in READERS.items():
            if not name.endswith(" " + kind):
                continue
            if installed(code):
                commands[name.split()[0]] = [sys.executable, "-c", code.format(path=path, threads=options.threads)]
            else:
                print(f"not installed: {name}", file=sys.stderr)
        runs: dict[str, list[tuple[float, float, str]]] = {name: [] for name in commands}
        for _ in range(options.repeat):
            for name, command in commands.items():
                runs[name].append(timed(command))
        size = path.stat().st_size
        for name, found in runs.items():
            seconds = statistics.median(run[0] for run in found)
            memory = max(run[1] for run in found)
            records.append({"format": kind, "reader": name, "bytes": size, "seconds": round(seconds, 3),
                            "mb_per_s": round(size / 1e6 / seconds, 1), "peak_mb": round(memory), "said": found[-1][2].strip()})
            print(f"{kind:8}{name:16}{seconds:9.3f} s {size / 1e6 / seconds:8.1f} MB/s {memory:8.0f} MB  {found[-1][2].strip()}")
    return records


def main() -> None:
    """Runs the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        records = measure(options, folder)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
