"""Which files are left out: what git leaves out, then `.quipuignore` at every level, then a short
list of what is never worth reading, folders whose names begin with a dot among them (but those that
hold what people write, or credentials, which are told).

In a git work tree git itself says what it lists (`git ls-files --cached --others
--exclude-standard`): tracked files, and untracked ones that no ignore file of it names. Elsewhere,
and where there is no git, `.gitignore` is read by pathspec. `.quipuignore` has the last word: the
innermost that speaks of a path decides, `!` takes back what git or the list leaves out. Each path
is asked for by itself, from the top down: what lies in a folder that is left out is never asked
for.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

import ahocorasick_rs
import msgspec
from msgspec import Meta
from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from quipu.errors import InvalidInput, MissingExtra
from quipu.limits import LARGEST_TEXT_FILE, LONGEST_NAME
from quipu.read.git_program import Git, opened_git
from quipu.tables import read_table

__all__ = [
    "IgnoreRules",
    "costly_patterns",
    "credential_files",
    "credential_kind",
    "is_never_read",
    "is_virtual_environment",
    "rules_above",
]


class CredentialFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the file: what such files hold, and patterns of their paths, in lower case."""

    of: str
    names: Annotated[tuple[str, ...], Meta(min_length=1)]


@cache
def credential_files() -> tuple[CredentialFile, ...]:
    """The rows that ship with Quipu."""
    return msgspec.convert(
        read_table("quipu.read", "rules", "credential_files.toml")["file"],
        tuple[CredentialFile, ...],
    )


def credential_kind(path: str) -> str | None:
    """What a file with this path (slashes) is known to hold, or None for any other file."""
    lowered = path.lower().encode("utf-8", "replace").decode()  # a name need not be UTF-8
    if not _literals().find_matches_as_indexes(lowered):  # by far the most
        return None
    return next((of for of, spec in _specs() if spec.match_file(lowered)), None)


@cache
def _literals() -> ahocorasick_rs.AhoCorasick:
    """The longest literal part of each pattern: a path with none of them matches none."""
    names = [name for row in credential_files() for name in row.names if name[0] != "!"]
    return ahocorasick_rs.AhoCorasick(
        sorted({max(re.split(r"[*?/]+", name), key=len) for name in names})
    )


@cache
def _specs() -> tuple[tuple[str, GitIgnoreSpec], ...]:
    return tuple((row.of, GitIgnoreSpec.from_lines(row.names)) for row in credential_files())


_MOST_STARS = 4  # a regular expression takes time with their power of a name's length
_STARS = re.compile(r"\*+")
_FOLDER_SLASH = "ps_d"  # pathspec's name for it
_NEVER = frozenset({".git", ".hg", ".svn", ".quipu"})
_READ_DOT_FOLDERS = frozenset(
    """.github .gitlab .circleci .devcontainer .vscode .storybook .changeset .well-known
    .claude .cursor .codex .agents .gemini .windsurf .aider .continue .memory .config .ssh
    .aws .azure .docker .gnupg .kube""".split()
)
_DOT_FOLDERS = ".*/"


class _Pattern(NamedTuple):
    """A pattern as it is written, with its `!`, and pathspec's expression of what it matches."""

    written: str
    expression: re.Pattern[str]

    def matches(self, path: str) -> bool:
        """Whether it matches `path` itself, where the expression matches what is below a folder
        too; one without the group of a folder's slash is of what is below alone."""
        if _FOLDER_SLASH not in self.expression.groupindex:
            return self.expression.search(path.rstrip("/")) is not None
        found = self.expression.search(path)
        if found is None:
            return False
        return found.end() == len(path) or (found[0] == "/" and path.endswith("/"))


class _Layer(NamedTuple):
    """The patterns of one file, and the path of its folder from the top."""

    base: str
    patterns: tuple[_Pattern, ...]


@dataclass(frozen=True, slots=True)
class _Listing:
    """What git lists below the folder `base`: paths from there, and every folder above one."""

    base: str
    paths: frozenset[str]
    is_case_folded: bool

    def holds(self, path: str) -> bool:
        if len(path) <= len(self.base):
            return True
        inside = path[len(self.base) + 1 :] if self.base else path
        return _as_git_compares(inside, self.is_case_folded) in self.paths


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in a folder; layers are outermost first.

    Paths are relative to the top: the git work tree, or the root where there is none. `listing` is
    what git lists, None where it was not asked and `git_layers` are read in its place.
    """

    own_layers: tuple[_Layer, ...] = ()
    git_layers: tuple[_Layer, ...] = ()
    listing: _Listing | None = None

    def left_out_by(self, path: str, *, folder: bool) -> str | None:
        """The pattern that leaves out `path` (relative, slashes), "" where git leaves it out, None
        for what is to be read."""
        shown = f"{path}/" if folder else path
        said = _verdict(self.own_layers, shown)
        if said is not None:
            return None if said.startswith("!") else said
        if self.listing is not None:
            is_out = not self.listing.holds(path)
        else:
            said = _verdict(self.git_layers, shown)
            is_out = said is not None and not said.startswith("!")
        return "" if is_out else _left_out_by_default(shown)

    def takes_back(self, path: str) -> bool:
        """Whether a `!` of a `.quipuignore` speaks of the file `path` itself, whatever it is."""
        return (_verdict(self.own_layers, path) or "").startswith("!")

    def within(self, folder: Path, base: str) -> "IgnoreRules":
        """The rules in force inside `folder`, whose path from the top is `base`."""
        rules = self
        if base and os.path.lexists(folder / ".git"):  # a repository of its own
            rules = replace(rules, listing=_listing(folder, base), git_layers=())
        elif self.listing is not None and not self.listing.holds(base):  # taken back from git
            rules = replace(rules, listing=None, git_layers=())
        own = _layer(folder, ".quipuignore", base)
        theirs = _layer(folder, ".gitignore", base) if rules.listing is None else ()
        if not own and not theirs:
            return rules
        return replace(
            rules, own_layers=rules.own_layers + own, git_layers=rules.git_layers + theirs
        )


def is_never_read(name: str) -> bool:
    """Whether a folder of this name is skipped whatever any file says."""
    return name in _NEVER


def is_virtual_environment(folder: Path) -> bool:
    """Whether `folder` is a Python environment."""
    return os.path.exists(folder / "pyvenv.cfg")  # noqa: PTH110 - which raises for long paths


def rules_above(root: Path, work_tree: Path | None) -> tuple[IgnoreRules, str | None]:
    """The rules in force at `root`: those of the git work tree it lies in, or none.

    Also the prefix that makes a path below `root` one below the work tree, which is what the
    rules speak of; None when no work tree counts, because there is none or because its own
    rules leave `root` out: naming a folder means wanting it.
    """
    if work_tree is None:
        return IgnoreRules(), None
    prefix = root.relative_to(work_tree).as_posix().removeprefix(".")
    listing = _listing(root, prefix)
    rules = IgnoreRules(listing=listing)
    if listing is None:
        rules = replace(rules, git_layers=_layer(work_tree / ".git" / "info", "exclude", ""))
    folder, base = work_tree, ""
    for part in Path(prefix).parts:
        rules = rules.within(folder, base)
        folder, base = folder / part, f"{base}/{part}".lstrip("/")
        if rules.left_out_by(base, folder=True) is not None:
            wanted = listing and replace(listing, base="")
            return IgnoreRules(listing=wanted), None
    return rules, prefix


def costly_patterns(folder: Path) -> list[tuple[str, str]]:
    """The lines of the ignore files in `folder` that are too costly to match, each with its
    file's name: they are passed over."""
    names = (".gitignore", ".quipuignore")
    return [(name, line) for name in names for line in _lines(folder / name) if _is_costly(line)]


def _verdict(layers: Sequence[_Layer], shown: str) -> str | None:
    """The pattern that speaks last of a path, with its `!`; the innermost layer that knows it."""
    for base, patterns in reversed(layers):
        said = _matched(patterns, shown[len(base) + 1 :] if base else shown)
        if said is not None:
            return said
    return None


def _matched(patterns: Sequence[_Pattern], path: str) -> str | None:
    """The last pattern that matches `path` itself; what is below a folder is asked for alone."""
    return next((each.written for each in reversed(patterns) if each.matches(path)), None)


def _left_out_by_default(shown: str) -> str | None:
    if shown.endswith("/"):
        name = shown[shown.rfind("/", 0, -1) + 1 : -1]
        if name.startswith(".") and name not in _READ_DOT_FOLDERS:
            return _DOT_FOLDERS
    return _matched(_defaults(), shown)


@cache
def _defaults() -> tuple[_Pattern, ...]:
    """What is never worth reading: `rules/never_worth_reading.gitignore`."""
    text = files("quipu.read").joinpath("rules", "never_worth_reading.gitignore").read_text("utf-8")
    return _patterns(text.splitlines())


def _layer(folder: Path, name: str, base: str) -> tuple[_Layer, ...]:
    patterns = _patterns(line for line in _lines(folder / name) if not _is_costly(line))
    return (_Layer(base, patterns),) if patterns else ()


def _patterns(lines: Iterable[str]) -> tuple[_Pattern, ...]:
    """The lines that are patterns; others are passed over, as git does."""
    found: list[_Pattern] = []
    for line in lines:
        try:
            expression, _ = GitIgnoreSpecPattern.pattern_to_regex(line)
            if expression is not None:
                found.append(_Pattern(line.strip(), re.compile(expression)))
        except (ValueError, re.error):
            continue
    return tuple(found)


def _is_costly(line: str) -> bool:
    return len(line) > LONGEST_NAME or len(_STARS.findall(line)) > _MOST_STARS


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file():  # a pipe would be waited for
            return []
        with path.open("rb") as stream:
            text = stream.read(LARGEST_TEXT_FILE).decode("utf-8-sig", "replace")
    except OSError:
        return []
    return text.split("\n")


def _listing(folder: Path, base: str) -> _Listing | None:
    """What git lists below `folder`; None where it cannot say, or leaves out `folder` itself."""
    try:
        with opened_git(folder) as git:
            if git.top is None or (folder != git.top and _ignores(git, folder)):
                return None
            chosen = ["-c", f"core.excludesFile={git.excludes_of_user() or os.devnull}"]
            listed = git.run(
                *chosen, "ls-files", "--cached", "--others", "--exclude-standard", "-z"
            )
            is_folded = git.run("config", "--type=bool", "--default=false", "core.ignorecase")
    except (InvalidInput, MissingExtra):
        return None
    is_case_folded = is_folded.strip() == "true"
    names = (_as_git_compares(name.rstrip("/"), is_case_folded) for name in listed.split("\0"))
    return _Listing(base, frozenset(_with_folders(names)), is_case_folded)


def _ignores(git: Git, folder: Path) -> bool:
    try:
        git.run("check-ignore", "--quiet", "--", str(folder))
    except InvalidInput:
        return False
    return True


def _as_git_compares(path: str, is_case_folded: bool) -> str:
    """A path as it is the same for git and for the file system, whatever spells its accents."""
    if not path.isascii():
        path = unicodedata.normalize("NFC", path)
    return path.casefold() if is_case_folded else path


def _with_folders(names: Iterable[str]) -> set[str]:
    """The names that are not empty, and the folders above them."""
    found: set[str] = set()
    for name in names:
        above = name
        while above and above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return found
