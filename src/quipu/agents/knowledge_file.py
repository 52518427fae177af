"""The JSONL file in which the official MCP memory server keeps its graph: in and out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec

from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.errors import InvalidInput
from quipu.transfer.formats import GraphWritten, replace_files

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["KnowledgeImported", "export_knowledge", "import_knowledge"]


class KnowledgeImported(msgspec.Struct, frozen=True, kw_only=True):
    """What was new; `errors` names each line that could not be used, and why."""

    entities: Annotated[int, "how many entities were new"]
    observations: Annotated[int, "how many observations were new"]
    relations: Annotated[int, "how many relations were new"]
    errors: Annotated[tuple[str, ...], "each line that could not be used, and why"]


def import_knowledge(memory: "Memory", path: Path) -> KnowledgeImported:
    """Take in every entity, observation and relation of `path` that is not there yet."""
    things: dict[str, KnowledgeEntity] = {}
    relations: list[KnowledgeRelation] = []
    errors: list[str] = []
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = _record(line)
            if isinstance(record, KnowledgeRelation):
                relations.append(record)
            else:
                stored = things.get(record.name)
                seen = (
                    (*stored.observations, *record.observations) if stored else record.observations
                )
                things[record.name] = msgspec.structs.replace(
                    stored or record, observations=tuple(dict.fromkeys(seen))
                )
        except InvalidInput as error:
            errors.append(f"line {number}: {error}")
    return _take_in(memory, list(things.values()), relations, errors)


def export_knowledge(memory: "Memory", path: Path, *, overwrite: bool = False) -> GraphWritten:
    """Write the hand-kept graph to `path` as that server keeps it, in the order in which it was
    said. Raises InvalidInput for a file that is there when it is not to be overwritten."""
    things, relations = KnowledgeGraph(memory).read()
    records = [
        *({"type": "entity", **msgspec.to_builtins(thing)} for thing in things),
        *({"type": "relation", **msgspec.to_builtins(relation)} for relation in relations),
    ]
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    replace_files({path: lines}, overwrite=overwrite)
    return GraphWritten(
        format="server-memory", nodes=len(things), edges=len(relations), files=(str(path),)
    )


def _take_in(
    memory: "Memory",
    things: list[KnowledgeEntity],
    relations: list[KnowledgeRelation],
    errors: list[str],
) -> KnowledgeImported:
    made, observed, related = KnowledgeGraph(memory).take_in(things, relations)
    return KnowledgeImported(
        entities=len(made),
        observations=observed,
        relations=len(related),
        errors=tuple(errors),
    )


def _record(line: str) -> KnowledgeEntity | KnowledgeRelation:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("is no JSON") from error
    if not isinstance(value, dict):
        raise InvalidInput("is no object")
    said = cast("dict[str, Any]", value)
    if said.get("type") == "entity":
        return KnowledgeEntity(
            name=_text(said, "name"),
            type=_text(said, "entityType", may_lack=True),
            observations=tuple(o for o in _observations(said) if o.strip()),
        )
    if said.get("type") == "relation":
        return KnowledgeRelation(
            source=_text(said, "from"),
            type=_text(said, "relationType"),
            target=_text(said, "to"),
        )
    raise InvalidInput(f"its type {said.get('type')!r} is neither entity nor relation")


def _text(said: dict[str, Any], key: str, *, may_lack: bool = False) -> str:
    value = said.get(key, "" if may_lack else None)
    if not isinstance(value, str) or not (value.strip() or may_lack):
        raise InvalidInput(f"{key} is {value!r}, not a text")
    return value


def _observations(said: dict[str, Any]) -> Iterator[str]:
    observations = said.get("observations", [])
    if not isinstance(observations, list):
        raise InvalidInput(f"observations are {type(observations).__name__}, not a list")
    for each in cast("list[object]", observations):
        if not isinstance(each, str):
            raise InvalidInput(f"the observation {each!r} is no text")
        yield each
