"""`state`: a fact as it is, without a sentence that has to be read."""

from collections.abc import Iterator
from typing import Any

import click
import msgspec

from quipu.answer.dated_facts import said
from quipu.errors import InvalidInput
from quipu.records.stated import KnownKey, Stated, StatedList, StatementInput
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import DATE
from quipu.serve.cli.terminal import safe

__all__ = ["state"]


@command(
    "state",
    'quipu state "billing owner = Dagny" --since 2026-08-10',
    'quipu state "checkout api: deploy day = Tuesday" "billing: tags = ["eu", "core"]"',
    'quipu state "billing owner" --ends --until 2026-09-01',
    'quipu state "billing on-call person = Erik" --replaces fa_0123456789abcdef01234567',
    "quipu state --file statements.json",
)
@click.argument("statements", nargs=-1)
@click.option("--since", type=DATE, help="From when on.  [default: when it is said]")
@click.option("--until", type=DATE, help="Until when, if it has an end.")
@click.option("--said-at", type=DATE, help="When it was said.  [default: now]")
@click.option("--source", default="", help="Who said it, or where.")
@click.option("--ends", is_flag=True, help="It is so no more: a statement without a value.")
@click.option("--replaces", metavar="FACT_ID", default="", help="The fact whose place it takes.")
@click.option("--corrects", metavar="FACT_ID", default="", help="It was never so, but this was.")
@click.option("--retracts", metavar="FACT_ID", default="", help="It was never so; no STATEMENT.")
@click.option(
    "--file",
    type=click.File(encoding="utf-8"),
    help="A list of statements as JSON, as `POST /api/v1/statements` takes them; - for a pipe.",
)
def state(statements: tuple[str, ...], file: Any, **options: Any) -> None:
    """State facts, all or none of them: "SUBJECT ATTRIBUTE = VALUE".

    The attribute is the last word before the sign, or what follows a colon; a value in JSON keeps
    its type. A key has one value at a time. What was replaced, and which keys may mean the same, is
    told; nothing is merged that is not named by --replaces.
    """
    run = invocation()
    given: list[StatementInput] = []
    if file is not None:
        try:
            given = msgspec.json.decode(file.read(), type=list[StatementInput])
        except msgspec.DecodeError as error:
            raise InvalidInput(f"{file.name} holds no list of statements: {error}") from error
    else:
        more = {name: value for name, value in options.items() if value}
        given = [StatementInput(**_parts(each), **more) for each in statements or ("",)]
    with run.open() as memory:
        done = StatedList(stated=tuple(memory.facts.state(given)))
        run.show(done, lambda: (line for each in done.stated for line in _lines(each)))


def _parts(statement: str) -> dict[str, Any]:
    key, _, value = (part.strip() for part in statement.partition("="))
    subject, colon, attribute = key.partition(": ")
    if not colon:
        subject, _, attribute = key.rpartition(" ")
    if statement and not (subject and attribute.strip()):
        raise InvalidInput(
            f'{statement!r} is no statement: write it as "SUBJECT ATTRIBUTE = VALUE"'
        )
    return {"subject": subject, "attribute": attribute.strip(), "value": _value(value)}


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text, type=list[str | int | float | bool])
    except msgspec.DecodeError:
        return text


def _lines(made: Stated) -> Iterator[str]:
    yield safe(f"{made.done.capitalize()}: {said(made.fact)}  {made.fact.fact_id}", line=True)
    told = {
        "replaces": made.replaced,
        "replaced by": (made.replaced_by,) if made.replaced_by else (),
        "contradicts": made.contradicts,
        f"other keys of {made.fact.subject}": made.other_keys,
        "near keys": made.near_keys,
    }
    for title, keys in told.items():
        if keys:
            yield from wrapped(f"{title}: {'; '.join(map(_shown, keys))}", indent="  ")


def _shown(key: KnownKey) -> str:
    dates = " ".join(f"{word} {d}" for word, d in (("since", key.since), ("until", key.until)) if d)
    return f"{key.subject} {key.attribute} = {key.value} ({dates}, {key.fact_id})"
