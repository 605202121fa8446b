#!/usr/bin/env python3
"""Measures text-to-SQL: execution accuracy, wrong when answered, abstained, errors.

    eval/text2sql.py DATA --polyrag BIN            every database added to a store of its own, asked by `sql --batch`
    eval/text2sql.py DATA --results FILE.jsonl     scores lines that were made elsewhere (examples/text2sql.rs)
    eval/text2sql.py DATA --write-questions FILE   the question lines alone, for that example

DATA holds `questions.jsonl` ({"id","db","en","pt","gold_sql"}) and `databases/DB.sqlite`. A question is right when
its rows are the gold query's rows as a multiset (in order where the gold orders), columns in the gold's order.
Hardness is by the parts of the gold query, as the Spider benchmark counts them. Intervals are Wilson's, 95%.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time


def hardness(sql):
    """easy, medium, hard or extra by the counts of Spider's evaluation (its three component groups)."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "x", sql).lower()
    nested = len(re.findall(r"\(\s*select\b", text)) + len(re.findall(r"\b(?:union|intersect|except)\b", text))
    outer = re.split(r"\b(?:union|intersect|except)\b", text)[0]
    one = sum(bool(re.search(p, outer)) for p in (r"\bwhere\b", r"\bgroup by\b", r"\border by\b", r"\blimit\b"))
    one += len(re.findall(r"\bjoin\b", outer)) + len(re.findall(r"\bor\b", outer)) + len(re.findall(r"\blike\b", outer))
    select = re.search(r"\bselect\b(.*?)\bfrom\b", outer, re.S)
    others = int(len(re.findall(r"\b(?:count|sum|avg|min|max)\s*\(", outer)) > 1)
    others += int(bool(select) and "," in select.group(1))
    where = re.search(r"\bwhere\b(.*?)(?:\bgroup by\b|\border by\b|$)", outer, re.S)
    others += int(bool(where) and len(re.findall(r"\b(?:and|or)\b", where.group(1))) > 0)
    group = re.search(r"\bgroup by\b(.*?)(?:\bhaving\b|\border by\b|$)", outer, re.S)
    others += int(bool(group) and "," in group.group(1))
    if one <= 1 and others == 0 and nested == 0:
        return "easy"
    if (others <= 2 and one <= 1 and nested == 0) or (one <= 2 and others < 2 and nested == 0):
        return "medium"
    if (others > 2 and one <= 2 and nested == 0) or (2 < one <= 3 and others <= 2 and nested == 0) or (
        one <= 1 and others == 0 and nested <= 1
    ):
        return "hard"
    return "extra"


def cell(value):
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return round(float(value), 6)
    return value


def key(row):
    return tuple((value is None, isinstance(value, str), str(value)) for value in row)


def same_rows(found, gold, ordered):
    found = [tuple(map(cell, row)) for row in found]
    gold = [tuple(map(cell, row)) for row in gold]
    return found == gold if ordered else sorted(found, key=key) == sorted(gold, key=key)


def gold_rows(data, db, sql):
    connection = sqlite3.connect(f"file:{data / 'databases' / (db + '.sqlite')}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def wilson(right, total, z=1.96):
    if total == 0:
        return (0.0, 0.0)
    share, spread = right / total, z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return (round(centre - half, 3), round(centre + half, 3))


def lines_of(data, languages, sample, seed):
    questions = [json.loads(line) for line in (data / "questions.jsonl").open(encoding="utf-8")]
    random.Random(seed).shuffle(questions)
    if sample:
        questions = questions[:sample]
    for question in questions:
        for language in languages:
            yield {
                "id": f"{question['id']}-{language}",
                "db": question["db"],
                "language": language,
                "question": question[language],
                "gold_sql": question["gold_sql"],
            }


def ask(binary, data, lines, settings):
    by_database = collections.defaultdict(list)
    for line in lines:
        by_database[line["db"]].append(line)
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "config.toml"
        config.write_text("[sql]\n" + "\n".join(settings) + "\n", encoding="utf-8")
        for database, questions in sorted(by_database.items()):
            store = pathlib.Path(folder) / database
            base = [binary, "--data", str(store), "--config", str(config), "--json"]
            source = data / "databases" / f"{database}.sqlite"
            subprocess.run([*base, "add", str(source)], check=True, stdout=subprocess.DEVNULL)
            text = "".join(json.dumps({"id": q["id"], "question": q["question"]}) + "\n" for q in questions)
            done = subprocess.run([*base, "sql", "--batch"], input=text, text=True, stdout=subprocess.PIPE, check=True)
            answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
            for question in questions:
                answer = answers.get(question["id"], {})
                part = (answer.get("parts") or [answer])[0]
                yield question | {name: part.get(name) for name in ("sql", "columns", "rows", "abstained", "attempts", "usage")}


def verdict(data, line):
    gold = gold_rows(data, line["db"], line["gold_sql"])
    if line.get("rows") is None:
        return "error" if is_engine_error(line) else "abstained"
    ordered = bool(re.search(r"\border by\b", line["gold_sql"], re.I))
    return "right" if same_rows(line["rows"], gold, ordered) else "wrong"


def is_engine_error(line):
    """Both tries failed in SQLite, in contrast to being set aside for a smell."""
    problems = [attempt.get("problem") or "" for attempt in line.get("attempts") or []]
    return bool(problems) and bool(re.search(r"no such|syntax|near |ambiguous|misuse|incomplete|not allowed", problems[-1]))


def figures(verdicts):
    counts = collections.Counter(verdicts)
    total, answered = len(verdicts), counts["right"] + counts["wrong"]
    return {
        "questions": total,
        "accuracy": round(counts["right"] / total, 4) if total else None,
        "interval": wilson(counts["right"], total),
        "wrong_when_answered": round(counts["wrong"] / answered, 4) if answered else None,
        "abstained": counts["abstained"],
        "errors": counts["error"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--polyrag", help="the executable")
    parser.add_argument("--results", type=pathlib.Path, help="score these lines instead of asking")
    parser.add_argument("--write-questions", type=pathlib.Path)
    parser.add_argument("--languages", default="en,pt")
    parser.add_argument("--sample", type=int, default=0, help="this many questions, drawn over all databases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-grammar", action="store_true")
    parser.add_argument("--no-links", action="store_true")
    parser.add_argument("--no-repair", action="store_true")
    parser.add_argument("--no-examples", action="store_true")
    parser.add_argument("--misses", action="store_true", help="print what was not right to standard error")
    parser.add_argument("--output", type=pathlib.Path, help="write every line with its verdict here")
    options = parser.parse_args()
    lines = list(lines_of(options.data, options.languages.split(","), options.sample, options.seed))
    if options.write_questions:
        options.write_questions.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return 0
    started = time.time()
    if options.results:
        lines = [json.loads(line) for line in options.results.open(encoding="utf-8")]
    elif options.polyrag:
        settings = [
            text
            for on, text in [
                (options.no_grammar, "grammar = false"),
                (options.no_links, "value_links = false"),
                (options.no_repair, "repairs = 0"),
                (options.no_examples, "examples = false"),
            ]
            if on
        ]
        lines = list(ask(options.polyrag, options.data, lines, settings))
    else:
        parser.error("one of --polyrag, --results, --write-questions")
    groups = collections.defaultdict(list)
    for line in lines:
        line["verdict"], line["hardness"] = verdict(options.data, line), hardness(line["gold_sql"])
        for group in ("all", line["language"], f"{line['language']} {line['hardness']}", f"db {line['db']}"):
            groups[group].append(line["verdict"])
        if options.misses and line["verdict"] != "right":
            print(f"{line['verdict']} {line['id']} {line['question']}\n  gold {line['gold_sql']}\n  ours {line['sql']}", file=sys.stderr)
            for attempt in line.get("attempts") or []:
                if attempt.get("problem"):
                    print(f"  problem {attempt['problem']}: {attempt['sql']}", file=sys.stderr)
    if options.output:
        options.output.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    report = {group: figures(verdicts) for group, verdicts in sorted(groups.items())}
    model_ms = [line["usage"]["model_ms"] for line in lines if line.get("usage") and "model_ms" in line["usage"]]
    if model_ms:
        report["model_ms_per_question"] = round(sum(model_ms) / len(model_ms), 1)
    if options.polyrag:
        report["questions_per_minute"] = round(60 * len(lines) / max(time.time() - started, 1e-9), 1)
    print(json.dumps(report, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
