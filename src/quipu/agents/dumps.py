"""What other memories let out as JSON, taken in: mem0, Graphiti and Zep, LangGraph's stores, the
official MCP memory server, whose file is written, too.

Every record keeps the id it had there in its reference (`mem0:<id>`, `graphiti:<uuid>`), so the
same file again changes nothing, and a citation names it. What cannot be used is told, and the rest
counts.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias, cast

import msgspec

from quipu.agents.items import Items
from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.errors import InvalidInput
from quipu.facts.keys import predicate_key
from quipu.handle.expiry import EXPIRES
from quipu.limits import ERRORS_LISTED, ROWS_AT_ONCE
from quipu.records.batch import Claim
from quipu.records.ids import make_id
from quipu.records.passage import PassageInput
from quipu.records.record import Fact, Properties
from quipu.transfer.formats import GraphWritten, replace_files
from quipu.when.instants import parse_instant
from quipu.write.batches import batch_of
from quipu.write.passages import prepared_passages
from quipu.write.prepare import Prepared

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Dump", "DumpTaken", "export_knowledge", "import_dump"]

Dump: TypeAlias = Literal["mem0", "graphiti", "zep", "langgraph", "server-memory"]
_LARGEST = 1_000_000_000

_Row: TypeAlias = Mapping[str, Any]


class DumpTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What a file held and is here now; `errors` names each record that could not be used."""

    passages: Annotated[int, "memories, episodes and facts as texts"] = 0
    entities: Annotated[int, "things that were new"] = 0
    observations: Annotated[int, "what is new of things"] = 0
    relations: Annotated[int, "relations that were new"] = 0
    facts: Annotated[int, "dated facts"] = 0
    items: Annotated[int, "items of a store"] = 0
    errors: Annotated[tuple[str, ...], "each record that could not be used, and why"] = ()


class _StatedFact(NamedTuple):
    """A text, and the fact that it states: subject, predicate and object, from when until when."""

    passage: PassageInput
    said: tuple[str, str, str]
    dates: tuple[str | None, str | None]


@dataclass(slots=True)
class _Dump:
    """What was read of a file, before any of it is written."""

    passages: list[PassageInput] = field(default_factory=list[PassageInput])
    stated: list[_StatedFact] = field(default_factory=list[_StatedFact])
    things: list[KnowledgeEntity] = field(default_factory=list[KnowledgeEntity])
    relations: list[KnowledgeRelation] = field(default_factory=list[KnowledgeRelation])
    items: list[_Row] = field(default_factory=list[_Row])
    errors: list[str] = field(default_factory=list[str])

    def take(self, what: str, records: Iterable[Any], read: Callable[[_Row], None]) -> None:
        """Read each record; one that cannot be used is told."""
        for number, record in enumerate(records, 1):
            try:
                if isinstance(record, ValueError | RecursionError):
                    raise InvalidInput(f"is no JSON ({record})")
                if not isinstance(record, dict):
                    raise InvalidInput(f"is {type(record).__name__}, not an object")
                read(cast("_Row", record))
            except InvalidInput as error:
                self.errors.append(f"{what} {number}: {error}")


def import_dump(memory: "Memory", path: Path, tool: Dump) -> DumpTaken:
    """Take in the JSON (or JSON lines) file at `path` that `tool` wrote; again changes nothing.

    Raises InvalidInput for a file that is no JSON or holds nothing of the kind.
    """
    content = _loaded(path)
    read = _Dump()
    readers = {
        "mem0": _read_mem0,
        "langgraph": _read_langgraph,
        "server-memory": _read_knowledge,
    }
    readers.get(tool, _read_graphiti)(content, read)
    held = read.passages or read.stated or read.things or read.items or read.errors
    if not held and tool != "server-memory":
        raise InvalidInput(
            f"{str(path)!r} holds nothing that {tool} lets out: docs/how-to/move.md shows the form"
        )
    return _write(memory, read)


def export_knowledge(memory: "Memory", path: Path, *, overwrite: bool = False) -> GraphWritten:
    """Write the hand-kept graph to `path` as the official memory server keeps it, in the order in
    which it was said. Raises InvalidInput for a file that is there when it is not to be
    overwritten."""
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


def _loaded(path: Path) -> Any:
    """What a file of JSON holds; of one of JSON lines a list, with the error of a bad line."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InvalidInput(f"{str(path)!r} is larger than {_LARGEST:,} bytes: cut it")
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InvalidInput(f"{str(path)!r} is nested too deeply") from error
    except ValueError as error:
        rows = [_row(line) for line in text.split("\n") if line.strip()]
        if not any(isinstance(row, dict) for row in rows[:1_000]) and rows:
            raise InvalidInput(f"{str(path)!r} is no JSON: {error}") from error
        return rows


def _row(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return error


def _read_mem0(content: Any, read: _Dump) -> None:
    """`get_all()` of mem0: memories, and what its graph relates."""

    def memory(record: _Row) -> None:
        ids = {key: record[key] for key in ("user_id", "agent_id", "run_id") if record.get(key)}
        said = _plain({**_plain(record.get("metadata")), **ids})
        if record.get("expiration_date"):
            said[EXPIRES] = str(record["expiration_date"])
        read.passages.append(
            PassageInput(
                source_ref=f"mem0:{_text(record, 'id')}",
                text=_text(record, "memory", "data", "text"),
                group=str(next(iter(ids.values()), "")),
                observed_at=_instant(record, "updated_at", "created_at"),
                profile="prose",
                properties=said,
            )
        )

    def relation(record: _Row) -> None:
        read.relations.append(
            KnowledgeRelation(
                source=_text(record, "source"),
                type=_text(record, "relationship", "relation"),
                target=_text(record, "target", "destination"),
            )
        )

    read.take("memory", _listed(content, "results", "memories"), memory)
    if isinstance(content, dict):
        read.take("relation", _listed(content, "relations"), relation)


def _read_graphiti(content: Any, read: _Dump) -> None:
    """Episodes, entities and facts of Graphiti or Zep: under their names, or one after another."""
    groups: dict[str, list[Any]] = {"episode": [], "fact": [], "entity": []}
    if isinstance(content, list):
        for record in cast("list[Any]", content):
            keys = cast("_Row", record).keys() if isinstance(record, dict) else ()
            kind = "episode" if "content" in keys else "fact" if "fact" in keys else "entity"
            groups[kind].append(record)
    else:
        groups["episode"] = _listed(content, "episodes")
        groups["fact"] = _listed(content, "edges", "facts")
        groups["entity"] = _listed(content, "nodes", "entities")
    names: dict[str, str] = {}

    def node(record: _Row) -> None:
        name = names[_text(record, "uuid")] = _text(record, "name")
        labels = [str(label) for label in record.get("labels") or () if label != "Entity"]
        summary = str(record.get("summary") or "").strip()
        read.things.append(
            KnowledgeEntity(
                name=name,
                type=labels[0] if labels else "",
                observations=(summary,) if summary else (),
            )
        )

    def episode(record: _Row) -> None:
        said = {key: record.get(key) for key in ("source", "source_description", "role")}
        read.passages.append(
            PassageInput(
                source_ref=f"graphiti:{_text(record, 'uuid')}",
                text=_text(record, "content"),
                title=str(record.get("name") or ""),
                group=str(record.get("group_id") or record.get("session_id") or ""),
                observed_at=_instant(record, "valid_at", "created_at"),
                profile="prose",
                properties=_plain(said),
            )
        )

    def fact(record: _Row) -> None:
        begin, end = _instant(record, "valid_at"), _instant(record, "invalid_at", "expired_at")
        passage = PassageInput(
            source_ref=f"graphiti:{_text(record, 'uuid')}",
            text=_text(record, "fact"),
            group=str(record.get("group_id") or ""),
            observed_at=_instant(record, "created_at", "valid_at"),
            profile="prose",
            properties=_plain({"episodes": record.get("episodes")}),
        )
        source = names.get(str(record.get("source_node_uuid")))
        target = names.get(str(record.get("target_node_uuid")))
        relation = str(record.get("name") or "").strip()
        if not (source and target and relation):
            read.passages.append(passage)
            return
        days = [instant[:10] if instant else None for instant in (begin, end)]
        said = (source, predicate_key(relation), target)
        read.stated.append(_StatedFact(passage, said, (days[0], days[1])))
        if end is None:
            read.relations.append(KnowledgeRelation(source=source, type=relation, target=target))

    read.take("entity", groups["entity"], node)
    read.take("episode", groups["episode"], episode)
    read.take("fact", groups["fact"], fact)


def _read_langgraph(content: Any, read: _Dump) -> None:
    """Items as `Item.dict()` gives them."""

    def item(record: _Row) -> None:
        namespace, value = record.get("namespace"), record.get("value")
        labels = cast("Sequence[object]", namespace) if isinstance(namespace, list) else ()
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise InvalidInput(f"its namespace {namespace!r} is no list of texts")
        if not isinstance(value, dict):
            raise InvalidInput(f"its value is {type(value).__name__}, not an object")
        _text(record, "key")
        _instant(record, "created_at")
        read.items.append(record)

    read.take("item", _listed(content, "items"), item)


def _read_knowledge(content: Any, read: _Dump) -> None:
    """The lines of the file that the official memory server keeps: entities and relations."""
    things: dict[str, KnowledgeEntity] = {}

    def line(record: _Row) -> None:
        if record.get("type") == "relation":
            source, kind, target = (_text(record, k) for k in ("from", "relationType", "to"))
            read.relations.append(KnowledgeRelation(source=source, type=kind, target=target))
            return
        name, said = _text(record, "name"), record.get("observations")
        if record.get("type") != "entity" or not isinstance(said, list):
            raise InvalidInput("is neither an entity nor a relation")
        texts = [str(text) for text in cast("list[Any]", said) if str(text).strip()]
        known = things.get(name) or KnowledgeEntity(
            name=name, type=str(record.get("entityType") or "")
        )
        observed = tuple(dict.fromkeys((*known.observations, *texts)))
        things[name] = msgspec.structs.replace(known, observations=observed)

    read.take("line", [content] if isinstance(content, dict) else _listed(content), line)
    read.things += things.values()


def _listed(content: Any, *keys: str) -> list[Any]:
    """The list that a file is, or that stands under the first of `keys` that has one."""
    if isinstance(content, list):
        return cast("list[Any]", content)
    fields: _Row = cast("_Row", content) if isinstance(content, dict) else {}
    for key in keys:
        if isinstance(found := fields.get(key), list):
            return cast("list[Any]", found)
    return []


def _text(record: _Row, *keys: str) -> str:
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
    raise InvalidInput(f"its {keys[0]} is {record.get(keys[0])!r}, not a text")


def _instant(record: _Row, *keys: str) -> str | None:
    written = next((record[key] for key in keys if record.get(key)), None)
    return None if written is None else parse_instant(str(written))


def _plain(value: Any) -> Properties:
    """What of a record can stand among properties: JSON without what says nothing."""
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {str(key): said for key, said in fields.items() if said not in (None, "", [], {})}


def _write(memory: "Memory", read: _Dump) -> DumpTaken:
    report = memory.add_documents(read.passages)
    before = memory.store.sequence()
    for start in range(0, len(read.stated), ROWS_AT_ONCE):
        _state(memory, read.stated[start : start + ROWS_AT_ONCE])
    memory.indexer().embed_since(before)
    made, observed, tied = KnowledgeGraph(memory).take_in(read.things, read.relations)
    items = Items(memory)
    for record in read.items:
        items.put(
            tuple(record["namespace"]),
            record["key"],
            record["value"],
            vectoriser=memory.embedder_for(record["key"]),
            created_at=_instant(record, "created_at") or memory.clock(),
            updated_at=_instant(record, "updated_at", "created_at") or memory.clock(),
        )
    errors = [*read.errors, *(f"{row.path}: {row.error}" for row in report.errors)]
    return DumpTaken(
        passages=len(read.passages) - len(report.errors) + len(read.stated),
        entities=len(made),
        observations=observed,
        relations=len(tied),
        facts=len(read.stated),
        items=len(read.items),
        errors=tuple(errors[:ERRORS_LISTED]),
    )


def _state(memory: "Memory", stated: Sequence[_StatedFact]) -> None:
    """Write texts with the facts that they state, in one batch."""
    now, namespace = memory.clock(), memory.store.namespace
    passages = [each.passage for each in stated]
    made = prepared_passages(passages, namespace=namespace, now=now, extract=False)
    told: list[Prepared] = []
    for given, prepared in zip(stated, made, strict=True):
        episode, ref = prepared.episode, prepared.ref
        assert episode is not None
        text = prepared.chunks[0].chunk.text
        subject, predicate, object_ = given.said
        fact = Fact(
            fact_id=make_id(
                "fact", namespace, ref, *given.said, *(date or "" for date in given.dates)
            ),
            subject=subject,
            predicate=predicate,
            object=object_,
            updated_at=episode.observed_at,
            source_sha=episode.source_sha,
            valid_from=given.dates[0],
            valid_to=given.dates[1],
            provenance={
                "document_id": episode.document_id,
                "path": ref,
                "line": 1,
                "start": 0,
                "end": len(text),
                "rule": "imported",
                "text": text,
            },
        )
        chunk_ids = tuple(each.chunk.chunk_id for each in prepared.chunks)
        claims = (*prepared.claims, Claim(fact, episode.episode_id, chunk_ids))
        told.append(replace(prepared, claims=claims))
    memory.store.write(batch_of(told, now))
