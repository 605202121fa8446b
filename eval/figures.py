"""Computes the expected figures of the demo corpus with plain Python.

Reads the two CSV files of `demo/corpus` with the `csv` module and `Decimal`, never with
PolyRAG, so that the figures in `eval/sets` and `demo/questions.jsonl` rest on independent
arithmetic. `python3 eval/figures.py` prints every figure as JSON.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "demo" / "corpus"


def sales(corpus: Path = CORPUS) -> list[dict]:
    """Returns the rows of the sales table, units as `int` and revenue as `Decimal`."""
    with open(corpus / "vendas_2026_q1.csv", encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        row["unidades"] = int(row["unidades"])
        row["receita"] = Decimal(row["receita"])
    return rows


def fleet(corpus: Path = CORPUS) -> list[dict]:
    """Returns the rows of the fleet table (`;` between cells, comma before decimals)."""
    with open(corpus / "frota_2026.csv", encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter=";"))
    for row in rows:
        row["ano"] = int(row["ano"])
        row["quilometragem"] = int(row["quilometragem"])
        row["consumo_km_l"] = Decimal(row["consumo_km_l"].replace(",", "."))
    return rows


def totals(rows: list[dict], value: str, *keys: str) -> dict[str, Decimal]:
    """Sums column `value` for every combination of the columns `keys`, joined by ` / `."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        sums[" / ".join(row[key] for key in keys) or "total"] += Decimal(row[value])
    return dict(sums)


def figures(corpus: Path = CORPUS) -> dict:
    """Returns every figure that the question sets rest on."""
    sold, vehicles = sales(corpus), fleet(corpus)
    result: dict = {"sales": {"rows": len(sold)}, "fleet": {"rows": len(vehicles)}}
    for value in ("unidades", "receita"):
        for keys in ((), ("mes",), ("regiao",), ("produto",), ("mes", "regiao"),
                     ("mes", "produto"), ("regiao", "produto"), ("mes", "regiao", "produto")):
            name = value + (" by " + ", ".join(keys) if keys else "")
            result["sales"][name] = totals(sold, value, *keys)
    result["sales"]["average monthly revenue"] = totals(sold, "receita")["total"] / 3
    for key in ("base", "situacao", "ano", "modelo"):
        count: dict[str, int] = defaultdict(int)
        for row in vehicles:
            count[str(row[key])] += 1
        result["fleet"]["vehicles by " + key] = dict(count)
    result["fleet"]["kilometres"] = totals(vehicles, "quilometragem")
    result["fleet"]["kilometres by base"] = totals(vehicles, "quilometragem", "base")
    result["fleet"]["average consumption"] = (
        totals(vehicles, "consumo_km_l")["total"] / len(vehicles))
    for limit in (100000, 500000):
        result["fleet"][f"over {limit} km"] = sum(r["quilometragem"] > limit for r in vehicles)
    for limit in (2020, 2022):
        result["fleet"][f"made before {limit}"] = sum(r["ano"] < limit for r in vehicles)
    order = sorted(vehicles, key=lambda row: row["quilometragem"])
    result["fleet"]["fewest kilometres"] = order[0]["placa"]
    result["fleet"]["most kilometres"] = order[-1]["placa"]
    best = max(vehicles, key=lambda row: row["consumo_km_l"])
    worst = min(vehicles, key=lambda row: row["consumo_km_l"])
    result["fleet"]["best consumption"] = [best["placa"], best["consumo_km_l"]]
    result["fleet"]["worst consumption"] = [worst["placa"], worst["consumo_km_l"]]
    return result


if __name__ == "__main__":
    json.dump(figures(), sys.stdout, ensure_ascii=False, indent=1, default=str)
    sys.stdout.write("\n")
