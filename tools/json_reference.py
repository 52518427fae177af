"""`docs/reference/json.md`, made from the types that the commands print.

`python -m tools.json_reference > docs/reference/json.md` brings it up to date.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import click
import msgspec

from quipu.agents.audits import Audit, Overview
from quipu.agents.chat import Exchange
from quipu.records.plan import Plan
from quipu.serve.cli.lazy import CommandEntry
from quipu.serve.cli.root import ENTRIES
from quipu.serve.cli.serving import Serving
from quipu.serve.operations import Operation
from quipu.serve.operations.asking import DocumentsPlan, PlannedAnswer
from quipu.serve.operations.records import Added
from quipu.serve.schemas import Shape, keys, parts
from quipu.write.report import IndexReport

__all__ = ["DOCUMENTS", "described", "reference"]


class FailureDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What failed."""

    kind: Annotated[str, "a class of `quipu.errors`, `Usage`, `System` or `Internal`"]
    message: Annotated[str, "what failed, with which value, and what to do next"]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Any command that failed (exit code 2, 3), instead of its own document."""

    error: Annotated[FailureDetail, "what failed"]


_OF_OTHERS: dict[str, tuple[Shape, ...]] = {
    "quipu add": (Added,),
    "quipu ask": (PlannedAnswer,),
    "quipu audit": (Overview, Audit),
    "quipu chat": (Exchange,),
    "quipu plan": (Plan, DocumentsPlan),
    "quipu serve": (Serving,),
    "quipu watch": (IndexReport,),
}
"""The commands that print another document than their operation gives."""


def _documents_of(
    entries: Mapping[str, CommandEntry], before: str
) -> Iterator[tuple[str, tuple[Shape, ...]]]:
    for word, entry in entries.items():
        name = f"{before} {word}"
        inside = getattr(entry.place, "entries", entry.inside)
        if inside:
            yield from _documents_of(inside, name)
        elif isinstance(entry.place, str):
            module, _, attribute = entry.place.partition(":")
            found: Operation = getattr(import_module(module), attribute)
            yield name, _OF_OTHERS.get(name) or get_args(found.gives) or (found.gives,)


DOCUMENTS = dict(_documents_of(ENTRIES, "quipu"))
"""What each command prints with `--json`; of several, the others as `_OTHERWISE` says."""

_OTHERWISE = {
    "quipu doctor": ("--salvage",),
    "quipu export": ("--format FORMAT",),
    "quipu import": ("arf", "mem0"),
    "quipu audit": ("SUBJECT",),
    "quipu jobs": ("JOB_ID",),
    "quipu plan": ("--mode documents",),
    "quipu index": ("--git",),
    "quipu trust": ("--list",),
}

_WORDS: dict[object, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    NoneType: "null",
    Any: "any value",
}
_HEAD = """\
# JSON

Made from the types by `python -m tools.json_reference`; a test compares.

Every command prints one document with `--json` (`quipu watch` one a line). Keys are only ever
added: a program should pass over those it does not know. Text is UTF-8; characters that could
steer a terminal are written as `\\u` escapes. Instants are UTC, RFC 3339. Lines are 1-based and
inclusive. Rates, scores, confidences and matches lie in [0, 1]. What the keys of a part mean stands
in the schemas of the tools over MCP and of `/api/openapi.json`.

| command | document |
|---|---|
"""


def reference() -> str:
    """The whole page."""
    rows = [f"| `{name}` | {_documents(name, each)} |" for name, each in DOCUMENTS.items()]
    rows.append(f"| any, when it fails | {_link(Failure)} |")
    told: dict[tuple[str, Any, str], str] = {}
    whole = set(_shapes())
    sections = [_section(shape, told) if shape in whole else _part(shape) for shape in described()]
    return _HEAD + "\n".join(rows) + "\n" + "".join(sections)


def described() -> list[Shape]:
    """The shapes that have a section of their own."""
    return list(parts(_shapes()))


def _documents(name: str, each: tuple[Shape, ...]) -> str:
    """The documents of a command, the usual one first."""
    others = zip(_OTHERWISE.get(name, ()), each[1:], strict=True)
    return _link(each[0]) + "".join(f" or, with `{w}`, {_link(shape)}" for w, shape in others)


def _shapes() -> list[Shape]:
    return [Failure, *(shape for each in DOCUMENTS.values() for shape in each)]


def _section(shape: Shape, told: dict[tuple[str, Any, str], str]) -> str:
    """The keys of a shape; those that an earlier one has with the same meaning by name alone."""
    described = " ".join((shape.__doc__ or "").split()).partition(". ")[0].rstrip(".")
    rows: list[str] = []
    known: dict[str, list[str]] = {}
    for key in keys(shape):
        first = told.setdefault((key.name, str(key.type), key.meaning), shape.__name__)
        if first != shape.__name__:
            known.setdefault(first, []).append(f"`{key.name}`")
        else:
            rows.append(f"- `{key.name}` ({_spelled(key.type)}): {key.meaning}\n")
    rows += [f"- {', '.join(names)}: as in {_named(of)}\n" for of, names in known.items()]
    return f"\n## {shape.__name__}\n\n{described}.\n\n{''.join(rows)}"


def _part(shape: Shape) -> str:
    """The keys of a shape that stands within others, without their meanings."""
    shown = ", ".join(f"`{key.name}` {_spelled(key.type)}" for key in keys(shape))
    return f"\n## {shape.__name__}\n\n{shown}.\n"


def _link(shape: Shape) -> str:
    return _named(shape.__name__)


def _named(shape: str) -> str:
    return f"[{shape}](#{shape.lower()})"


def _spelled(hint: Any) -> str:
    if get_origin(hint) is None:
        return _WORDS[hint] if hint in _WORDS else _link(hint)
    return _spelled_whole(get_origin(hint), get_args(hint))


def _spelled_whole(origin: Any, args: tuple[Any, ...]) -> str:
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in args)
    if origin in (tuple, list, frozenset):
        many = len(args) == 1 or args[-1] is Ellipsis
        return f"list of {_spelled(args[0])}" if many else f"[{', '.join(map(_spelled, args))}]"
    if origin in (dict, Mapping):
        return f"object of {_spelled(args[1])}"
    if any(get_origin(each) is dict for each in args):  # a union of all that JSON can hold
        return "any value"
    return " or ".join(_spelled(each) for each in args)


if __name__ == "__main__":
    click.echo(reference(), nl=False)
