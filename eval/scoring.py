"""Scores answers of `polyrag ask --json` against a golden set. Pure functions.

A question of a set (one JSON object a line):

* `question`; optional `id`, `language`, `kind`;
* `routes`: expected routes, `vectorial` counts as `vector`; empty = the route is not scored;
* `relevant`: markers that a retrieved passage must contain;
* `facts`: what the answer must contain, a string or a list of which one is enough;
* `forbidden` (ours): strings that the answer must not contain;
* `parts` (ours): how many parts a compound message has;
* `absent` (ours): true when the corpus does not hold the answer: right is to abstain.

Definitions:

* **Routing**: the set of routes of the answer equals the expected set.
* **Passages** of an answer: every part's `retrieved`, by `rank`, parts taking turns. A marker
  is looked for in a passage's `document`, `location` and `text` together, because a heading
  may stand in the location instead of the text.
* **recall@k** of a question: the fraction of its markers found in passages of rank <= k
  (within their part). The figure is the mean over questions that have markers.
* **MRR**: mean of 1/rank of the first passage that holds any marker; 0 when none does.
* **Empty rate**: questions with markers that retrieved no passage at all, over questions
  with markers. Also **empty SQL**: questions expected to be relational alone for which no
  part returned a row.
* **Facts**: a question passes when its answer holds every fact and no forbidden string. A
  question without facts passes when it got an answer. An `absent` one passes when the
  answer says `abstained`.
"""

from __future__ import annotations

import math
from typing import Any

from matching import contains_normalised, normalise

Question = dict[str, Any]
Answer = dict[str, Any]


def route_name(name: str) -> str:
    """Returns our name of a route; data sets call `vector` also `vectorial`."""
    return "vector" if name in ("vectorial", "vetorial") else name


def passages(answer: Answer) -> list[tuple[int, dict[str, Any]]]:
    """Returns `(rank, passage)` of all parts, by rank, then by part."""
    found: list[tuple[int, int, dict[str, Any]]] = []
    for part_number, part in enumerate(answer.get("parts") or []):
        for position, hit in enumerate(part.get("retrieved") or [], start=1):
            found.append((int(hit.get("rank") or position), part_number, hit))
    found.sort(key=lambda item: (item[0], item[1]))
    return [(rank, hit) for rank, _, hit in found]


def passage_text(hit: dict[str, Any]) -> str:
    """Returns what a marker is looked for in: document, location and text."""
    return " \n ".join(str(hit.get(key) or "") for key in ("document", "location", "text"))


def missing(normal_text: str, wanted: list[Any]) -> list[Any]:
    """Returns the entries of `wanted` that the normalised text lacks; a list is any-of."""
    absent = []
    for entry in wanted:
        options = [entry] if isinstance(entry, str) else entry
        if not any(contains_normalised(normal_text, option) for option in options):
            absent.append(entry)
    return absent


def score(question: Question, answer: Answer) -> dict[str, Any]:
    """Returns every figure of one question, with what was missing."""
    expected = sorted({route_name(route) for route in question.get("routes") or []})
    given = sorted({route_name(route) for route in answer.get("routes") or []})
    ranked = [(rank, normalise(passage_text(hit))) for rank, hit in passages(answer)]
    markers = question.get("relevant") or []
    first_seen: dict[int, int] = {}
    for index, marker in enumerate(markers):
        for rank, text in ranked:
            if not missing(text, [marker]):
                first_seen[index] = rank
                break
    text = normalise(str(answer.get("answer") or ""))
    parts = answer.get("parts") or []
    rows = sum(int(part.get("row_count") or len(part.get("rows") or [])) for part in parts)
    facts = question.get("facts") or []
    result: dict[str, Any] = {
        "routing": None if not expected else expected == given,
        "routes_expected": expected,
        "routes": given,
        "parts_expected": question.get("parts", 1),
        "parts": len(parts),
        "split": len(parts) == question.get("parts", 1),
        "recall@1": _recall(first_seen, markers, 1),
        "recall@5": _recall(first_seen, markers, 5),
        "reciprocal_rank": 1 / min(first_seen.values()) if first_seen else 0.0,
        "markers": len(markers),
        "markers_missed": [m for i, m in enumerate(markers) if first_seen.get(i, 99) > 5],
        "passages": len(ranked),
        "sql_rows": rows,
        "facts": len(facts),
        "facts_missed": missing(text, facts),
        "forbidden_found": [word for word in question.get("forbidden") or []
                            if not missing(text, [word])],
        "abstained": bool(answer.get("abstained")),
        "error": answer.get("error"),
    }
    result["right"] = _right(question, result, text)
    result["why"] = reasons(question, answer, result)
    return result


def _recall(first_seen: dict[int, int], markers: list[Any], k: int) -> float | None:
    if not markers:
        return None
    return sum(rank <= k for rank in first_seen.values()) / len(markers)


def _right(question: Question, result: dict[str, Any], text: str) -> bool:
    if result["error"]:
        return False
    if question.get("absent"):
        return result["abstained"]
    return bool(text) and not result["facts_missed"] and not result["forbidden_found"]


def evidence_text(answer: Answer) -> str:
    """Returns all that the answer could rest on: passages and rows."""
    pieces = [passage_text(hit) for _, hit in passages(answer)]
    for part in answer.get("parts") or []:
        pieces += [" ".join(str(cell) for cell in row) for row in part.get("rows") or []]
    return "\n".join(pieces)


def reasons(question: Question, answer: Answer, result: dict[str, Any]) -> list[str]:
    """Returns one sentence for everything that went wrong, the earliest stage first."""
    why = []
    if result["error"]:
        why.append(f"error: {result['error']}")
    if not result["split"]:
        why.append(f"split: {result['parts']} parts, expected {result['parts_expected']}")
    if result["routing"] is False:
        why.append(f"route: {'+'.join(result['routes']) or 'none'}, "
                   f"expected {'+'.join(result['routes_expected'])}")
    if result["markers_missed"]:
        why.append(f"retrieval: not in the top 5: {result['markers_missed']}")
    elif (result["recall@1"] or 0) == 0 and result["markers"]:
        why.append("ranking: no marker at rank 1")
    if result["routes_expected"] == ["relational"] and not result["sql_rows"]:
        why.append("sql: no row came back")
    if result["facts_missed"] and not question.get("absent"):
        held = not missing(normalise(evidence_text(answer)), result["facts_missed"])
        stage = "wording: the evidence holds it, the answer does not say" if held else \
            "evidence: neither passages nor rows hold"
        why.append(f"{stage} {result['facts_missed']}")
    if result["forbidden_found"]:
        why.append(f"answer says {result['forbidden_found']}")
    if question.get("absent") and not result["abstained"]:
        why.append("answered a question that the corpus does not answer")
    if not question.get("absent") and result["abstained"]:
        why.append("abstained although the corpus holds the answer")
    return why


def wilson(passed: int, total: int) -> tuple[float, float]:
    """Returns the 95% Wilson score interval of a proportion (Wilson 1927)."""
    if total == 0:
        return (0.0, 1.0)
    z, share = 1.959963984540054, passed / total
    centre = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


def _share(values: list[bool]) -> dict[str, Any]:
    passed = sum(values)
    low, high = wilson(passed, len(values))
    return {"passed": passed, "total": len(values),
            "share": round(passed / len(values), 4) if values else None,
            "interval95": [round(low, 4), round(high, 4)]}


def _mean(values: list[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def summarise(questions: list[Question], scores: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns the figures of a set from the scores of its questions."""
    pairs = list(zip(questions, scores))
    marked = [s for s in scores if s["markers"]]
    relational = [s for s in scores if s["routes_expected"] == ["relational"]]
    return {
        "questions": len(scores),
        "routing": _share([s["routing"] for s in scores if s["routing"] is not None]),
        "split": _share([s["split"] for s in scores]),
        "recall@1": _mean([s["recall@1"] for s in marked]),
        "recall@5": _mean([s["recall@5"] for s in marked]),
        "mrr": _mean([s["reciprocal_rank"] for s in marked]),
        "empty": _share([s["passages"] == 0 for s in marked]),
        "empty_sql": _share([s["sql_rows"] == 0 for s in relational]),
        "facts_all_questions": _share([s["right"] for q, s in pairs if not q.get("absent")]),
        "facts_questions_with_facts": _share(
            [s["right"] for q, s in pairs if s["facts"] and not q.get("absent")]),
        "abstained_when_absent": _share([s["right"] for q, s in pairs if q.get("absent")]),
        "abstained_wrongly": _share([s["abstained"] for q, s in pairs if not q.get("absent")]),
        "errors": sum(bool(s["error"]) for s in scores),
    }


def by_group(questions: list[Question], scores: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """Returns right answers per value of `key` (`kind`, `language`)."""
    groups: dict[str, list[bool]] = {}
    for question, result in zip(questions, scores):
        groups.setdefault(str(question.get(key, "-")), []).append(result["right"])
    return {name: _share(values) for name, values in sorted(groups.items())}
