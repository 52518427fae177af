"""Which files a walk leaves out: those that git does not list, and no more without a word."""

import re
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.repositories import git

from quipu.read import FileEntry, LeftOut, walk
from quipu.records.document import Problem

PLACES = ("", "pkg", "pkg/keep", "pkg/drop", "a/b", "a/b/c", "sp ace", "Ärger")
NAMES = (
    "a.md",
    "b.md",
    "log.md",
    "UPPER.md",
    "lit[1].md",
    "#hash.md",
    "!bang.md",
    "x y.md",
    "ü.md",
)
PARTS = (
    *("a", "b", "pkg", "keep", "drop", "log.md", "upper.md", "UPPER.md", "ü.md", "Ärger", "x y.md"),
    *("*", "**", "*.md", "l*g.*", "?.md", "[ab].md", "[!a].md", "[a-c]*", "[[:upper:]]*"),
    *("\\#hash.md", "\\!bang.md", "lit\\[1\\].md", "#hash.md", "sp\\ ace", "sp ace", "x y.md  "),
)
PATTERN = st.builds(
    lambda bang, lead, parts, end: bang + lead + "/".join(parts) + end,
    st.sampled_from(("", "", "!")),
    st.sampled_from(("", "", "/", "**/")),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=3),
    st.sampled_from(("", "", "/", "/**", "/*", "\r")),
)
RULES = st.lists(PATTERN, max_size=5).map("\n".join)
# What pathspec, which stands in for git where there is none, reads in another way.
NOT_PATHSPEC = re.compile(r"\?|\[!|\[\[:|\*\*/$|\*\*/?\r|[^/*!]\*\*|\*\*[^/\r\n]|  $")


def listed_by_git(folder: Path) -> set[str]:
    found = git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return {path for path in found.split("\0") if path}


def found(folder: Path) -> set[str]:
    return {e.path for e in walk(folder, history=False) if isinstance(e, FileEntry)}


def plant(folder: Path, rules: dict[str, str]) -> None:
    for place in PLACES:
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / place / name).write_text("x\n")
    for place, text in rules.items():
        (folder / place / ".gitignore").write_text(text, newline="")


@settings(max_examples=40, deadline=None)
@given(
    rules=st.dictionaries(st.sampled_from(PLACES), RULES, max_size=3),
    exclude=RULES,
    tracked=st.sets(st.sampled_from([f"{p}/{n}".lstrip("/") for p in PLACES for n in NAMES])),
)
def test_a_walk_finds_what_git_lists(
    rules: dict[str, str], exclude: str, tracked: set[str]
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        plant(folder, rules)
        git(folder, "init", "-q")
        (folder / ".git/info").mkdir(exist_ok=True)
        (folder / ".git/info/exclude").write_text(exclude, newline="")
        if tracked:
            git(folder, "--literal-pathspecs", "add", "-f", "--", *sorted(tracked))
        assert found(folder) == listed_by_git(folder)
        inside = {p.removeprefix("pkg/") for p in found(folder) if p.startswith("pkg/")}
        assert not inside or found(folder / "pkg") == inside


@settings(max_examples=40, deadline=None)
@given(rules=st.dictionaries(st.sampled_from(PLACES), RULES, max_size=3))
def test_without_a_repository_the_ignore_files_mean_the_same(rules: dict[str, str]) -> None:
    rules = {
        place: "\n".join(line for line in text.split("\n") if not NOT_PATHSPEC.search(line))
        for place, text in rules.items()
    }
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        plant(folder, rules)
        git(folder, "init", "-q")
        expected = listed_by_git(folder)
        shutil.rmtree(folder / ".git")
        assert found(folder) == expected


def test_what_a_user_never_wants_listed_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    plant(folder, {})
    git(folder, "init", "-q")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config/git").mkdir(parents=True)
    (tmp_path / "config/git/ignore").write_text("log.md\n")
    assert "pkg/log.md" not in found(folder)
    (tmp_path / "config/git/config").write_text(f"[core]\nexcludesFile = {tmp_path}/mine\n")
    (tmp_path / "mine").write_text("a.md\n")
    assert "pkg/log.md" in found(folder)
    assert "pkg/a.md" not in found(folder)


def test_what_git_does_not_leave_out_is_told(tmp_path: Path) -> None:
    plant(tmp_path, {"": "pkg/\n"})
    git(tmp_path, "init", "-q")
    for name in ("uv.lock", "p.png", ".cache/x.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".quipuignore").write_text("/a/\n!pkg/\n/pkg/drop/\n")
    told = {e.path: e.pattern for e in walk(tmp_path) if isinstance(e, LeftOut)}
    assert told == {
        ".cache": ".*/",
        "a": "/a/",
        "p.png": "*.png",
        "pkg/drop": "/pkg/drop/",
        "uv.lock": "*.lock",
    }
    assert "pkg/keep/a.md" in found(tmp_path)


@pytest.mark.parametrize(
    ("lines", "path", "is_out"),
    [
        (["*.log", "!a.log"], "a.log", False),
        (["!a.log", "*.log"], "a.log", True),
        (["build/"], "build", False),
        (["build/"], "deep/build/x", True),
        (["/build"], "deep/build", False),
        (["#b"], "#b", False),
        (["\\#b"], "#b", True),
        (["foo/**", "!foo/a"], "foo/a", False),
        (["[", "a[", "x\\", "[z-", "*.log"], "a.log", True),
        (["[", "a[", "x\\", "[z-"], "a[", False),
    ],
)
def test_the_last_pattern_of_our_own_file_decides(
    tmp_path: Path, lines: list[str], path: str, is_out: bool
) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("x")
    (tmp_path / ".quipuignore").write_text("\n".join(lines))
    assert (path not in found(tmp_path)) is is_out


@pytest.mark.parametrize("pattern", ["*a" * 60 + "*b", "?*" * 40 + "b", "**/a/" * 40 + "b"])
def test_a_pattern_that_would_take_too_long_is_told(tmp_path: Path, pattern: str) -> None:
    (tmp_path / ("a" * 250)).write_text("x")
    (tmp_path / ".quipuignore").write_text(f"{pattern}\n")
    (problem,) = [p for p in walk(tmp_path) if isinstance(p, Problem)]
    assert problem.path == ".quipuignore"
    assert "more stars" in problem.error
    assert "a" * 250 in found(tmp_path)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00[", b"[" * 2_000_000, b"*.log\n\x80\n", b"\0\n*.log"]
)
def test_rules_of_any_bytes_cost_only_themselves(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".quipuignore").write_bytes(data)
    (tmp_path / "a.md").write_text("x")
    assert "a.md" in found(tmp_path)
