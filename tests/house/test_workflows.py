"""The workflows are what their linter accepts, and test what the project says it supports."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINTER = Path(sys.executable).with_name("check-jsonschema")


def _lint(path: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [LINTER, "--builtin-schema", "vendor.github-workflows", path],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_what_its_linter_accepts(path: Path) -> None:
    done = _lint(path)
    assert done.returncode == 0, done.stdout


def test_every_supported_python_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [each.rpartition(" :: ")[2] for each in project["classifiers"]]
    supported = [each for each in named if re.fullmatch(r"3\.\d+", each)]
    matrix = re.search(r"python: \[(.*)\]", (WORKFLOWS[0]).read_text("utf-8"))
    assert WORKFLOWS[0].name == "ci.yml"
    assert matrix is not None
    assert re.findall(r"3\.\d+", matrix[1]) == supported
