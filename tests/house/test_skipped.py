"""A run of the tests tells in one line what it had to leave out."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest
from tests.cannot import cannot

@pytest.mark.parametrize("n", range(3))
def test_the_page(n):
    cannot("there is no Chromium: install it")

def test_another():
    cannot("strace is not installed")

def test_nothing():
    pass
"""


def _run(folder: Path, **more: str) -> list[str]:
    (folder / "test_few.py").write_text(TESTS)
    words = ["-m", "pytest", "-q", "-p", "tests.cannot", "-p", "no:cacheprovider"]
    given = {name: value for name, value in os.environ.items() if name != "CI"} | more
    done = subprocess.run(
        [sys.executable, *words, "-c", os.devnull, "--rootdir", str(folder), str(folder)],
        cwd=ROOT,
        env=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.splitlines()


def test_what_is_missing_is_told_in_one_line(tmp_path: Path) -> None:
    assert (
        "Tests skipped for what is missing here: 3 (there is no Chromium: install it); "
        "1 (strace is not installed)"
    ) in _run(tmp_path)[-2:]


def test_in_ci_nothing_is_skipped(tmp_path: Path) -> None:
    said = _run(tmp_path, CI="true")
    assert said[-1].startswith("4 failed, 1 passed")
