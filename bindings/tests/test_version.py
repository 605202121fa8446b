"""The module as far as it goes today: it imports and reports its version."""

import re
from pathlib import Path

import polyrag


def test_version_is_that_of_the_workspace():
    manifest = (Path(__file__).parents[2] / "Cargo.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "([^"]+)"', manifest, re.MULTILINE).group(1)
    assert polyrag.__version__ == version


def test_the_module_says_what_it_is():
    assert "questions" in polyrag.__doc__
