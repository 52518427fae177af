"""A test that a page names is there."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_NAMED = re.compile(r"(?<![\w/])(?:tests|bench|tools|src/quipu)/[\w./-]*\w(?:::(\w+))?")


def test_every_test_that_a_page_names_is_there() -> None:
    named = [(page, match) for page in _pages() for match in _NAMED.finditer(page.read_text())]
    assert len(named) > 20
    lacking = [
        f"{page.relative_to(ROOT)}: {match[0]}"
        for page, match in named
        if not _is_there(match[0].partition("::")[0], match[1])
    ]
    assert lacking == []


def test_every_promise_of_security_is_shown_by_a_test() -> None:
    promises = (
        (ROOT / "SECURITY.md").read_text("utf-8").partition("## Each promise and its test")[0]
    )
    table = (ROOT / "tests" / "security.md").read_text("utf-8")
    promised = [
        _plain(bullet) for bullet in re.findall(r"^- (.*(?:\n  .*)*)", promises, re.MULTILINE)
    ]
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", table, re.MULTILINE)[1:]
    lacking = [m[0] for m in _NAMED.finditer(table) if not _is_there(m[0].partition("::")[0], m[1])]
    assert lacking == []
    shown = [_plain(promise) for promise, tests in rows if _NAMED.search(tests)]
    assert len(shown) == len(rows) > 15
    assert [each for each in promised if not each.startswith(tuple(shown))] == []


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*`]", "", text).split())


def _pages() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            yield ROOT / name


def _is_there(path: str, test: str | None) -> bool:
    where = ROOT / path
    if test is None:
        return where.exists()
    return where.is_file() and f"def {test}(" in where.read_text("utf-8")
