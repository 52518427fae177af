"""`state`: a fact as it is, without a sentence that has to be read."""

from pathlib import Path
from typing import Annotated, Any

import msgspec

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.stated import StatedList, StatementInput
from quipu.serve.operations import Command, Date, Flag, Word, operation, standard_input

__all__: list[str] = []


@operation("write", Command())
def state(
    memory: Memory,
    statements: Annotated[tuple[str, ...], Word("[STATEMENTS]...")] = (),
    since: Annotated[Date | None, "from when on; when it is said, if left out"] = None,
    until: Annotated[Date | None, "until when, if it has an end"] = None,
    said_at: Annotated[Date | None, "when it was said; now, if left out"] = None,
    source: Annotated[str, "who said it, or where"] = "",
    ends: Annotated[bool, "it is so no more: a statement without a value"] = False,
    replaces: Annotated[str, "the id of the fact whose place it takes"] = "",
    corrects: Annotated[str, "the id of a fact that was never so, but this was"] = "",
    retracts: Annotated[str, "the id of a fact that was never so; no STATEMENT"] = "",
    listed: Annotated[
        str | None,
        "a list of statements as JSON, as `POST /api/v1/statements` takes them; - for a pipe",
        Flag("--file"),
    ] = None,
) -> StatedList:
    """State facts, all or none of them: "SUBJECT ATTRIBUTE = VALUE".

    The attribute is the last word before the sign, or what follows a colon; a value in JSON keeps
    its type. A key has one value at a time. What was replaced, and which keys may mean the same, is
    told; nothing is merged that is not named by --replaces.

    $ quipu state "billing owner = Dagny" --since 2026-08-10
    $ quipu state "checkout api: deploy day = Tuesday" "billing: tags = ["eu", "core"]"
    $ quipu state "billing owner" --ends --until 2026-09-01
    $ quipu state "billing on-call person = Erik" --replaces fa_0123456789abcdef01234567
    $ quipu state --file statements.json
    """
    if listed is not None:
        return StatedList(stated=tuple(memory.facts.state(_read(listed))))
    told = {
        "since": since,
        "until": until,
        "said_at": said_at,
        "source": source,
        "ends": ends,
        "replaces": replaces,
        "corrects": corrects,
        "retracts": retracts,
    }
    more: Any = {name: value for name, value in told.items() if value}
    given = [StatementInput(**_parts(each), **more) for each in statements or ("",)]
    return StatedList(stated=tuple(memory.facts.state(given)))


def _read(file: str) -> list[StatementInput]:
    try:
        data = standard_input() if file == "-" else Path(file).read_bytes()
        return msgspec.json.decode(data, type=list[StatementInput])
    except OSError as error:
        raise InvalidInput(f"--file {file!r} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{file} holds no list of statements: {error}") from error


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
