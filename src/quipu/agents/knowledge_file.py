"""The JSONL file in which the official MCP memory server keeps its graph: in and out."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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


class _Line(msgspec.Struct, frozen=True):
    """A line of the file: an entity or a relation."""

    type: str = ""
    name: str = ""
    kind: str = msgspec.field(name="entityType", default="")
    observations: tuple[str, ...] = ()
    source: str = msgspec.field(name="from", default="")
    relation: str = msgspec.field(name="relationType", default="")
    target: str = msgspec.field(name="to", default="")


_read_line = msgspec.json.Decoder(_Line).decode


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
        except (InvalidInput, msgspec.DecodeError, RecursionError) as error:
            errors.append(f"line {number}: {error}")
            continue
        if isinstance(record, KnowledgeRelation):
            relations.append(record)
        else:
            known = things.setdefault(record.name, record)
            observations = tuple(dict.fromkeys((*known.observations, *record.observations)))
            things[record.name] = msgspec.structs.replace(known, observations=observations)
    made, observed, related = KnowledgeGraph(memory).take_in(list(things.values()), relations)
    return KnowledgeImported(
        entities=len(made), observations=observed, relations=len(related), errors=tuple(errors)
    )


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


def _record(line: str) -> KnowledgeEntity | KnowledgeRelation:
    said = _read_line(line)
    needed = {
        "entity": {"name": said.name},
        "relation": {"from": said.source, "relationType": said.relation, "to": said.target},
    }.get(said.type)
    if needed is None:
        raise InvalidInput(f"its type {said.type!r} is neither entity nor relation")
    for key, value in needed.items():
        if not value.strip():
            raise InvalidInput(f"{key} is blank: give a text")
    if said.type == "relation":
        return KnowledgeRelation(source=said.source, type=said.relation, target=said.target)
    observations = tuple(text for text in said.observations if text.strip())
    return KnowledgeEntity(name=said.name, type=said.kind, observations=observations)
