"""Setting clients up: what is to be written into which file, writing it, and taking it back.

What was written is noted in the user's own state folder, by file: each text that was put in and
what it took the place of, and which folders were made. So all of it can be taken back byte for
byte, and where a client has changed the file since, what it changed stays.
"""

import contextlib
import json
import os
import re
import shlex
import sys
from collections.abc import Generator, Iterator
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from quipu.errors import InvalidInput, StoreUnavailable
from quipu.files import private
from quipu.serve.setup.clients import CLIENTS, Client, Format, Launch, Places, filled
from quipu.serve.setup.edits import Edit, inserted, pasted, value_in, without, without_table
from quipu.trust import own_state
from quipu.write.lock import WriteLock

__all__ = ["SetupChange", "SetupReport", "hook_command", "set_up", "take_back"]

Done: TypeAlias = Literal["created", "changed", "unchanged", "removed", "absent", "by hand"]
_BEGIN, _END = "<!-- quipu: begin -->", "<!-- quipu: end -->"
_PLUGIN = files("quipu.serve.setup") / "plugin"
_CHANGED = "it has changed since: take this out by hand"
_UNNOTED = "it is not noted that `quipu setup` wrote this: take it out by hand"
_NO_FILE = "there was no file\n"
"""What an earlier version kept of a file that it made."""
_SKILL = "skills/quipu-memory/SKILL.md"


class SetupChange(msgspec.Struct, frozen=True, kw_only=True):
    """What is done to one file of a client."""

    client: Annotated[str, "the program"]
    what: Annotated[str, "`server`, `hooks`, `skill` or `instructions`"]
    file: Annotated[str, "the file"]
    done: Annotated[
        str, "`created`, `changed`, `unchanged`, `removed`, `absent`, or `by hand`: see `text`"
    ]
    text: Annotated[str, "what is put in, or is to be; empty where nothing is"] = ""
    why: Annotated[str, "why it is left to you; empty where it is not"] = ""


class SetupReport(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu setup`: what was done, or would be."""

    found: Annotated[tuple[str, ...], "the programs that are on this machine"]
    written: Annotated[bool, "whether anything was written; not with --dry-run"]
    changes: Annotated[tuple[SetupChange, ...], "file by file"]


class _Piece(NamedTuple):
    """Something that is to stand in a file: `value` under `keys`, or a text of its own."""

    what: str
    file: Path
    kind: Format | Literal["block", "whole"]
    keys: tuple[str, ...]
    value: Any

    @property
    def text(self) -> str:
        """What a person would paste."""
        if self.kind in ("block", "whole"):
            return self.value
        return pasted(self.keys, self.value, self.kind)


class _Put(msgspec.Struct, frozen=True):
    """One text that was put into a file, and the value that it stands for."""

    client: str
    what: str
    at: int
    cut: str
    put: str
    keys: tuple[str, ...]
    value: Any


class _Written(msgspec.Struct):
    """What was put into a file, in order; whether it was there, and the folders made for it."""

    was_there: bool
    folders: list[str]
    puts: list[_Put]


def hook_command(event: str, style: str) -> str:
    """What a client runs at an event, quoted for a shell."""
    hook = str(Path(__file__).with_name("hook.py"))
    return shlex.join([sys.executable, "-I", "-S", hook, event, style])


def set_up(
    client: str, launch: Launch, places: Places, *, project: bool, dry_run: bool, only: str = ""
) -> list[SetupChange]:
    """Write what a client needs, or `only` its server: a change for each file. With `dry_run`, say
    what that would be."""
    with _turn(dry_run=dry_run) as notes:
        wanted = _by_file(client, launch, places, project=project, only=only)
        return [_put_in(client, pieces, notes, dry_run=dry_run) for pieces in wanted]


def take_back(
    client: str, launch: Launch, places: Places, *, project: bool, dry_run: bool, only: str = ""
) -> list[SetupChange]:
    """Take out what `set_up` wrote; a file and folders that it made go with it."""
    with _turn(dry_run=dry_run) as notes:
        wanted = _by_file(client, launch, places, project=project, only=only)
        return [_take_out(client, pieces[0], notes, dry_run=dry_run) for pieces in reversed(wanted)]


def _by_file(
    client: str, launch: Launch, places: Places, *, project: bool, only: str
) -> list[list[_Piece]]:
    """What a client needs, by file and by what it is."""
    every = _pieces(CLIENTS[client], launch, places, project=project)
    chosen = (piece for piece in every if only in ("", piece.what))
    return [list(pieces) for _, pieces in groupby(chosen, key=lambda p: (p.what, p.file))]


def _pieces(client: Client, launch: Launch, places: Places, *, project: bool) -> Iterator[_Piece]:
    file = client.project if project else client.file
    if not file:
        return
    entry = filled(client.entry, launch._asdict())
    keys = (client.key,) if isinstance(entry, list) else (client.key, launch.name)
    yield _Piece("server", places.of(file), client.format, keys, entry)
    block = f"{_BEGIN}\n{(_PLUGIN / 'AGENTS.md').read_text('utf-8')}{_END}\n"
    if project:
        yield _Piece("instructions", places.of("{project}/AGENTS.md"), "block", (), block)
        return
    if client.hooks is not None:
        hooks = places.of(client.hooks.file)
        if client.hooks.fixed and not os.path.exists(hooks):  # noqa: PTH110  as `is_there`
            for key, value in client.hooks.fixed.items():
                yield _Piece("hooks", hooks, "json", (key,), value)
        for name, event in client.hooks.events.items():
            command = hook_command(event, client.hooks.style)
            entry = filled(client.hooks.entry, {"command": command})
            yield _Piece("hooks", hooks, "json", ("hooks", name), [entry])
    if client.skills:
        skill = places.of(client.skills) / Path(_SKILL).relative_to("skills")
        yield _Piece("skill", skill, "whole", (), (_PLUGIN / _SKILL).read_text("utf-8"))
    if client.rules:
        yield _Piece("instructions", places.of(client.rules), "block", (), block)


def _put_in(client: str, pieces: list[_Piece], notes: "_Notes", *, dry_run: bool) -> SetupChange:
    file, what = pieces[0].file, pieces[0].what
    shown = SetupChange(client=client, what=what, file=str(file), done="unchanged")
    edits: list[tuple[_Piece, Edit]] = []
    try:
        before = _text_of(file)
        text = before or ""
        if all(_is_there(text, piece) for piece in pieces):
            return shown
        cleared = _without(text, notes.of(file, client, what), file)
        if cleared is None:
            raise InvalidInput(_CHANGED)
        text = cleared
        for piece in pieces:
            if not _is_there(text, piece):
                edit = _edit(text, piece)
                edits.append((piece, edit))
                text = edit.done(text)
        if not dry_run:
            notes.put(file, client, edits, was_there=before is not None)
            notes.keep()
            _write(file, text)
    except InvalidInput as error:
        by_hand = "\n".join(piece.text for piece in pieces)
        return msgspec.structs.replace(shown, done="by hand", text=by_hand, why=str(error))
    put = text if before is None else "\n".join(edit.put.strip("\n") for _, edit in edits)
    done = "created" if before is None else "changed"
    return msgspec.structs.replace(shown, done=done, text=put)


def _is_there(text: str, piece: _Piece) -> bool:
    if piece.kind in ("block", "whole"):
        return piece.value in text
    there, wanted = value_in(text, piece.keys, piece.kind), piece.value
    if isinstance(wanted, list) and isinstance(there, list):
        known = cast("list[Any]", there)
        return all(any(_says(k, item) for k in known) for item in cast("list[Any]", wanted))
    return _says(there, wanted)


def _says(there: Any, wanted: Any) -> bool:
    """Whether `there` is what was wanted; more may stand in its objects: `env`, `timeout` …"""
    if isinstance(wanted, dict) and isinstance(there, dict):
        entry = cast("dict[str, Any]", there)
        every = cast("dict[str, Any]", wanted).items()
        return all(key in entry and _says(entry[key], value) for key, value in every)
    if isinstance(wanted, list) and isinstance(there, list):
        both = cast("list[Any]", there), cast("list[Any]", wanted)
        return len(both[0]) == len(both[1]) and all(map(_says, *both))
    return there == wanted


def _edit(text: str, piece: _Piece) -> Edit:
    if piece.kind == "whole":
        if text:
            raise InvalidInput("a file of that name is there already")
        return Edit(0, "", piece.value)
    if piece.kind == "block":
        if _BEGIN in text:
            raise InvalidInput("an earlier block is there: `quipu setup --remove` takes it out")
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return Edit(len(text), "", gap + piece.value)
    return inserted(text, piece.keys, piece.value, piece.kind)


def _take_out(client: str, piece: _Piece, notes: "_Notes", *, dry_run: bool) -> SetupChange:
    what, file = piece.what, piece.file
    shown = SetupChange(client=client, what=what, file=str(file), done="absent")
    mine = notes.of(file, client, what)
    try:
        text = _text_of(file)
        if text is None:
            if mine and not dry_run:
                notes.drop(file, mine)
                notes.keep()
            return shown
        if not mine:
            return _take_out_unnoted(shown, piece, text, dry_run=dry_run)
        after = _without(text, mine, file)
        if after is None:
            raise InvalidInput(_CHANGED)
        if not dry_run:
            _leave_text(file, after, notes, mine)
    except InvalidInput as error:
        if not mine:
            return shown
        left = "\n".join(put.put.strip("\n") for put in mine)
        return msgspec.structs.replace(shown, done="by hand", text=left, why=str(error))
    return msgspec.structs.replace(shown, done="removed")


def _leave_text(file: Path, after: str, notes: "_Notes", mine: list[_Put]) -> None:
    """Leave what a file says without ours; what was made for it goes. Raises InvalidInput."""
    made = notes.made_with(file, mine)
    if made is not None and "".join(after.split()) in ("", "{}"):
        with _in_words():
            file.resolve().unlink()
            for folder in made:
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
    else:
        _write(file, after)
    notes.drop(file, mine)
    notes.keep()


def _without(text: str, mine: list[_Put], file: Path) -> str | None:
    """A text without what was put in; None where some of it can only be taken out by hand. What a
    client or a person took out already is gone."""
    left: list[_Put] = []
    for put in reversed(mine):
        after = Edit(put.at, put.cut, put.put).undone(text)
        if after is None and put.keys and file.suffix == ".json":
            with contextlib.suppress(ValueError):  # it is no JSON any more
                after = without(text, put.keys, put.value, made=put.put)
        if after is None:
            left.append(put)
        else:
            text = after
    return None if any(_stands_changed(text, put, file) for put in left) else text


def _stands_changed(text: str, put: _Put, file: Path) -> bool:
    """Whether what was put in stands in a text with more, or otherwise written: a block by its
    mark, a server or a hook by what runs under its key."""
    if not put.keys:
        return bool(text.strip()) and (_BEGIN not in put.put or _BEGIN in text)
    said = json.dumps(put.value, ensure_ascii=False)
    runs = re.search(r'"(?:command|cmd)": \[?"((?:[^"\\]|\\.)*)"', said)
    there: object = value_in(text, put.keys, cast("Format", file.suffix[1:])) if runs else None
    return runs is not None and runs[1] in json.dumps(there, ensure_ascii=False)


def _take_out_unnoted(
    shown: SetupChange, piece: _Piece, text: str, *, dry_run: bool
) -> SetupChange:
    """Take out a server that `quipu mcp install` of an earlier version wrote, which kept the file
    as it was beside it; what else is as `set_up` writes it is named, not touched."""
    kept, kind = piece.file.with_name(piece.file.name + ".before-quipu"), piece.kind
    before = _text_of(kept)
    if before is None or piece.what != "server" or kind not in ("json", "toml"):
        if not _is_there(text, piece):
            return shown
        return msgspec.structs.replace(shown, done="by hand", text=piece.text, why=_UNNOTED)
    entry = value_in(text, piece.keys, kind)
    if entry is None:
        return shown
    if kind == "json":
        after = without(text, piece.keys, entry, made=piece.text)
    else:
        after = without_table(text, piece.keys, entry)
    if after is None:
        there = pasted(piece.keys, entry, kind)
        return msgspec.structs.replace(shown, done="by hand", text=there, why=_CHANGED)
    before = "" if before == _NO_FILE else before
    is_all = value_in(before, (), kind) == value_in(after, (), kind)
    if not dry_run:
        with _in_words():
            if after := before if is_all else after:
                _write(piece.file, after)
            else:
                piece.file.unlink()
            if is_all:  # else another server of ours may stand there
                kept.unlink()
    return msgspec.structs.replace(shown, done="removed")


class _Notes:
    """What was written, by file, as the user's own state keeps it."""

    def __init__(self) -> None:
        home = own_state()
        if home is None:
            raise StoreUnavailable("you have no home folder: set XDG_STATE_HOME to one of your own")
        self._file = home / "setup.json"
        try:
            stored = self._file.read_bytes()
        except FileNotFoundError:
            stored = b"{}"
        try:
            self._files = msgspec.json.decode(stored, type=dict[str, _Written])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"{str(self._file)!r}, where it stands what was written into which file, cannot be "
                f"read ({error}): remove it, and take out by hand what was written before"
            ) from error

    def of(self, file: Path, client: str, what: str) -> list[_Put]:
        """What was put into a file for a client."""
        written = self._files.get(str(file))
        every = written.puts if written else []
        return [put for put in every if (put.client, put.what) == (client, what)]

    def put(
        self, file: Path, client: str, edits: list[tuple[_Piece, Edit]], *, was_there: bool
    ) -> None:
        """Note what is put into a file, in the place of what was before."""
        made = [str(folder) for folder in file.resolve().parents if not folder.exists()]
        known = self._files.setdefault(str(file), _Written(was_there, made, []))
        new = [_Put(client, piece.what, *edit, piece.keys, piece.value) for piece, edit in edits]
        earlier = self.of(file, client, new[0].what)
        known.puts = [put for put in known.puts if put not in earlier] + new

    def made_with(self, file: Path, mine: list[_Put]) -> list[Path] | None:
        """The folders made for a file; None if it was not made, or more was put into it."""
        written = self._files[str(file)]
        if written.was_there or any(put not in mine for put in written.puts):
            return None
        return [Path(folder) for folder in written.folders]

    def drop(self, file: Path, mine: list[_Put]) -> None:
        """Forget what was put into a file."""
        written = self._files[str(file)]
        written.puts = [put for put in written.puts if put not in mine]
        if not written.puts:
            del self._files[str(file)]

    def keep(self) -> None:
        """Keep the notes; a file is written after it was noted, so that a kill loses nothing."""
        if not self._files:
            self._file.unlink(missing_ok=True)
            return
        private.make_folder(self._file.parent)
        private.write_whole(self._file, msgspec.json.format(msgspec.json.encode(self._files)))


@contextlib.contextmanager
def _turn(*, dry_run: bool) -> Generator["_Notes"]:
    """The notes, for one process at a time where something is to be written: what two put into
    files at once would be noted by one of them."""
    with WriteLock(None if dry_run else own_state(), "lock").taken():
        yield _Notes()


@contextlib.contextmanager
def _in_words() -> Generator[None]:
    """Let what the system refuses be bad input: one file must not keep out the others."""
    try:
        yield
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go round
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise InvalidInput(f"it cannot be read or written ({why})") from error


def _text_of(file: Path) -> str | None:
    try:
        with _in_words():
            return file.resolve().read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8: mend it first") from error


def _write(file: Path, text: str) -> None:
    """Write whole or not at all, with the rights that the file has. Raises InvalidInput."""
    with _in_words():
        file = file.resolve()
        rights = file.stat().st_mode & 0o777 if file.exists() else private.FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        private.write_whole(file, text.encode("utf-8"), rights=rights)
