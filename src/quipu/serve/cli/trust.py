"""`trust` and `untrust`: whether what a folder sets and holds counts in full."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from quipu.config import GuardedSetting, asked_by, digest_of
from quipu.errors import InvalidInput
from quipu.handle.home import DATABASE, STATE, find_home
from quipu.limits import SHOWN_LINE
from quipu.serve.cli.invocation import Invocation
from quipu.serve.operations import Command, Flag, Word, operation
from quipu.store import namespaces_of, open_store
from quipu.trust import (
    Standing,
    distrust,
    sealing_key,
    settings_are_trusted,
    standing,
    trusted_folders,
)
from quipu.trust import (
    trust as trust_folder,
)
from quipu.when.instants import Clock, system_clock
from quipu.write.jobs import Jobs, Waiting

__all__: list[str] = []


class AskedSetting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting, or a variable with a key, that counts only in a trusted folder."""

    file: Annotated[str, "`quipu.toml` or `.env`"]
    key: Annotated[str, "the setting, or the variable that holds a key"]
    value: Annotated[str, "what it is set to; a key itself is not shown"]


class WaitingJob(msgspec.Struct, frozen=True, kw_only=True):
    """An open job that was not accepted by this user on this machine."""

    job_id: Annotated[str, "the job's id"]
    kind: Annotated[str, "what kind of write it is"]
    what: Annotated[str, "how what it is to write begins"]


class FolderAsks(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu trust`."""

    folder: Annotated[str, "the folder that was looked at"]
    owner: Annotated[str, "who owns it; empty where that is not known"]
    settings: Annotated[tuple[AskedSetting, ...], "what counts only with the user's word"]
    state: Annotated[
        Standing,
        "its `.quipu`: not there, made or trusted by this user on this machine, or neither",
    ]
    jobs: Annotated[tuple[WaitingJob, ...], "open jobs in it that this user did not accept here"]
    trusted: Annotated[bool, "whether all of it is allowed now"]

    @property
    def command(self) -> str:
        """What allows all of it; "" where that is done."""
        return "" if self.trusted else f"quipu trust {shlex.quote(self.folder)} --yes"


class Wish(NamedTuple):
    """What a folder asks for, as it was looked at."""

    folder: Path
    asked: tuple[GuardedSetting, ...]
    state: Standing
    waiting: tuple[tuple[str, Waiting], ...]
    """By namespace."""

    def shown(self, *, trusted: bool) -> FolderAsks:
        """As a document; what a variable with a key holds is left out."""
        return FolderAsks(
            folder=str(self.folder),
            owner=_owner(self.folder),
            settings=tuple(
                AskedSetting(file=each.file, key=each.key, value=_value(each))
                for each in self.asked
            ),
            state=self.state,
            jobs=tuple(
                WaitingJob(
                    job_id=each.job.job_id,
                    kind=each.job.kind,
                    what=each.payload[:SHOWN_LINE].decode("utf-8", "replace"),
                )
                for _, each in self.waiting
            ),
            trusted=trusted,
        )

    @property
    def is_granted(self) -> bool:
        """Whether all of it is allowed already."""
        granted = not self.asked or settings_are_trusted(self.folder, digest_of(self.asked))
        return granted and self.state != "foreign" and not self.waiting

    def grant(self, clock: Clock) -> None:
        """Allow what was looked at; what changes later is asked for anew. Raises
        StoreUnavailable when that cannot be remembered."""
        state = self.folder / STATE if self.state == "foreign" else None
        trust_folder(self.folder, settings=digest_of(self.asked) if self.asked else "", state=state)
        place, key = find_home(self.folder / DATABASE), sealing_key()
        for namespace in dict.fromkeys(name for name, _ in self.waiting):
            with open_store(place.url, namespace=namespace) as store:
                jobs = Jobs(store, None, clock, key=key)
                for waiting in (each for name, each in self.waiting if name == namespace):
                    jobs.seal(waiting)


def wish_of(folder: Path, clock: Clock) -> Wish:
    """What `folder` asks for. Raises InvalidInput when there is no such folder, or its `.quipu`
    is a link."""
    home = folder.resolve()
    if not home.is_dir():
        raise InvalidInput(f"there is no folder {str(folder)!r}: name one that exists")
    state = home / STATE
    if state.is_symlink():
        raise InvalidInput(
            f"{str(state)!r} is a link, and a link is not trusted: name the store it leads to "
            "with --store, or as store.url in your own quipu.toml"
        )
    waiting = tuple(_waiting_in(home, clock))
    return Wish(home, asked_by(home), standing(state), waiting)


def _waiting_in(folder: Path, clock: Clock) -> Iterator[tuple[str, Waiting]]:
    """The jobs in the folder's own store that this user did not accept, by namespace."""
    database, key = folder / DATABASE, sealing_key()
    if database.is_symlink():
        return
    for namespace in namespaces_of(database) if database.is_file() else ():
        with open_store(
            str(database), namespace=namespace, read_only=True, vector_files=False
        ) as store:
            unsealed = Jobs(store, None, clock, key=key).unsealed()
        yield from ((namespace, each) for each in unsealed)


def _value(asked: GuardedSetting) -> str:
    if "." not in asked.key and asked.key.endswith("_KEY"):
        return "a key"
    value: Any = asked.value
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _owner(folder: Path) -> str:
    try:
        return folder.owner()
    except (KeyError, NotImplementedError, OSError):
        return ""


class TrustedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """What is trusted of one folder."""

    folder: Annotated[str, "the folder"]
    settings: Annotated[bool, "whether settings of its files are trusted, as they were then"]
    state: Annotated[bool, "whether its `.quipu` was made or trusted by this user on this machine"]


class TrustedFolders(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu trust --list`."""

    folders: Annotated[tuple[TrustedFolder, ...], "what is trusted, by folder"]


class Untrusted(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu untrust`."""

    folder: Annotated[str, "the folder"]
    was_trusted: Annotated[bool, "whether anything of it had been trusted"]


@operation(None, Command(fails=lambda asks: isinstance(asks, FolderAsks) and not asks.trusted))
def trust(
    run: Invocation,
    folder: Annotated[Path | None, Word()] = None,
    agreed: Annotated[bool, "allow it without asking", Flag("--yes")] = False,
    listed: Annotated[bool, "list the folders that are trusted", Flag("--list")] = False,
) -> FolderAsks | TrustedFolders:
    """Show what FOLDER (default: here) asks for, and allow it.

    That is: settings of its quipu.toml and .env that name a model, an address, a key, a file or a
    store, or let one spend; its .quipu, where that was not made by you on this machine; and open
    jobs in it that you did not accept. Allowed is what is shown: what changes later is asked for
    anew. Exit code 1 when something is left that is not allowed.

    $ quipu trust
    $ quipu trust ~/site --yes
    $ quipu trust --list
    """
    if listed:
        if folder is not None:
            raise InvalidInput("--list is of every folder: leave out FOLDER")
        return TrustedFolders(
            folders=tuple(
                TrustedFolder(folder=e.folder, settings=bool(e.settings), state=bool(e.state))
                for e in trusted_folders()
            )
        )
    wish = wish_of(folder or Path(), system_clock)
    if wish.is_granted:
        return wish.shown(trusted=True)
    agreed = agreed or run.agrees(wish.shown(trusted=False), "Allow all of this?")
    if agreed:
        wish.grant(system_clock)
    return wish.shown(trusted=agreed)


@operation(None, Command())
def untrust(_run: Invocation, folder: Annotated[Path, Word()] = Path()) -> Untrusted:
    """Trust nothing of FOLDER (default: here) any more, its .quipu included.

    $ quipu untrust
    $ quipu untrust ~/site
    """
    return Untrusted(folder=str(folder.resolve()), was_trusted=distrust(folder))
