"""Where files are and what they are called; what was indexed, and what of it was forgotten."""

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from quipu.text import composed
from quipu.write.state_files import replace_file

__all__ = ["Places", "Roots"]

_ROOTS_FILE = "roots.json"


class Places:
    """Paths as the store writes them, relative to its home when inside it; an accented letter is
    one character there (NFC), whatever it is in the file system."""

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()

    def ref(self, path: Path) -> str:
        """The reference of the file at an absolute `path`."""
        try:
            return composed(path.relative_to(self.home).as_posix())
        except ValueError:
            return composed(path.as_posix())

    def path(self, ref: str) -> Path:
        """Where the file with this reference is, whatever spells its accents there."""
        path = self.home / ref
        if ref.isascii() or path.exists():
            return path
        otherwise = self.home / unicodedata.normalize("NFD", ref)
        return otherwise if otherwise.exists() else path

    def within(self, roots: Sequence[Path]) -> Callable[[str], bool]:
        """Whether the file with a reference is one of `roots` (absolute) or inside of one."""
        exact = {self.ref(root) for root in roots}
        outside = self.home.anchor.replace("\\", "/")  # a reference from there is absolute
        whole = any(root == self.home or root in self.home.parents for root in roots)

        def is_within(ref: str) -> bool:
            inside = whole and not ref.startswith(outside)
            return inside or not exact.isdisjoint(_and_above(composed(ref)))

        return is_within


def _and_above(ref: str) -> Iterator[str]:
    """A reference and those of the folders above it."""
    yield ref
    while (end := ref.rfind("/")) > 0:
        ref = ref[:end]
        yield ref


class _Indexed(msgspec.Struct, frozen=True):
    """What was indexed, and digests of what was forgotten of it."""

    roots: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


_INDEXED = msgspec.json.Decoder(dict[str, _Indexed])


class Roots:
    """The folders and files that were indexed into one memory (by what the local state calls it),
    as references, and which files of theirs were forgotten: a run that nobody asked for brings
    none of those back. Without local state they are kept here."""

    def __init__(self, state: Path | None, name: str) -> None:
        self._path = state / _ROOTS_FILE if state else None
        self._name = name
        self._own: dict[str, _Indexed] = {}

    def get(self) -> tuple[str, ...]:
        """All of them, in order."""
        return self._mine().roots

    def add(self, refs: Iterable[str]) -> None:
        """Add some; again changes nothing."""
        mine = self._mine()
        self._keep(mine, roots=tuple(sorted({*mine.roots, *refs})))

    def left_out_of(self, refs: Iterable[str]) -> set[str]:
        """Which of these were forgotten, and nobody has indexed them since."""
        left_out = set(self._mine().left_out)
        return {ref for ref in refs if left_out and _digest(ref) in left_out}

    def leave_out(self, refs: Iterable[str]) -> None:
        """Remember that these were forgotten, without their names."""
        mine = self._mine()
        self._keep(mine, left_out=tuple(sorted({*mine.left_out, *map(_digest, refs)})))

    def take_back(self, refs: Iterable[str]) -> None:
        """Let these be indexed again: somebody asked for it."""
        mine = self._mine()
        if mine.left_out:
            left = set(mine.left_out) - {_digest(ref) for ref in refs}
            self._keep(mine, left_out=tuple(sorted(left)))

    def _mine(self) -> _Indexed:
        return self._read().get(self._name, _Indexed())

    def _keep(self, mine: _Indexed, **changed: tuple[str, ...]) -> None:
        after = msgspec.structs.replace(mine, **changed)
        if after == mine:
            return
        every = {**self._read(), self._name: after}
        if self._path is None:
            self._own = every
        else:
            replace_file(self._path, msgspec.json.encode(every, order="deterministic"))

    def _read(self) -> dict[str, _Indexed]:
        if self._path is None:
            return self._own
        try:
            return _INDEXED.decode(self._path.read_bytes())
        except (OSError, UnicodeDecodeError, msgspec.DecodeError):
            return {}


def _digest(ref: str) -> str:
    return hashlib.sha256(ref.encode("utf-8", "surrogatepass")).hexdigest()
