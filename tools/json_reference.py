"""`docs/reference/json.md` and `json.schema.json`, made from the types that the commands print.

`python -m tools.json_reference > docs/reference/json.md` brings both up to date.
"""

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, get_args

import click
import msgspec

from quipu.agents.audits import Audit, Overview
from quipu.agents.chat import Exchange
from quipu.records.plan import Plan
from quipu.serve.cli.lazy import CommandEntry
from quipu.serve.cli.root import ENTRIES
from quipu.serve.cli.serving import Serving
from quipu.serve.http.openapi import schemas_of
from quipu.serve.operations import Operation
from quipu.serve.operations.asking import DocumentsPlan, PlannedAnswer
from quipu.serve.operations.records import Added
from quipu.serve.shapes import Shape, parts
from quipu.write.report import IndexReport

__all__ = ["DOCUMENTS", "described", "reference", "schema"]


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
            if name in _OF_OTHERS or found.gives is not type(None):
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

_HEAD = """\
# JSON

Made from the types by `python -m tools.json_reference`; a test compares.

Every command prints one document with `--json` (`quipu watch` one a line). What its keys hold and
mean stands in [json.schema.json](json.schema.json), a JSON Schema with a definition a document
(`#/$defs/NAME`); HTTP and MCP give the same. Keys are only ever added: a program should pass over
those it does not know. Text is UTF-8; characters that could steer a terminal are written as `\\u`
escapes. Instants are UTC, RFC 3339. Lines are 1-based and inclusive. Rates, scores, confidences and
matches lie in [0, 1].

| command | document |
|---|---|
"""


def reference() -> str:
    """Return the page: each command and the names of what it prints."""
    rows = [f"| `{name}` | {_documents(name, shapes)} |" for name, shapes in DOCUMENTS.items()]
    rows.append(f"| any, when it fails | `{Failure.__name__}` |")
    return _HEAD + "\n".join(rows) + "\n"


def schema() -> str:
    """Return the schema of every document and of what stands within, as JSON."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    whole = {"$schema": dialect, "$defs": schemas_of(described())}
    written = json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True)
    return written.replace("#/components/schemas/", "#/$defs/") + "\n"


def described() -> list[Shape]:
    """Return the shapes that have a definition of their own."""
    return list(parts([Failure, *(shape for shapes in DOCUMENTS.values() for shape in shapes)]))


def _documents(name: str, shapes: tuple[Shape, ...]) -> str:
    """Return the documents of a command, the usual one first."""
    others = zip(_OTHERWISE.get(name, ()), shapes[1:], strict=True)
    return f"`{shapes[0].__name__}`" + "".join(
        f" or, with `{words}`, `{shape.__name__}`" for words, shape in others
    )


if __name__ == "__main__":
    Path("docs/reference/json.schema.json").write_text(schema(), encoding="utf-8")
    click.echo(reference(), nl=False)
