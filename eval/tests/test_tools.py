"""The tools, from the command line, against a stand-in that keeps the contract."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EVAL = Path(__file__).resolve().parents[1]
CORPUS = EVAL.parent / "demo" / "corpus"


@pytest.fixture
def fake(tmp_path):
    script = tmp_path / "polyrag"
    script.write_text(f"#!/bin/sh\nexec {sys.executable} {EVAL}/tests/fake_polyrag.py \"$@\"\n")
    script.chmod(0o755)
    return script


def tool(name, *arguments, **environment):
    return subprocess.run([sys.executable, str(EVAL / name), *map(str, arguments)],
                          capture_output=True, encoding="utf-8", check=False,
                          env={**os.environ, **environment})


def part(route, retrieved=(), rows=()):
    return {"question": "", "route": route, "stage": "margin", "scores": {route: 0.5},
            "margin": 0.1, "retrieved": list(retrieved), "sql": None, "rows": list(rows),
            "row_count": len(rows)}


def hit(rank, text, location=""):
    return {"rank": rank, "store": "graph", "document": "a.md", "location": location,
            "score": 0.5, "text": text}


def test_reference_scores_and_reports(fake, tmp_path):
    golden = tmp_path / "golden.jsonl"
    questions = [
        {"question": "q1", "routes": ["relational"], "relevant": [], "facts": ["1.234"]},
        {"question": "q2", "routes": ["vectorial"], "relevant": ["Recife"], "facts": ["Recife"]},
        {"question": "q3", "routes": ["graph"], "relevant": ["Norma X", "Atlas"], "facts": ["X"]},
        {"question": "q4", "routes": [], "relevant": [], "facts": [], "absent": True},
    ]
    golden.write_text("\n".join(json.dumps(q) for q in questions))
    answers = {
        "q1": {"answer": "São 1234,00", "routes": ["relational"], "abstained": False,
               "parts": [part("relational", rows=[[1234]])]},
        "q2": {"answer": "Olinda", "routes": ["graph"], "abstained": False,
               "parts": [part("graph", [hit(1, "nada"), hit(2, "o centro de RECIFE")])]},
        "q3": {"answer": "Norma X", "routes": ["graph"], "abstained": False,
               "parts": [part("graph", [hit(1, "texto", "Norma X"), hit(6, "Atlas")])]},
        "q4": {"answer": "não está nos arquivos", "routes": ["vector"], "abstained": True,
               "parts": [part("vector")]},
    }
    (tmp_path / "answers").write_text(json.dumps(answers))
    out = tmp_path / "out.json"
    done = tool("reference.py", "--polyrag", fake, "--corpus", CORPUS, "--golden", golden,
                "--out", out, FAKE_ANSWERS=str(tmp_path / "answers"))
    assert done.returncode == 0, done.stderr
    summary = json.loads(out.read_text())["summary"]
    assert summary["routing"]["passed"] == 2 and summary["routing"]["total"] == 3
    assert summary["recall@1"] == 0.25
    assert summary["recall@5"] == 0.75
    assert summary["mrr"] == 0.75
    assert summary["empty"]["passed"] == 0 and summary["empty"]["total"] == 2
    assert summary["facts_all_questions"]["passed"] == 2
    assert summary["abstained_when_absent"]["passed"] == 1
    assert "route: graph, expected vector" in done.stdout
    assert "the evidence holds it, the answer does not say ['Recife']" in done.stdout
    assert "not in the top 5: ['Atlas']" in done.stdout


def test_reference_requirements_set_the_exit_code(fake, tmp_path):
    golden = tmp_path / "golden.jsonl"
    golden.write_text(json.dumps({"question": "q", "routes": ["graph"], "facts": ["x"]}))
    (tmp_path / "answers").write_text(json.dumps(
        {"q": {"answer": "y", "routes": ["graph"], "parts": [part("graph")]}}))
    run = ["--polyrag", fake, "--corpus", CORPUS, "--golden", golden]
    environment = {"FAKE_ANSWERS": str(tmp_path / "answers")}
    assert tool("reference.py", *run, "--require", "routing=1.0", **environment).returncode == 0
    failed = tool("reference.py", *run, "--require", "facts_all_questions=0.5", **environment)
    assert failed.returncode == 1 and "facts_all_questions is 0.0" in failed.stderr


def test_reference_names_the_bad_line(fake, tmp_path):
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"question": "q"}\n{"question":')
    done = tool("reference.py", "--polyrag", fake, "--corpus", CORPUS, "--golden", golden)
    assert done.returncode == 1 and "golden.jsonl:2" in done.stderr


def test_kill9_passes_a_sound_program(fake):
    done = tool("kill9.py", "--polyrag", fake, "--rounds", 6, "--seed", 7, FAKE_STEP="0.02")
    assert done.returncode == 0, done.stderr
    assert "seed 7" in done.stdout and "6 kills, no disagreement" in done.stdout


def test_kill9_catches_a_torn_write(fake):
    done = tool("kill9.py", "--polyrag", fake, "--rounds", 20, "--seed", 7, FAKE_STEP="0.02",
                FAKE_FAULT="torn")
    assert done.returncode == 1 and "doctor: exit 1" in done.stderr


def test_measure_start_reports_and_limits(fake, tmp_path):
    done = tool("measure_start.py", "--polyrag", fake, "--data", tmp_path / "d", "--runs", 2)
    assert done.returncode == 0 and "within" in done.stdout, done.stderr
    done = tool("measure_start.py", "--polyrag", fake, "--data", tmp_path / "d", "--runs", 1,
                "--limit-mb", 1)
    assert done.returncode == 1 and "OVER" in done.stdout


def demo_answers():
    questions = (EVAL.parent / "demo" / "questions.jsonl").read_text(encoding="utf-8")
    for line in questions.splitlines():
        entry = json.loads(line)
        expect = entry["expect"]
        facts = [f if isinstance(f, str) else f[0] for f in expect["facts"]]
        yield {"id": entry["id"], "answer": "; ".join(facts), "routes": expect["routes"],
               "abstained": expect.get("abstained", False),
               "cache": {"hit": expect.get("cache_hit", False)}}


def check_demo(answers):
    return subprocess.run([sys.executable, str(EVAL / "check_demo.py")], encoding="utf-8",
                          input="".join(json.dumps(a) + "\n" for a in answers),
                          capture_output=True, check=False)


def test_check_demo_accepts_what_is_expected_and_names_what_is_not():
    answers = list(demo_answers())
    assert check_demo(answers).returncode == 0
    answers[0]["answer"] = "2.129.224,41"
    answers[8]["cache"]["hit"] = False
    done = check_demo(answers[:-1])
    assert done.returncode == 1
    assert "d01 DIFFERS" in done.stdout and "cache hit False, expected True" in done.stdout
    assert "no answer line" in done.stdout


def test_setup_remembers_a_failed_check(tmp_path):
    script = """
        source ./setup.sh help >/dev/null
        CACHE=$1 failed=()
        check wrong bash -c 'exit 3'
        check right true
        printf '%s' "${failed[*]}"
    """
    done = subprocess.run(["bash", "-c", script, "bash", str(tmp_path)], cwd=EVAL.parent,
                          capture_output=True, text=True, check=False)
    assert done.stdout == "wrong", done.stderr
