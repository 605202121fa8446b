#!/usr/bin/env python3
"""A stand-in that keeps the command-line contract, so that the tools in `eval/` are tested.

It stores nothing but names and hashes, in one file. `FAKE_FAULT=torn` makes `add` write it in
two steps, so that a kill between them leaves what `doctor` must report; `FAKE_STEP` is the
seconds that one document takes.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path


def load(path):
    return json.loads(path.read_text()) if path.exists() else {}


def store(path, value):
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(value))
    os.replace(temporary, path)


def add(data, folder):
    state, documents = load(data / "state") or {"catalog": {}, "index": {}}, []
    catalog, index = state["catalog"], state["index"]
    for path in sorted(Path(folder).iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        known = catalog.get(path.name)
        status = "unchanged" if known == digest else "updated" if known else "added"
        if status != "unchanged":
            catalog[path.name] = digest
            if os.environ.get("FAKE_FAULT") == "torn":
                store(data / "state", state)
            time.sleep(float(os.environ.get("FAKE_STEP", "0.01")))
            index[path.name] = digest
            store(data / "state", state)
            sys.stderr.write(f"\r{path.name}")
        documents.append({"path": str(path), "status": status, "error": None, "chunks": 1})
    print(json.dumps({"documents": documents, "seconds": 0.0}))
    return 0


def doctor(data):
    state = load(data / "state") or {"catalog": {}, "index": {}}
    catalog, index = state["catalog"], state["index"]
    ok = all(index.get(name) == digest for name, digest in catalog.items())
    print(json.dumps({"ok": ok, "checks": [{"name": "index", "ok": ok, "detail": ""}]}))
    return 0 if ok else 1


def answer(entry):
    canned = load(Path(os.environ["FAKE_ANSWERS"]))
    return {"id": entry["id"], "question": entry["question"], **canned[entry["question"]]}


def main():
    arguments = sys.argv[1:]
    data = Path(arguments[arguments.index("--data") + 1])
    data.mkdir(parents=True, exist_ok=True)
    if "add" in arguments:
        return add(data, arguments[arguments.index("add") + 1])
    if "doctor" in arguments:
        return doctor(data)
    if "--batch" in arguments:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
        return 0
    if "--json" in arguments:
        print(json.dumps({"answer": "ok", "timings": {"first_token_ms": 5}}))
    else:
        print("ok", flush=True)
    return 0


sys.exit(main())
