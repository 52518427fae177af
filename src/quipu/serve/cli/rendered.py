"""An operation as a command: its arguments as words and options, its result as text or JSON."""

import re
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click
from click.core import ParameterSource
from msgspec import Meta

from quipu.errors import InvalidInput, UnknownRecord
from quipu.facts.keys import USER
from quipu.ports import Progress
from quipu.records.record import Properties
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import Command, CommandEntry, Group
from quipu.serve.cli.terminal import note, safe
from quipu.serve.operations import (
    REQUIRED,
    Argument,
    Exists,
    Flag,
    Keys,
    Mark,
    Operation,
    Word,
    standard_input,
)
from quipu.serve.operations import Command as Door

if TYPE_CHECKING:  # pragma: no cover
    from quipu.memory import Memory

__all__ = ["command_of"]

_MOST = 1_000_000
"""The largest count that a command takes: a store has no place for any number."""


def command_of(
    operation: Operation, name: str, inside: Mapping[str, CommandEntry]
) -> click.Command:
    """Return the command `name` of an operation, with the commands below it."""
    door = next(each for each in operation.doors if isinstance(each, Door))
    arguments = list(operation.arguments(door))
    own = [p for each in arguments for p in _parameters(each, door.spelled.get(each.name, ""))]
    asked = "Do not ask; without a terminal it must be given."
    made: dict[str, Any] = {
        "params": [
            *own,
            *([click.Option(["--yes"], is_flag=True, help=asked)] if door.erases else ()),
            *(_retired(spelled, says) for spelled, says in door.retired.items()),
        ],
        "callback": partial(_called, operation, door, arguments),
        "help": operation.help,
        "examples": operation.examples,
    }
    if inside:
        return Group(name, entries=inside, invoke_without_command=True, **made)
    return Command(name, **made)


def _retired(spelled: str, says: str) -> click.Option:
    """A hidden option that counts for nothing: `--name` or, with a value, `--name VALUE`."""
    option, _, value = spelled.partition(" ")

    def told(ctx: click.Context, parameter: click.Parameter, _value: Any) -> None:
        if ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            note(f"{option} counts for nothing and goes with the next version: {says}", fg="yellow")

    return click.Option(
        [option], is_flag=not value, hidden=True, expose_value=False, callback=told, help=says
    )


def _called(operation: Operation, door: Door, arguments: list[Argument], **words: Any) -> None:
    from quipu.serve.cli.text import Given, lines_of

    context = click.get_current_context()
    if context.invoked_subcommand is not None:
        return
    run = invocation()
    given = {each.name: _value(each, words) for each in arguments}
    if door.erases is not None:
        _confirm(door.erases(given), agreed=words["yes"])
    with ExitStack() as stack:
        subject: Any = run
        if operation.takes("memory"):
            reads = operation.needs == "read" and not given.get(door.writes)
            subject = stack.enter_context(run.open(read_only=reads))
            given |= {
                a.name: _placed(subject, given[a.name]) for a in arguments if Mark.PLACE in a.notes
            }
        result = _done(run, operation, subject, given)
        if result is None:  # it has printed what there was
            return
        printed = door.prints(result, given) if run.as_json else result
        run.show(printed, lambda: lines_of(result, Given(subject, given)))
        if given.get(door.unknown) is not None and not getattr(result, door.finds):
            _note_unknown(run, subject, given[door.unknown])
    if door.fails(result):
        context.exit(NO)


def _done(run: Invocation, operation: Operation, subject: Any, given: dict[str, Any]) -> Any:
    also: dict[str, Any] = {"tell": run.note} if operation.takes("tell") else {}
    if not operation.takes("progress"):
        return operation.run(subject, **given, **also)
    with progress(quiet=run.quiet) as shown:
        return operation.run(subject, **given, **also, progress=shown)


def _placed(memory: "Memory", value: Any) -> Any:
    """The path of a file that exists as the memory has it."""
    if isinstance(value, tuple):
        return tuple(_remembered(memory, each) for each in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value if value is None else _remembered(memory, value)


def _value(argument: Argument, words: dict[str, Any]) -> Any:
    """What was given for an argument, of all that was written."""
    if keys := argument.note(Keys):
        found = {key: words[key] for key in keys.said}
        return {key: value for key, value in found.items() if value is not None}
    value = words[argument.name]
    if Mark.CONTENT in argument.notes:
        return _text(value, words["file"])
    if Mark.SENTENCE in argument.notes:
        return _question(value)
    if Mark.PAIRS in argument.notes:
        return _properties(value)
    flags = {str(each.value): each.value for each in argument.notes if isinstance(each, Flag)}
    if value in flags:
        return flags[value]
    return _whom(value) if Mark.SUBJECT in argument.notes and value is not None else value


def _parameters(argument: Argument, spelled: str) -> list[click.Parameter]:
    if keys := argument.note(Keys):
        return [
            click.Option([_option(key), key], type=float, help=_sentence(says))
            for key, says in keys.said.items()
        ]
    if Mark.CONTENT in argument.notes:
        kind = click.Path(exists=True, dir_okay=False, path_type=Path)
        from_file = click.Option(["--file"], type=kind, help="Read the text from this file.")
        return [click.Argument([argument.name], required=False), from_file]
    flags = [each for each in argument.notes if isinstance(each, Flag)]
    if flags and flags[0].value is not None:
        return [
            click.Option(
                [flag.spelled, argument.name], flag_value=str(flag.value), help=_sentence(flag.says)
            )
            for flag in flags
        ]
    return [_parameter(argument, spelled or (flags[0].spelled if flags else ""))]


def _parameter(argument: Argument, spelled: str) -> click.Parameter:
    if Mark.SENTENCE in argument.notes:
        return click.Argument([argument.name], nargs=-1)
    if Mark.PAIRS in argument.notes:
        says = f"{_sentence(argument.says)} May be repeated."
        return _repeated("--property", argument.name, "KEY=VALUE", says)
    if word := argument.note(Word):
        return _word(argument, word)
    return _named(argument, spelled or _option(argument.name))


def _word(argument: Argument, word: Word) -> click.Argument:
    many = get_origin(argument.type) is tuple
    needed = argument.default is REQUIRED
    shown = {"metavar": word.shown} if word.shown else {}
    return click.Argument(
        [argument.name],
        type=_type(argument),
        nargs=-1 if many else 1,
        required=needed,
        **shown,
        **({} if needed or many else {"default": argument.default}),
    )


def _named(argument: Argument, spelled: str) -> click.Option:
    """The option of an argument; `--no-graph` of one that is true unless it is given."""
    shown: dict[str, Any] = {}
    flag = argument.note(Flag)
    says = _sentence((flag and flag.says) or argument.says)
    kind = argument.type
    if kind is bool and "/" not in spelled:
        if argument.default is True:
            return click.Option([spelled, argument.name], flag_value=False, default=True, help=says)
        return click.Option([spelled, argument.name], is_flag=True, help=says)
    if get_origin(kind) is tuple:
        return _repeated(spelled, argument.name, "NAME", f"{says} May be repeated.")
    if argument.default not in (None, "", REQUIRED) and kind is not bool:
        shown = {"show_default": True}
    return click.Option(
        [spelled, argument.name],
        type=None if kind is bool else _type(argument),
        default=None if argument.default is REQUIRED else argument.default,
        required=argument.default is REQUIRED,
        help=says,
        **shown,
    )


def _repeated(spelled: str, name: str, shown: str, says: str) -> click.Option:
    return click.Option([spelled, name], multiple=True, metavar=shown, help=says)


def _type(argument: Argument) -> Any:
    """What a word is read as. Bounds above are for callers from elsewhere; counts have one here."""
    kind = _plain(argument.type)
    if days := {Mark.DATE, Mark.DAY}.intersection(argument.notes):
        return _Date() if Mark.DATE in days else _Day()
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is Path:
        there = argument.note(Exists)
        kinds = {"file_okay": not there.folder, "dir_okay": there.folder} if there else {}
        return click.Path(path_type=Path, exists=there is not None, **kinds)
    return _number(kind, argument.meta) if kind in (int, float) else kind


def _number(kind: type[int | float], meta: Meta) -> click.ParamType[Any]:
    if kind is int:
        return click.IntRange(None if meta.ge is None else int(meta.ge), _MOST)
    if meta.gt is not None:
        return click.FloatRange(meta.gt, min_open=True)
    return click.FLOAT if meta.ge is None else click.FloatRange(meta.ge, meta.le)


def _plain(kind: Any) -> Any:
    """The type of one value: of `str | None` and of a list of names, `str`."""
    if get_origin(kind) is Literal:
        return kind
    inner = [each for each in get_args(kind) if each not in (NoneType, Ellipsis)]
    if not inner:
        return kind
    return _plain(inner[0])


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _sentence(says: str) -> str:
    return f"{says[:1].upper()}{says[1:]}." if says else ""


class _Date(click.ParamType[str]):
    """A date as it was written; what is asked or stated with it reads it. A blank one is no date,
    for what was left out means something else: now, or no bound."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value.strip():
            self.fail(
                f"{value!r} is not a date: write it as 2026-01-31, or leave it out", param, ctx
            )
        return value


class _Day(_Date):
    """A date, or words that are told from the present: "yesterday" is where that day begins. What
    is stored takes none: the rest of "yesterday at 10:30" would be lost in silence."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        value = super().convert(value, param, ctx)
        if value[:4].isdigit():
            return value
        from quipu.handle.dates import read_window
        from quipu.when.instants import system_clock

        try:
            return read_window(value, system_clock).after or value
        except InvalidInput:
            return value


def _whom(name: str) -> str:
    """What is asked about, as statements call it: "me" is the user."""
    return USER if name.strip().casefold() == "me" else name


def _question(words: tuple[str, ...]) -> str:
    """The question: the words of the command line, or standard input for `-` or no words."""
    if words in ((), ("-",)):
        if not words and sys.stdin.isatty():
            raise InvalidInput("no question was given: write it after the command, or pipe it in")
        return standard_input().decode("utf-8", "replace")
    text = " ".join(words)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _text(text: str | None, file: Path | None) -> str:
    """A text that was written, or that stands in a file or on standard input. Raises InvalidInput
    for what is no text."""
    if file is not None:
        if text is not None:
            raise InvalidInput("a text and --file were both given: choose one")
        return _decoded(file.read_bytes(), repr(str(file)))
    if text is None and sys.stdin.isatty():
        raise InvalidInput("no text was given: write it after the command, or name a --file")
    return _decoded(standard_input(), "standard input") if text in (None, "-") else str(text)


def _decoded(data: bytes, name: str) -> str:
    from quipu.read.decode import decode, is_binary

    if is_binary(data):
        raise InvalidInput(
            f"{name} is binary (it holds NUL bytes): save it as UTF-8; `quipu index` reads "
            "documents of other formats"
        )
    text, warning = decode(data)
    if warning:
        invocation().note(f"{name} {warning}")
    return text


def _confirm(what: str, *, agreed: bool) -> None:
    """Ask a person whether `what` shall be erased, unless that was agreed. Raises InvalidInput
    where there is nobody to ask."""
    if agreed:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InvalidInput(
            f"there is no terminal to ask whether {what} shall be erased for good: give --yes"
        )
    click.confirm(f"Erase {what} for good?", abort=True, err=True)


def _properties(pairs: tuple[str, ...]) -> Properties:
    """`KEY=VALUE` pairs as properties; every value is text."""
    found: Properties = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InvalidInput(f"{pair!r} is not a property: write it as key=value")
        found[key.strip()] = value
    return found


def _remembered(memory: "Memory", ref: str) -> str:
    """`ref` as the memory has it: the path of a file that exists, seen from the present folder,
    becomes the path from the memory's home; anything else stays as it is."""
    name = re.sub(r"(?::|#L)\d+(?:-L?\d+)?\Z", "", ref)
    try:
        if not Path(name).is_file():
            return ref
        path = Path(name).resolve().relative_to(memory.home.folder.resolve())
        return path.as_posix() + ref[len(name) :]
    except (OSError, ValueError):  # not a name a file can have; outside the home
        return ref


def _note_unknown(run: "Invocation", memory: "Memory", name: str) -> None:
    """Say what `get` says where nothing is known as `name`: the nearest names."""
    try:
        memory.get(_remembered(memory, name))
    except UnknownRecord as error:
        run.note(str(error))


_BETWEEN_REWRITES_S, _BETWEEN_LINES_S = 0.1, 15.0
_CLEARED = "\r\x1b[K"


@contextmanager
def progress(*, quiet: bool) -> Generator[Progress | None]:
    """Yield what shows the progress of the work inside; None, so nothing, when `quiet`."""
    if quiet:
        yield None
        return
    rewrites = sys.stderr.isatty()
    between_s = _BETWEEN_REWRITES_S if rewrites else _BETWEEN_LINES_S
    due_s = 0.0 if rewrites else time.monotonic() + between_s

    def shown(stage: str, done: int, total: int) -> None:
        nonlocal due_s
        if time.monotonic() < due_s:
            return
        due_s = time.monotonic() + between_s
        line = f"{stage}: {done:,} of {total:,}" if total else f"{stage}: {done:,}"
        if rewrites:
            sys.stderr.write(f"{_CLEARED}{safe(line, line=True)}")
            sys.stderr.flush()
        else:
            note(line)

    try:
        yield shown
    finally:
        if rewrites:
            sys.stderr.write(_CLEARED)
            sys.stderr.flush()
