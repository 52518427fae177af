"""An operation as a command: its arguments as words and options, its result as text or JSON."""

import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click
from click.core import ParameterSource
from msgspec import Meta

from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import Invocation, invocation
from quipu.serve.cli.lazy import Command, CommandEntry, Group
from quipu.serve.cli.options import (
    DATE,
    DAY,
    confirm,
    note_unknown,
    properties,
    read_question,
    read_text,
    remembered,
    whom,
)
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
        confirm(door.erases(given), agreed=words["yes"])
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
            note_unknown(run, subject, given[door.unknown])
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
        return tuple(remembered(memory, each) for each in value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return value if value is None else remembered(memory, value)


def _value(argument: Argument, words: dict[str, Any]) -> Any:
    """What was given for an argument, of all that was written."""
    if keys := argument.note(Keys):
        found = {key: words[key] for key in keys.said}
        return {key: value for key, value in found.items() if value is not None}
    value = words[argument.name]
    if Mark.CONTENT in argument.notes:
        return read_text(value, words["file"])
    if Mark.SENTENCE in argument.notes:
        return read_question(value)
    if Mark.PAIRS in argument.notes:
        return properties(value)
    flags = {str(each.value): each.value for each in argument.notes if isinstance(each, Flag)}
    if value in flags:
        return flags[value]
    return whom(value) if Mark.SUBJECT in argument.notes and value is not None else value


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
        return DATE if Mark.DATE in days else DAY
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


Shown = Callable[[str, int, int], None]
"""Called with (stage, done, total); total is 0 while it is not known."""

_BETWEEN_REWRITES_S, _BETWEEN_LINES_S = 0.1, 15.0
_CLEARED = "\r\x1b[K"


@contextmanager
def progress(*, quiet: bool) -> Generator[Shown | None]:
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
