"""The built module imports and says which version it is."""

import re
from pathlib import Path

import polyrag


def test_reports_the_workspace_version():
    manifest = (Path(__file__).parents[2] / "Cargo.toml").read_text(encoding="utf-8")
    assert polyrag.__version__ == re.search(r'^version = "(.+)"$', manifest, re.MULTILINE).group(1)
