"""Finds the files under a root, in the order of their paths, with what git knows of them: their
blobs at HEAD and their last commits."""

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from pathspec import GitIgnoreSpec

from quipu.errors import InvalidInput, MissingExtra
from quipu.files.repository import repository_of
from quipu.limits import SHOWN_VALUE
from quipu.read.git_program import Git, opened_git
from quipu.read.ignore import (
    IgnoreRules,
    costly_patterns,
    credential_kind,
    is_never_read,
    is_virtual_environment,
    rules_above,
)
from quipu.read.source import DEFAULT_MAX_BYTES, CredentialEntry, FileEntry, LeftOut, escaped
from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME, from_epoch

_MOST_NAMED = 200
_OF_NO_NOTE = {"", "quipu.toml"}  # what git leaves out, and our own settings
_COSTLY = "holds a pattern of more stars than can be matched, which is passed over"
_COMMIT = re.compile(rb"\n*\x01[0-9a-f]{40,64} (-?\d{1,20})\n*")  # no file is called so


class _Committed(NamedTuple):
    """A tracked file at HEAD: its blob and, where history is there, its last commit's time."""

    blob: str
    at: str | None


def walk(
    root: Path,
    *,
    include: Sequence[str] = (),
    credentials: Sequence[str] = (),
    max_bytes: int = DEFAULT_MAX_BYTES,
    history: bool = True,
    only: Collection[Path] | None = None,
) -> Iterator[FileEntry | CredentialEntry | LeftOut | Problem]:
    """The files under `root` (or `root` itself, if it is a file), by path, and what is wrong.

    `include` (patterns as in .gitignore) keeps only what matches one. A file that exists to hold
    credentials is told and not taken, unless it is `root` or matches one of `credentials`; so is
    what `.quipuignore` and the product's own list leave out of what git lists. Links
    inside the root are followed to what was not found otherwise and is not ignored where it lies;
    a link that leaves it is a problem. A further work tree of a repository that is read already
    (`git worktree add`) is left out: it holds the same files again. Nothing is read but ignore
    files, and with `history` what git says of the files (`with_history` asks later, for some).
    With `only` (absolute) no other files are looked for: it takes the time of those. Raises
    InvalidInput when `root` does not exist.
    """
    try:
        real = root.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{str(root)!r} cannot be indexed: {error}") from error
    folder = real if real.is_dir() else real.parent
    work_tree = _work_tree_of(folder)
    rules, prefix = rules_above(folder, work_tree)
    finder = _Finder(
        root=folder,
        prefix=prefix or "",
        include=_patterns("include", include) if include else None,
        credentials=_patterns("credentials", credentials),
        max_bytes=max_bytes,
        in_git=prefix is not None,
        committed=_committed_files(folder) if history and prefix is not None else {},
        repositories=_read_with(folder),
        only=None if only is None else {each for file in only for each in (file, *file.parents)},
    )
    if real.is_dir():
        finder.enter(real, "", rules)
        finder.follow_links(rules)
    else:
        finder.take(real, real.name, named=True)
    yield from sorted(finder.found, key=_order)


def with_history(entries: Sequence[FileEntry], root: Path) -> list[FileEntry]:
    """The entries, found under `root` without their history, with what git says of them."""
    folder = root if root.is_dir() else root.parent
    paths = {
        entry.absolute: entry.absolute.relative_to(folder).as_posix()
        for entry in entries
        if entry.in_git and entry.absolute.is_relative_to(folder)
    }
    committed = _committed_files(folder, set(paths.values())) if paths else {}
    return [
        replace(entry, head_blob=known.blob, committed_at=known.at)
        if (known := committed.get(paths.get(entry.absolute, "")))
        else entry
        for entry in entries
    ]


def _patterns(name: str, patterns: Sequence[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise InvalidInput(
            f"{name}={list(patterns)!r} holds what is no pattern: {error}; write patterns as in "
            ".gitignore, such as '*.md'"
        ) from error


def _order(found: FileEntry | CredentialEntry | LeftOut | Problem) -> tuple[str, str]:
    return (found.path, found.error if isinstance(found, Problem) else "")


@dataclass(slots=True)
class _Finder:
    """Collects entries; `seen` holds the real paths that need not be visited again,
    `repositories` those of which a work tree is read."""

    root: Path
    prefix: str
    include: GitIgnoreSpec | None
    credentials: GitIgnoreSpec
    max_bytes: int
    in_git: bool
    committed: dict[str, _Committed]
    found: list[FileEntry | CredentialEntry | LeftOut | Problem] = field(
        default_factory=list["FileEntry | CredentialEntry | LeftOut | Problem"]
    )
    links: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    seen: set[Path] = field(default_factory=set[Path])
    repositories: set[Path] = field(default_factory=set[Path])
    only: set[Path] | None = None

    def enter(self, folder: Path, base: str, rules: IgnoreRules) -> None:
        """Everything in `folder`, whose path from the root is `base`; keeps its own stack."""
        stack = [(folder, base, rules)]
        while stack:
            folder, base, rules = stack.pop()
            self.seen.add(folder)
            rules = rules.within(folder, self._top(base))
            for file, line in costly_patterns(folder):
                self._problem(f"{base}/{file}".lstrip("/"), f"{_COSTLY}: {line[:SHOWN_VALUE]!r}")
            for item in self._children(folder, base):
                path = f"{base}/{item.name}" if base else item.name
                if is_never_read(item.name) or self._is_not_wanted(item):
                    continue
                linked = item.is_symlink()
                is_folder = item.is_dir(follow_symlinks=False)
                pattern = rules.left_out_by(self._top(path), folder=is_folder)
                if pattern is not None:
                    self._leave_out(Path(item.path), path, pattern, is_folder=is_folder)
                elif linked:
                    self.links.append((Path(item.path), path))
                elif not is_folder:
                    is_wanted = rules.takes_back(self._top(path))
                    self.take(Path(item.path), path, is_wanted=is_wanted)
                elif (why := self._known_otherwise(Path(item.path))) is not None:
                    self.found.append(LeftOut(path, why))
                else:
                    stack.append((Path(item.path), path, rules))

    def _leave_out(self, path: Path, shown: str, pattern: str, *, is_folder: bool) -> None:
        """Tell what is left out, but for what git leaves out, whose files nobody expects."""
        if is_folder and not os.access(path, os.R_OK | os.X_OK):
            self._problem(shown, "cannot be listed: Permission denied")
            return
        is_wanted = is_folder or self.include is None or self.include.match_file(shown)
        if is_wanted and pattern not in _OF_NO_NOTE:
            self.found.append(LeftOut(shown, pattern))

    def _is_not_wanted(self, item: os.DirEntry[str]) -> bool:
        return self.only is not None and Path(item.path) not in self.only

    def _top(self, path: str) -> str:
        return f"{self.prefix}/{path}".strip("/") if self.prefix else path

    def _children(self, folder: Path, base: str) -> Iterable[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as items:
                return sorted(items, key=lambda item: item.name)
        except OSError as error:
            self._problem(base or ".", f"cannot be listed: {error.strerror or error}")
            return ()

    def take(self, path: Path, shown: str, *, named: bool = False, is_wanted: bool = False) -> None:
        """A file: an entry, unless its size, kind or name forbids; one that was named by the
        caller may hold credentials. One that `is_wanted` is read whatever it looks like."""
        if self.include is not None and not self.include.match_file(shown):
            return
        of = (
            None
            if named or self.credentials.match_file(shown)
            else self._credential_kind(path, shown)
        )
        if of is not None:
            self.found.append(CredentialEntry(shown, of))
            return
        try:
            status = path.stat()
        except OSError as error:
            self._problem(shown, f"cannot be read: {error.strerror or error}")
            return
        self.seen.add(path)
        if not stat.S_ISREG(status.st_mode):
            self._problem(shown, "is no regular file")
        elif any("\udc80" <= c <= "\udcff" for c in shown):
            self._problem(shown, "has a name that is not UTF-8; rename it")
        elif status.st_size > self.max_bytes:
            self._problem(
                shown,
                f"has {status.st_size} bytes, more than the cap of {self.max_bytes}; raise "
                "max_bytes or list it in .quipuignore",
            )
        else:
            known = self.committed.get(shown)
            self.found.append(
                FileEntry(
                    path=shown,
                    absolute=path,
                    size=status.st_size,
                    mtime_ns=status.st_mtime_ns,
                    ctime_ns=status.st_ctime_ns,
                    inode=status.st_ino,
                    in_git=self.in_git,
                    head_blob=known.blob if known else None,
                    committed_at=known.at if known else None,
                    max_bytes=self.max_bytes,
                    is_wanted=named or is_wanted,
                )
            )

    def _credential_kind(self, path: Path, shown: str) -> str | None:
        """What a file of this name holds, also under the name that a link leads to."""
        inside = path.relative_to(self.root).as_posix()
        return credential_kind(self._top(shown)) or (
            credential_kind(inside) if inside != shown else None
        )

    def follow_links(self, rules: IgnoreRules) -> None:
        """Links, after everything else was found under its own path."""
        while self.links:
            waiting, self.links = sorted(self.links, key=lambda link: link[1]), []
            for link, shown in waiting:
                try:
                    target = link.resolve(strict=True)
                except (OSError, RuntimeError):
                    self._problem(shown, "is a link to nothing")
                    continue
                if not target.is_relative_to(self.root):
                    self._problem(shown, "is a link that leaves the folder; it is not followed")
                elif (
                    target in self.seen
                    or self.root.is_relative_to(target)
                    or self._is_left_out(target, rules)
                ):
                    continue
                elif target.is_dir():
                    self.enter(target, shown, rules)
                else:
                    self.take(target, shown)

    def _is_left_out(self, target: Path, rules: IgnoreRules) -> bool:
        """Whether what lies at `target`, below the root, would not have been found there; `rules`
        are those in force at the root."""
        folder, path = self.root, ""
        for name in target.relative_to(self.root).parts:
            rules = rules.within(folder, self._top(path))
            folder, path = folder / name, f"{path}/{name}".lstrip("/")
            is_folder = folder.is_dir()
            if is_never_read(name):
                return True
            if rules.left_out_by(self._top(path), folder=is_folder) is not None:
                return True
            if is_folder and self._known_otherwise(folder) is not None:
                return True
        return False

    def _known_otherwise(self, folder: Path) -> str | None:
        """What shows that a folder is a Python environment, or a further work tree of a repository
        that is read where it lies first: that of the root, one inside of it, a work tree before.
        None for any other."""
        if is_virtual_environment(folder):
            return "pyvenv.cfg"
        if not os.path.isfile(folder / ".git"):  # noqa: PTH113 - which raises for long paths
            return None
        found = repository_of(folder)
        if found is None or not found.is_further:
            return None
        inside = found.shared.is_relative_to(self.root) and _has_files(found.shared)
        if inside or found.shared in self.repositories:
            return ".git (a further work tree)"
        self.repositories.add(found.shared)
        return None

    def _problem(self, shown: str, error: str) -> None:
        self.found.append(Problem(escaped(shown), error))


def _read_with(folder: Path) -> set[Path]:
    """The repository whose work tree `folder` lies in, if that has one there."""
    found = repository_of(folder)
    return {found.shared} if found and (found.is_further or _has_files(found.shared)) else set()


def _has_files(shared: Path) -> bool:
    """Whether a repository has a work tree of its own: a bare one has no index."""
    return (shared / "index").is_file()


def _git_moment(seconds: float) -> str:
    """The instant `seconds` after 1970, UNKNOWN_TIME when that lies outside of all years."""
    try:
        return from_epoch(seconds)
    except InvalidInput:
        return UNKNOWN_TIME


def _work_tree_of(folder: Path) -> Path | None:
    """The git work tree that `folder` (resolved) lies in, or None."""
    for candidate in (folder, *folder.parents):
        if os.path.exists(candidate / ".git"):  # noqa: PTH110 - which raises for long paths
            return candidate
    return None


def _committed_files(root: Path, among: Collection[str] | None = None) -> dict[str, _Committed]:
    """Every file below `root` (or of those, `among` the paths given) that HEAD holds, by its path
    from `root`; {} without git.

    History is read once for the whole tree, newest commit first, and no further than needed.
    """
    named = sorted(among) if among is not None and len(among) <= _MOST_NAMED else []
    try:
        with opened_git(root) as git:
            blobs = _blobs(git, named)
            if among is not None:
                blobs = {path: blob for path, blob in blobs.items() if path in among}
            times = _times(git, set(blobs), named) if blobs else {}
    except (InvalidInput, MissingExtra):
        return {}
    return {path: _Committed(blob, times.get(path)) for path, blob in blobs.items()}


def _blobs(git: Git, named: Sequence[str]) -> dict[str, str]:
    blobs: dict[str, str] = {}
    for row in git.run(
        "--literal-pathspecs",
        "ls-tree",
        "-r",
        "-z",
        "HEAD",
        "--",
        *(named or "."),
    ).split("\0"):
        head, tab, path = row.partition("\t")
        fields = head.split()
        if tab and len(fields) == 3 and fields[1] == "blob":
            blobs[path] = fields[2]
    return blobs


def _times(git: Git, missing: set[str], named: Sequence[str]) -> dict[str, str]:
    times: dict[str, str] = {}
    at = ""
    rest = b""
    with git.stream(
        "--literal-pathspecs",
        "log",
        "--format=%x01%H %ct",
        "--name-only",
        "--no-renames",
        "--relative",
        "-m",
        "--first-parent",
        "--no-ext-diff",
        "--no-textconv",
        "-z",
        "--",
        *(named or "."),
    ) as out:
        while missing and (block := out.read(1 << 16)):
            *rows, rest = (rest + block).split(b"\0")
            for row in rows:
                at = _take_field(row, at, missing, times)
        if rest and missing:
            _take_field(rest, at, missing, times)
    return times


def _take_field(row: bytes, at: str, missing: set[str], times: dict[str, str]) -> str:
    """Take one field of the log: a commit's time (returned), or a path of the commit at `at`."""
    if head := _COMMIT.match(row):
        at = _git_moment(int(head[1]))
        row = row[head.end() :]
    if row:
        path = os.fsdecode(row)
        if path not in missing:  # a line end stands before the first path of a commit
            path = path.removeprefix("\n")
        if path in missing:
            missing.discard(path)
            times[path] = at
    return at
