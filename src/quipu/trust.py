"""What the user trusts: folders whose settings count in full, and `.quipu` folders made here.

It is kept in the user's own state folder, out of reach of any folder that is cloned or unpacked.
A folder's settings are trusted by the hash of what they ask for, so a change asks anew; a
`.quipu` by its path, its owner and an id that only this book and that folder hold. Jobs carry a
seal made with a key that never leaves the state folder.
"""

import hashlib
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from quipu.errors import StoreUnavailable
from quipu.files import private
from quipu.write.lock import WriteLock

__all__ = [
    "Standing",
    "distrust",
    "mark",
    "own_configuration",
    "own_state",
    "page_of",
    "sealing_key",
    "settings_are_trusted",
    "standing",
    "trust",
    "trusted_folders",
]

Standing: TypeAlias = Literal["none", "ours", "foreign"]

_ID = "id"
_BLANK = frozenset({".gitignore"})
_KEY_BYTES = 32
_MANY = 1000


class Trusted(msgspec.Struct, frozen=True, kw_only=True):
    """What is trusted of `folder`: `settings` is the hash of what they ask for, `state` the id of
    its `.quipu`, `owner` who owned that; "" and -1 where it is nothing."""

    folder: str
    settings: str = ""
    state: str = ""
    owner: int = -1


class _Book(NamedTuple):
    folder: Path

    def page(self, folder: Path) -> Path:
        digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
        return self.folder / "trusted" / f"{digest}.json"

    def read(self, folder: Path) -> Trusted:
        found = _page(self.page(folder))
        known = found is not None and found.folder == str(folder)
        return found if found is not None and known else Trusted(folder=str(folder))


def own_configuration() -> Path | None:
    """The user's own `quipu.toml` (`$XDG_CONFIG_HOME/quipu`, else `~/.config/quipu`), there or
    not; None for a user without a home."""
    folder = _home("XDG_CONFIG_HOME", ".config")
    return folder / "quipu.toml" if folder else None


def page_of(folder: Path) -> Path | None:
    """The file that says what is trusted of a folder, there or not; None for a user without a
    home."""
    home = own_state()
    return _Book(home).page(folder.resolve()) if home else None


def settings_are_trusted(folder: Path, digest: str) -> bool:
    """Whether the user allowed just what `digest` stands for in `folder`."""
    home = own_state()
    return home is not None and _Book(home).read(folder.resolve()).settings == digest


def standing(state: Path) -> Standing:
    """What a `.quipu` is to this user: `none` when nothing is kept there yet, `ours` when it was
    made or trusted here, `foreign` otherwise."""
    try:
        names = {entry.name for entry in os.scandir(state)}
    except FileNotFoundError:
        return "none"
    except OSError:
        return "foreign"
    if names <= _BLANK and not state.is_symlink():
        return "none" if _owner(state) == _me() else "foreign"
    home = own_state()
    if home is None:
        return "foreign"
    known = _Book(home).read(_folder_of(state))
    identity = _id_in(state)
    is_ours = bool(identity) and identity == known.state and _owner(state) == known.owner
    return "ours" if is_ours else "foreign"


def mark(state: Path) -> None:
    """Make `state`, if nothing is kept there yet, and remember it as made here. Where the user's
    state folder cannot be written nothing is remembered."""
    with suppress(StoreUnavailable), _writing() as book:
        state.mkdir(parents=True, exist_ok=True)
        if standing(state) == "none":
            _remember(book, state, {})


def trust(folder: Path, *, settings: str, state: Path | None) -> None:
    """Trust what `settings` (a hash, "" for none) stands for in `folder`, and the `.quipu` at
    `state`, whoever made it. Raises StoreUnavailable when that cannot be remembered."""
    with _writing() as book:
        if state is not None:
            _remember(book, state, {"settings": settings})
            return
        known = book.read(folder.resolve())
        _put(book, msgspec.structs.replace(known, settings=settings))


def distrust(folder: Path) -> bool:
    """Trust nothing of `folder` any more; whether anything of it was trusted."""
    with _writing() as book:
        page = book.page(folder.resolve())
        was = page.exists()
        page.unlink(missing_ok=True)
        return was


def trusted_folders() -> list[Trusted]:
    """What is trusted, by folder."""
    home = own_state()
    pages = sorted((home / "trusted").glob("*.json")) if home else []
    return sorted(filter(None, map(_page, pages)), key=lambda each: each.folder)


def sealing_key() -> bytes:
    """The key that only this user has on this machine, made when there is none. Where it cannot
    be kept it is one for this process alone."""
    home = own_state()
    try:
        with _writing():
            assert home is not None
            file = home / "key"
            if not file.exists():
                private.write_whole(file, secrets.token_bytes(_KEY_BYTES))
    except StoreUnavailable:
        pass
    with suppress(OSError):
        if home is not None and len(key := (home / "key").read_bytes()) == _KEY_BYTES:
            return key
    return _key_of_this_process()


@cache
def _key_of_this_process() -> bytes:
    return secrets.token_bytes(_KEY_BYTES)


def _remember(book: _Book, state: Path, more: dict[str, str]) -> None:
    """The record first: whoever sees the id in the folder finds it in the book."""
    made = secrets.token_hex(16)
    known = book.read(_folder_of(state))
    owner = _owner(state)
    _put(book, msgspec.structs.replace(known, state=made, owner=owner, **more))
    private.write_whole(state / _ID, f"{made}\n".encode())


def _put(book: _Book, entry: Trusted) -> None:
    pages = book.folder / "trusted"
    pages.mkdir(mode=0o700, exist_ok=True)
    every = list(pages.glob("*.json"))
    if len(every) > _MANY:  # folders that are gone are forgotten now and then
        for page in every:
            stored = _page(page)
            if stored is None or not Path(stored.folder).exists():
                page.unlink(missing_ok=True)
    private.write_whole(book.page(Path(entry.folder)), msgspec.json.encode(entry) + b"\n")


def _page(file: Path) -> Trusted | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=Trusted)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _id_in(state: Path) -> str:
    file = state / _ID
    try:
        if not stat.S_ISREG(file.lstat().st_mode) or state.is_symlink():
            return ""
        return file.read_bytes()[:64].decode("ascii", "replace").strip()
    except OSError:
        return ""


def _folder_of(state: Path) -> Path:
    return state.parent.resolve()


def _owner(path: Path) -> int:
    try:
        return path.stat().st_uid
    except OSError:
        return -1


def _me() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _home(variable: str, usual: str) -> Path | None:
    """The folder `quipu` in the one that `variable` names; a relative one does not count."""
    given = os.environ.get(variable, "")
    if Path(given).is_absolute():
        return Path(given) / "quipu"
    try:
        return Path.home() / usual / "quipu"
    except RuntimeError:
        return None


def own_state() -> Path | None:
    """The user's own state folder on this machine, there or not; None for a user without a home."""
    return _home("XDG_STATE_HOME", ".local/state")


@contextmanager
def _writing() -> Generator[_Book]:
    """The book, for one process at a time. Raises StoreUnavailable."""
    home = own_state()
    if home is None:
        raise StoreUnavailable("you have no home folder: set XDG_STATE_HOME to one of your own")
    try:
        with WriteLock(home, "lock").taken():
            yield _Book(home)
    except (OSError, StoreUnavailable) as error:
        why = error.__cause__ or error
        raise StoreUnavailable(
            f"what you trust cannot be kept in {str(home)!r} ({why}): set XDG_STATE_HOME to a "
            "folder of your own that can be written"
        ) from error
