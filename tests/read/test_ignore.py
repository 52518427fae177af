"""Patterns of ignore files: git's meaning, and no time with a power of a name."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from quipu.read import FileEntry, walk
from quipu.read.ignore import Globs

NAMES = ("a", "b", "ab", "aab", "a.b", "abc", "a b", "x-y", "B", "1")
PIECES = (
    "a",
    "b",
    "ab",
    "*",
    "**",
    "****",
    "?",
    "/",
    "**/",
    "/**",
    "[ab]",
    "[!a]",
    "[a-c]",
    "\\*",
    "[[:alpha:]]",
    "[[:digit:]x]",
    "[b-a]",
    ".",
    "-",
    " ",
)
# Git before 2.41 compares the addresses of two strings to see whether such stars begin a part: what
# it makes of them depends on where the strings lie.
OF_NO_MEANING = re.compile(r"[^/*]\*\*+(?:/|$)")
PATHS = tuple(
    sorted({f"{a}/{b}/{c}" for a in NAMES[:4] for b in NAMES[3:7] for c in NAMES} | set(NAMES[4:]))
)


def left_out(pattern: str, path: str) -> bool:
    """Whether a walk would not come to `path`."""
    globs, parts = Globs([pattern]), path.split("/")
    places = ["/".join(parts[:n]) + "/" for n in range(1, len(parts))]
    return any(globs.verdict(place) for place in (*places, path))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def by_git(repository: Path, pattern: str) -> set[str]:
    (repository / ".gitignore").write_text(pattern + "\n")
    done = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(PATHS),
        capture_output=True,
        text=True,
        check=False,
    )
    return {path for path in done.stdout.split("\0") if path}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join))
def test_a_pattern_means_what_it_means_to_git(repository: Path, pattern: str) -> None:
    assume(not OF_NO_MEANING.search(pattern))
    assert {p for p in PATHS if left_out(pattern, p)} == by_git(repository, pattern)


@pytest.mark.parametrize(
    ("lines", "path", "verdict"),
    [
        (["*.log", "!a.log"], "a.log", False),
        (["!a.log", "*.log"], "a.log", True),
        (["*.log"], "a.md", None),
        (["build/"], "build", None),
        (["build/"], "deep/build/", True),
        (["/build"], "deep/build", None),
        (["\\!a", "\\#b"], "!a", True),
        (["#b"], "#b", None),
        (["a**/a"], "ab/a", True),
        (["a**/a"], "a/b/a", None),
        (["[", "a[", "x\\", "[z-"], "a[", None),
    ],
)
def test_the_last_pattern_that_speaks_decides(
    lines: list[str], path: str, verdict: bool | None
) -> None:
    assert Globs(lines).verdict(path) is verdict


@pytest.mark.parametrize(
    "pattern",
    ["*a*a*a*b", "*a" * 60 + "*b", "?*" * 40 + "b", "**/a/" * 40 + "b", "[a-z]*" * 30 + "B"],
)
def test_stars_take_time_with_the_length_of_a_path(pattern: str) -> None:
    # Tried one after another, the places of four stars in such a name are a hundred million.
    assert not Globs([pattern]).verdict("a" * 250)
    assert not Globs([pattern]).verdict("a/" * 1_500 + "a")


@pytest.mark.parametrize("stars", ["*a*a*a*a", "****", "*a" * 100])
def test_a_pattern_of_many_stars_leaves_out_what_it_matches(tmp_path: Path, stars: str) -> None:
    (tmp_path / ("a" * 200)).write_text("x")
    (tmp_path / "b.md").write_text("x")
    (tmp_path / ".quipuignore").write_text(f"{stars}\n!b.md\n")
    found = [e.path for e in walk(tmp_path) if isinstance(e, FileEntry)]
    assert [path for path in found if path != ".quipuignore"] == ["b.md"]


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00[", b"[" * 2_000_000, b"*.log\n\x80\n", b"\0\n*.log"]
)
def test_rules_of_any_bytes_cost_only_themselves(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".quipuignore").write_bytes(data)
    (tmp_path / "a.md").write_text("x")
    assert "a.md" in [e.path for e in walk(tmp_path) if isinstance(e, FileEntry)]
