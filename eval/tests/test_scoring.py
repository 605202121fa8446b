"""The figures of `scoring.py` on hand-computed answers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scoring import passages, score, summarise, wilson  # noqa: E402


def hit(rank, text, location="", document="a.md"):
    return {"rank": rank, "store": "vector", "document": document, "location": location,
            "text": text}


def answer(*parts, text="sim", **more):
    return {"answer": text, "routes": sorted({p["route"] for p in parts}), "parts": list(parts),
            **more}


def part(*hits, route="vector", rows=()):
    return {"route": route, "retrieved": list(hits), "rows": list(rows), "row_count": len(rows)}


def test_passages_of_several_parts_take_turns_by_rank():
    both = answer(part(hit(2, "b"), hit(1, "a")), part(hit(1, "c"), hit(2, "d")))
    assert [(rank, h["text"]) for rank, h in passages(both)] == [
        (1, "a"), (1, "c"), (2, "b"), (2, "d")]


@pytest.mark.parametrize(
    ("hits", "at_1", "at_5", "reciprocal"),
    [
        ([hit(1, "alfa beta")], 1.0, 1.0, 1.0),
        ([hit(1, "alfa"), hit(2, "beta")], 0.5, 1.0, 1.0),
        ([hit(1, "x"), hit(3, "ALFA"), hit(6, "beta")], 0.0, 0.5, 1 / 3),
        ([hit(1, "x"), hit(7, "beta")], 0.0, 0.0, 1 / 7),
        ([hit(1, "x", location="Alfa > Beta")], 1.0, 1.0, 1.0),
        ([hit(1, "x", document="alfa.md"), hit(5, "beta")], 0.5, 1.0, 1.0),
        ([], 0.0, 0.0, 0.0),
    ],
)
def test_recall_and_reciprocal_rank(hits, at_1, at_5, reciprocal):
    question = {"question": "q", "routes": ["vectorial"], "relevant": ["alfa", "beta"]}
    result = score(question, answer(part(*hits)))
    assert result["routing"] is True
    assert (result["recall@1"], result["recall@5"]) == (at_1, at_5)
    assert result["reciprocal_rank"] == pytest.approx(reciprocal)


def test_routing_compares_sets():
    question = {"question": "q", "routes": ["relational", "graph"], "parts": 2}
    two = answer(part(route="graph"), part(route="relational"))
    assert score(question, two)["routing"] is True and score(question, two)["split"] is True
    one = answer(part(route="graph"))
    assert score(question, one)["routing"] is False and score(question, one)["split"] is False


def test_facts_forbidden_words_and_abstaining():
    question = {"question": "q", "facts": [["doze", "twelve"]], "forbidden": ["treze"]}
    assert score(question, answer(part(), text="são 12 meses"))["right"]
    assert not score(question, answer(part(), text="12 ou 13 meses"))["right"]
    assert not score(question, answer(part(), text="muitos"))["right"]
    assert not score(question, answer(part(), text="12", error="broken"))["right"]
    absent = {"question": "q", "absent": True}
    assert score(absent, answer(part(), abstained=True))["right"]
    assert not score(absent, answer(part(), text="é azul"))["right"]


def test_an_answer_that_never_came_is_counted_as_an_error():
    question = {"question": "q", "routes": ["vector"], "relevant": ["alfa"], "facts": ["alfa"]}
    result = score(question, {"error": "no answer line"})
    summary = summarise([question], [result])
    assert summary["errors"] == 1 and summary["empty"]["passed"] == 1
    assert summary["routing"]["passed"] == 0 and summary["recall@5"] == 0.0


def test_empty_rates():
    questions = [
        {"question": "1", "routes": ["relational"]},
        {"question": "2", "routes": ["relational"]},
        {"question": "3", "routes": ["vector"], "relevant": ["alfa"]},
    ]
    answers = [answer(part(route="relational", rows=[[1]])), answer(part(route="relational")),
               answer(part())]
    summary = summarise(questions, [score(q, a) for q, a in zip(questions, answers)])
    assert (summary["empty_sql"]["passed"], summary["empty_sql"]["total"]) == (1, 2)
    assert (summary["empty"]["passed"], summary["empty"]["total"]) == (1, 1)


def test_wilson_interval_against_published_values():
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
