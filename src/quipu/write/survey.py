"""What has to be done: the files under the roots compared with what the store holds of them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from pathspec import GitIgnoreSpec

from quipu.errors import InvalidInput, MissingExtra
from quipu.ports import Progress
from quipu.ports import Source as Known
from quipu.read import CredentialEntry, FileEntry, LeftOut, read_source, walk, with_history
from quipu.read.git_program import opened_git
from quipu.read.kinds import shape_of
from quipu.read.redact import redacted_path
from quipu.read.source import escaped
from quipu.records.document import Problem
from quipu.records.ids import document_entity_id, read_episode_id
from quipu.records.refs import FILE
from quipu.write.options import IndexOptions, Upkeep
from quipu.write.places import Places
from quipu.write.stamps import Stamp, Stamps

_NAME_WARNING = (
    "has a name that holds a secret: it is kept under a name without it; rename the file"
)
_NAME_TAKEN = (
    "has a name that another file has too, but for how its accents are spelled: only the other was "
    "read; rename one"
)


class Todo(NamedTuple):
    """A file to read: under which id, and in place of which sources."""

    entry: FileEntry
    document_id: str
    replaces: tuple[str, ...]
    state: Literal["added", "changed", "renamed"]
    episode_id: str | None


@dataclass(slots=True)
class Survey:
    """`removed` are references whose files are gone, with the episodes that were live of them;
    `todo` is in the order of references. `credentials` are files that were left out because they
    exist to hold some; what was stored of one is removed. `left_out` counts what `.quipuignore` and
    the product's own list leave out of what git lists, by pattern; `shaped` are the files
    that a program wrote, with what `shape_of` says that they are. Of what is to be read, `outdated`
    are as they were, but an earlier version of the readers read them."""

    todo: list[Todo] = field(default_factory=list[Todo])
    removed: dict[str, str] = field(default_factory=dict[str, str])
    unchanged: int = 0
    outdated: int = 0
    problems: list[Problem] = field(default_factory=list[Problem])
    credentials: list[CredentialEntry] = field(default_factory=list[CredentialEntry])
    left_out: Counter[str] = field(default_factory=Counter[str])
    shaped: dict[str, str] = field(default_factory=dict[str, str])


def check_roots(paths: Sequence[Path], home: Path) -> list[Path]:
    """The folders and files to index, absolute; InvalidInput when one is not there."""
    roots: dict[Path, None] = {}
    for path in paths or (home,):
        absolute = path.expanduser().absolute()
        if not absolute.exists():
            raise InvalidInput(f"there is no file or folder {str(path)!r}: check the path")
        roots[absolute.resolve()] = None
    return [each for each in roots if roots.keys().isdisjoint(each.parents)]


def survey(
    sources: Iterable[Known],
    namespace: str,
    roots: Sequence[Path],
    places: Places,
    settings: IndexOptions,
    stamps: Stamps,
    *,
    only: Collection[str] | None = None,
    again: bool = False,
    as_read: bool = False,
    progress: Progress | None = None,
) -> Survey:
    """Walk the roots, hash what is there, and compare it with the files among `sources`.

    Nothing is kept but names and hashes; a file with the stamp it had is not read. With `only`
    no other references are looked at. With `again` what is as it was is to be read like what has
    changed; so is, unless `as_read`, what an earlier version of the readers read.
    """
    known = {s.source_ref: s for s in sources if s.source_type == FILE}
    wanted = None if only is None else {places.path(ref) for ref in only}
    look = _Look(wanted, places, stamps)
    for item in _entries(roots, places, settings, wanted):
        look.take(item)
        if progress and isinstance(item, FileEntry) and len(look.found) % 100 == 0:
            progress("scan", len(look.found), 0)
    is_under = places.within(roots)
    gone = [
        ref
        for ref in sorted(filter(is_under, known.keys() - look.found.keys()))
        if not look.hides(ref) and look.is_meant(ref)
    ]
    result = look.result
    _compare(result, look.found, known, gone, namespace, again=again, as_read=as_read)
    result.todo = _with_history(result.todo, roots)
    for ref in gone:
        stamps.gone(ref)
    stamps.keep()
    return result


class _Look:
    """What stands under the roots; `limit` is what may be looked at (None: all)."""

    def __init__(self, limit: Collection[Path] | None, places: Places, stamps: Stamps) -> None:
        self.result = Survey()
        self.found: dict[str, tuple[FileEntry, str]] = {}
        self._limit = limit
        self._places = places
        self._stamps = stamps
        self._blocked: set[str] = set()

    def is_meant(self, ref: str) -> bool:
        """Whether what has this reference may be looked at."""
        return self._limit is None or self._places.path(ref) in self._limit

    def take(self, item: FileEntry | CredentialEntry | LeftOut | Problem) -> None:
        """Note what was met; a file is read where its stamp is not known."""
        match item:
            case Problem():
                self._refuse(item)
            case LeftOut():
                self.result.left_out[item.pattern] += 1
            case CredentialEntry():
                if self.is_meant(item.path):
                    self.result.credentials.append(item)
            case FileEntry():
                if self._limit is not None and item.absolute not in self._limit:
                    self._blocked.add(escaped(item.path))
                    return
                looked_at = _looked_at(item, self._stamps)
                if isinstance(looked_at, Problem):
                    self._refuse(looked_at)
                elif looked_at[1] and not item.is_wanted:
                    self.result.shaped[item.path] = looked_at[1]
                else:
                    self.found[item.path] = item, looked_at[0]

    def _refuse(self, problem: Problem) -> None:
        self.result.problems.append(problem)
        if problem.severity == "error":
            self._blocked.add(escaped(problem.path))

    def hides(self, ref: str) -> bool:
        """Whether the file, or a folder above it, could not be looked at ("." is the home folder
        itself)."""
        shown = PurePosixPath(escaped(ref))
        above = (str(each) for each in (shown, *shown.parents))
        return bool(self._blocked) and not self._blocked.isdisjoint(above)


def _looked_at(entry: FileEntry, stamps: Stamps) -> tuple[str, str] | Problem:
    """The SHA-256 and the shape of a file, which is read only if its stamp is another than it
    was."""
    stamp = Stamp(entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode)
    known, shape = stamps.at(entry.path, stamp), stamps.shape_at(entry.path, stamp)
    if known is not None and shape is not None:
        return known, shape
    source = read_source(entry)
    if isinstance(source, Problem):
        return source
    shape = shape_of(entry.path, source.data)
    stamps.keep_at(entry.path, stamp, source.content_hash, shape)
    return source.content_hash, shape


def kept_up(found: Survey, upkeep: Upkeep, left_out: Collection[str]) -> Survey:
    """What is to be done of it by a run that nobody asked for: none of what was `left_out`."""
    todo = [t for t in found.todo if not (t.state == "added" and t.entry.path in left_out)]
    if sum(each.entry.size for each in todo) <= upkeep.most_bytes:
        return replace(found, todo=todo)
    return replace(
        found,
        todo=[t for t in todo if not upkeep.refs.isdisjoint((t.entry.path, *t.replaces))],
        removed={ref: episode for ref, episode in found.removed.items() if ref in upkeep.refs},
    )


def _with_history(todo: Sequence[Todo], roots: Sequence[Path]) -> list[Todo]:
    """What is to be read, with what git says of it: of what was not read, nobody asks."""
    folders = dict.fromkeys(root if root.is_dir() else root.parent for root in roots)
    within: defaultdict[Path, list[Todo]] = defaultdict(list)
    for each in todo:
        above = (folder for folder in each.entry.absolute.parents if folder in folders)
        within[next(above, each.entry.absolute.parent)].append(each)
    found = [
        each._replace(entry=entry)
        for folder, some in within.items()
        for each, entry in zip(some, with_history([e.entry for e in some], folder), strict=True)
    ]
    return sorted(found, key=lambda each: each.entry.path)


def _compare(
    result: Survey,
    found: dict[str, tuple[FileEntry, str]],
    known: dict[str, Known],
    gone: list[str],
    namespace: str,
    *,
    again: bool,
    as_read: bool,
) -> None:
    vanished: defaultdict[str, list[str]] = defaultdict(list)
    for ref in reversed(gone):
        vanished[known[ref].content_hash].append(ref)
    left = set(gone)
    taken = {s.document_id for ref, s in known.items() if ref not in left}
    renamed: set[str] = set()
    fresh: list[tuple[FileEntry, str]] = []
    for ref in sorted(found):
        entry, content_hash = found[ref]
        stored = known.get(ref)
        if stored is None:
            fresh.append((entry, content_hash))
        elif (
            stored.content_hash == content_hash
            and not again
            and (
                as_read or stored.episode_id == read_episode_id(namespace, FILE, ref, content_hash)
            )
        ):
            result.unchanged += 1
        else:
            result.outdated += stored.content_hash == content_hash and not again
            document_id = stored.document_id or document_entity_id(namespace, ref)
            result.todo.append(Todo(entry, document_id, (ref,), "changed", stored.episode_id))
    for entry, content_hash in fresh:
        if vanished[content_hash]:
            old = known[vanished[content_hash].pop()]
            renamed.add(old.source_ref)
            document_id = old.document_id or document_entity_id(namespace, old.source_ref)
            replaces = (old.source_ref, entry.path)
            result.todo.append(Todo(entry, document_id, replaces, "renamed", old.episode_id))
            taken.add(document_id)
    moved = {todo.entry.path for todo in result.todo if todo.state == "renamed"}
    for entry, _ in fresh:
        if entry.path not in moved:
            document_id = _unused(namespace, entry.path, taken)
            taken.add(document_id)
            result.todo.append(Todo(entry, document_id, (entry.path,), "added", None))
    result.todo.sort(key=lambda todo: todo.entry.path)
    result.removed = {ref: known[ref].episode_id for ref in gone if ref not in renamed}


def _unused(namespace: str, ref: str, taken: set[str | None]) -> str:
    """The document id of a new file; another file may still carry the one this path once gave."""
    candidate, turn = document_entity_id(namespace, ref), 1
    while candidate in taken:
        turn += 1
        candidate = document_entity_id(namespace, f"{ref}\0{turn}")
    return candidate


def _entries(
    roots: Sequence[Path], places: Places, settings: IndexOptions, wanted: Collection[Path] | None
) -> Iterator[FileEntry | CredentialEntry | LeftOut | Problem]:
    """Every file once, with its reference for a path; a secret in a name is told as a problem."""
    excluded = GitIgnoreSpec.from_lines(settings.exclude)
    shown: Counter[str] = Counter()
    seen: set[str] = set()
    for folder, item in _walked(roots, settings, wanted):
        if excluded.match_file(item.path):
            continue
        ref = places.ref(item.absolute if isinstance(item, FileEntry) else folder / item.path)
        path = redacted_path(ref)
        has_secret = path != ref
        if has_secret:
            shown[path] += 1
            path = _numbered(path, shown[path])
        if not isinstance(item, FileEntry):
            yield item._replace(path=path)
        elif path in seen:
            yield Problem(escaped(path), _NAME_TAKEN, "warning")
        else:
            seen.add(path)
            yield replace(item, path=path)
            if has_secret:
                yield Problem(path, _NAME_WARNING, "warning")


def _walked(
    roots: Sequence[Path], settings: IndexOptions, wanted: Collection[Path] | None
) -> Iterator[tuple[Path, FileEntry | CredentialEntry | LeftOut | Problem]]:
    """What is met below each root, with the folder that its path is relative to."""
    for root in roots:
        found = walk(
            root,
            include=settings.include,
            credentials=settings.credentials,
            max_bytes=settings.max_bytes,
            history=False,
            only=wanted,
        )
        folder = root if root.is_dir() else root.parent
        yield from ((folder, item) for item in found)


def _numbered(path: str, number: int) -> str:
    """A path with a mark in it, told apart from others whose secrets left the same."""
    if number == 1:
        return path
    before, mark, rest = path.partition("[redacted:")
    return before + mark + rest.replace("]", f"~{number}]", 1)


def git_head(folder: Path) -> str:
    """The commit that is checked out in `folder`, or "unknown"."""
    try:
        with opened_git(folder) as git:
            return git.run("rev-parse", "HEAD").strip()
    except (InvalidInput, MissingExtra):
        return "unknown"
