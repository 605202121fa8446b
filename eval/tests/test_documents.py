"""Cells and words are compared by meaning, as multisets."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import documents  # noqa: E402


def test_cells_are_compared_by_meaning():
    for left, right in [("1.50", "1.5"), ("True", "yes"), ("null", ""), ("2015-01-02T10:00:00", "2015-01-02 10:00:00"),
                        ("11.69%", "11.690 %"), ("São  José", "são josé")]:
        assert documents.normal_cell(left) == documents.normal_cell(right), (left, right)
    for left, right in [("1", "1%"), ("1.5", "15"), ("007", "abc"), ("no", "nó")]:
        assert documents.normal_cell(left) != documents.normal_cell(right), (left, right)


def test_overlap_counts_repeats():
    assert documents.overlap(["a", "b"], ["a", "a", "b", "c"]) == {"precision": 1.0, "recall": 0.5, "f1": 2 / 3}
    assert documents.overlap([], ["a"])["f1"] == 0.0


def test_truths_of_every_format(tmp_path):
    line = {"texts": [{"text": "Total 60.30 Obrigado"}], "tables": []}
    boxes = tmp_path / "a.box.csv"
    boxes.write_text("1,2,3,4,5,6,7,8,TOTAL, 60.30\n", encoding="utf-8")
    form = tmp_path / "a.json"
    form.write_text(json.dumps({"form": [{"words": [{"text": "Obrigado!"}]}]}), encoding="utf-8")
    assert documents.compare(line, [boxes])["words"]["recall"] == 1.0
    assert documents.compare(line, [form])["words"]["recall"] == 1.0
    table = tmp_path / "t.csv"
    table.write_text("nome,n\nAna,1.0\nBia,\n", encoding="utf-8")
    line = {"tables": [{"columns": [{"header": "nome"}, {"header": "n"}], "cells": [["Ana", "1"], ["Bia", ""]]}]}
    assert documents.compare(line, [table])["cells"]["f1"] == 1.0


def test_the_report_reads_and_refuses(tmp_path, monkeypatch, capsys):
    script = tmp_path / "reader"
    script.write_text(f"#!{sys.executable}\n" + "\n".join([
        "import json, sys",
        "for path in sys.argv[2:]:",
        "    if 'bad' in path:",
        "        print(json.dumps({'path': path, 'ms': 1, 'status': 'refused', 'error': 'empty'}))",
        "    else:",
        "        print(json.dumps({'path': path, 'ms': 1, 'status': 'read', 'kind': 'x', 'tables': [],",
        "                          'texts': [{'text': 'um dois'}]}))",
    ]), encoding="utf-8")
    script.chmod(0o755)
    folder = tmp_path / "documents"
    (folder / "truth").mkdir(parents=True)
    for name in ("a.txt", "bad.txt", "truth/a.txt"):
        (folder / name).write_text("um dois três", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["documents.py", "--reader", str(script), "--documents", str(folder)])
    documents.main()
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (last["read"], last["refused"]) == (1, 1)
    assert last["mean_words"]["recall"] == 0.6667
