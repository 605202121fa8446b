"""The question sets agree with the demo corpus and with `figures.py`."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "eval"))
from figures import figures, fleet  # noqa: E402
from matching import contains_normalised, matches, normalise  # noqa: E402

SETS = sorted(path for path in (ROOT / "eval" / "sets").glob("*.jsonl")
              if not path.stem.startswith("followups"))
DEMO = ROOT / "demo" / "questions.jsonl"


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


@pytest.fixture(scope="module")
def corpus():
    files = [p for p in (ROOT / "demo" / "corpus").iterdir() if p.suffix in (".md", ".txt", ".csv")]
    return {path.name: normalise(path.read_text(encoding="utf-8")) for path in files}


def test_sizes_and_languages():
    sets = {path.stem: read(path) for path in SETS}
    assert len(sets["golden"]) == 60 and len(sets["heldout"]) == 60
    both = sets["compound"] + sets["compound_heldout"]
    assert sum(entry["kind"] == "compound" for entry in both) == 30
    assert len(sets["spanish"]) == len(sets["spanish_heldout"]) == 10
    for name, entries in sets.items():
        languages = {entry["language"] for entry in entries}
        assert languages == {"es"} if name.startswith("spanish") else languages >= {"pt", "en"}


def test_no_question_occurs_twice():
    seen = {}
    for path in SETS:
        for entry in read(path):
            key = normalise(entry["question"])
            assert key not in seen, f"{entry['id']} repeats {seen[key]}"
            seen[key] = entry["id"]


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_every_figure_comes_from_the_csv_files(path):
    known = json.loads(json.dumps(figures(), default=str))
    for entry in read(path):
        if "figure" in entry:
            value = known
            for key in entry["figure"]:
                value = value[key]
            assert normalise(str(value)) == normalise(entry["facts"][0]), entry["id"]


@pytest.mark.parametrize("path", [p for p in SETS if p.stem != "formats"],
                         ids=lambda path: path.stem)
def test_every_marker_stands_in_exactly_one_file(path, corpus):
    for entry in read(path):
        for marker in entry["relevant"]:
            holders = [name for name, text in corpus.items() if contains_normalised(text, marker)]
            assert len(holders) == 1, (entry["id"], marker, holders)


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_routes_and_kinds_are_known(path):
    for entry in read(path):
        assert set(entry["routes"]) <= {"relational", "vector", "graph"}, entry["id"]
        assert bool(entry["routes"]) != bool(entry.get("absent")), entry["id"]
        assert entry["routes"] == sorted(entry["routes"]), entry["id"]


def test_sums_and_differences_that_no_figure_names():
    sold = figures()["sales"]
    total, region = sold["receita"]["total"], sold["receita by regiao"]
    month, product = sold["receita by mes"], sold["receita by produto"]
    units = sold["unidades by produto"]
    for path, identifier, value in (
        ("golden", "g21", total - region["Sudeste"]),
        ("heldout", "h12", month["março"] - month["fevereiro"]),
        ("heldout", "h13", region["Norte"] + region["Nordeste"]),
        ("heldout", "h22", total - product["Entrega Expressa"]),
        ("spanish", "es08", total - product["Entrega Expressa"]),
        ("compound", "c13", region["Norte"] + region["Sul"]),
        ("compound_heldout", "d13", units["Armazenagem"] + units["Frete Rodoviário"]),
    ):
        entries = {entry["id"]: entry for entry in read(ROOT / "eval" / "sets" / f"{path}.jsonl")}
        assert matches(entries[identifier]["facts"][0], str(value)), identifier


def test_superlatives_and_counts():
    """The facts that are a name or a count, against the rows."""
    sold, trucks = figures()["sales"], fleet()

    def first(name, order=max):
        return order(sold[name], key=sold[name].get)

    by_revenue = sorted(sold["receita by regiao"], key=sold["receita by regiao"].get, reverse=True)
    north = {k: v for k, v in sold["receita by mes, regiao"].items() if k.endswith("/ Norte")}
    plate = {"best": max(trucks, key=lambda t: t["consumo_km_l"])["placa"],
             "worst": min(trucks, key=lambda t: t["consumo_km_l"])["placa"],
             "parado": [t["placa"] for t in trucks if t["situacao"] == "parado"][0],
             "fewest": min(trucks, key=lambda t: t["quilometragem"])["placa"]}
    facts = {}
    for path in SETS:
        facts.update({entry["id"]: entry["facts"] for entry in read(path)})
    assert sum(t["ano"] < 2020 for t in trucks) == 3, "d17"
    assert sum(t["quilometragem"] for t in trucks) == 4867410, "d18"
    for identifier, value in (
        ("g07", first("unidades by regiao", min)),
        ("g08", by_revenue[0]),
        ("g09", first("receita by produto")),
        ("g10", first("unidades by produto")),
        ("g13", max(north, key=north.get).split(" / ")[0]),
        ("g17", plate["best"]),
        ("g22", sum(t["situacao"] != "em operação" for t in trucks)),
        ("g23", sum(t["ano"] >= 2023 for t in trucks)),
        ("h08", first("receita by mes", min)),
        ("h09", by_revenue[1]),
        ("h16", plate["parado"]),
        ("h17", plate["worst"]),
        ("h21", sum(t["quilometragem"] < 100000 for t in trucks)),
        ("h23", sum(t["base"] != "Jundiaí" for t in trucks)),
        ("c06", by_revenue[-1]),
        ("d04", plate["fewest"]),
        ("d10", first("receita by mes")),
        ("d20", first("receita by mes", min)),
        ("es02", sum(t["base"] == "Recife" for t in trucks)),
        ("eh02", sold["unidades"]["total"]),
        ("d12", first("unidades by regiao", min)),
    ):
        options = facts[identifier][0]
        options = [options] if isinstance(options, str) else options
        assert normalise(str(value)) in [normalise(option) for option in options], identifier
    assert facts["h14"] == by_revenue


def test_chains_cross_files_that_do_not_name_each_other(corpus):
    for name in corpus:
        stem = Path(name).stem.replace("_", " ")
        for other, text in corpus.items():
            assert stem not in text and name not in text, (other, name)
    systems, policies = corpus["dependencias_sistemas.md"], corpus["politicas_compras.md"]
    norms = corpus["normas_retencao.md"]
    assert "politica" not in systems and "norma" not in systems
    assert "sistema" not in policies and "sistema" not in norms


@pytest.mark.skipif(not DEMO.exists(), reason="no demo script yet")
def test_demo_questions_have_the_fixed_shape():
    entries = read(DEMO)
    assert len({entry["id"] for entry in entries}) == len(entries)
    for entry in entries:
        assert set(entry) == {"id", "question", "language", "expect"}
        assert entry["language"] in ("pt", "en")
        assert set(entry["expect"]["routes"]) <= {"relational", "vector", "graph"}
        assert isinstance(entry["expect"]["facts"], list)
    assert any(entry["expect"].get("cache_hit") for entry in entries)
    assert any(entry["expect"].get("abstained") for entry in entries)
