"""What other memories let out as JSON, taken in: mem0, Graphiti and Zep, LangGraph's stores.

Every record keeps the id it had there in its reference (`mem0:<id>`, `graphiti:<uuid>`), so the
same file again changes nothing, and a citation names it. What cannot be used is told, and the rest
counts.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

import msgspec

from quipu.agents.items import Items
from quipu.agents.knowledge import KnowledgeEntity, KnowledgeGraph, KnowledgeRelation
from quipu.errors import InvalidInput
from quipu.facts.keys import predicate_key
from quipu.handle.expiry import EXPIRES
from quipu.records.batch import Batch, Claim
from quipu.records.ids import make_id
from quipu.records.passage import PassageInput
from quipu.records.record import Fact, Properties
from quipu.when.instants import parse_instant
from quipu.write.passages import prepared_passages
from quipu.write.prepare import Prepared

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Dump", "DumpTaken", "import_dump"]

Dump: TypeAlias = Literal["mem0", "graphiti", "zep", "langgraph"]

_PAGE = 500
_MOST_ERRORS = 100
_LARGEST = 1_000_000_000


class DumpTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What a file held and is here now; `errors` names each record that could not be used."""

    passages: Annotated[int, "memories, episodes and facts as texts"] = 0
    entities: Annotated[int, "things that were new"] = 0
    observations: Annotated[int, "what is new of things"] = 0
    relations: Annotated[int, "relations that were new"] = 0
    facts: Annotated[int, "dated facts"] = 0
    items: Annotated[int, "items of a store"] = 0
    errors: Annotated[tuple[str, ...], "each record that could not be used, and why"] = ()


class StatedFact(msgspec.Struct, frozen=True, kw_only=True):
    """A text, and the fact that it states."""

    passage: PassageInput
    subject: str
    predicate: str
    object: str
    valid_from: str | None
    valid_to: str | None


@dataclass(slots=True)
class _Dump:
    """What was read of a file, before any of it is written."""

    passages: list[PassageInput] = field(default_factory=list[PassageInput])
    stated: list[StatedFact] = field(default_factory=list[StatedFact])
    things: list[KnowledgeEntity] = field(default_factory=list[KnowledgeEntity])
    relations: list[KnowledgeRelation] = field(default_factory=list[KnowledgeRelation])
    items: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    errors: list[str] = field(default_factory=list[str])

    def each(
        self, what: str, records: Iterable[Any], take: Callable[[Mapping[str, Any]], None]
    ) -> None:
        """Take each record; one that cannot be used is told."""
        for number, record in enumerate(records, 1):
            try:
                if not isinstance(record, dict):
                    raise InvalidInput(f"is {type(record).__name__}, not an object")
                take(cast("Mapping[str, Any]", record))
            except InvalidInput as error:
                self.errors.append(f"{what} {number}: {error}")


def import_dump(memory: "Memory", path: Path, tool: Dump) -> DumpTaken:
    """Take in the JSON (or JSON lines) file at `path` that `tool` wrote; again changes nothing.

    Raises InvalidInput for a file that is no JSON or holds nothing of the kind.
    """
    content = _loaded(path)
    read = _Dump()
    {"mem0": _mem0, "langgraph": _langgraph}.get(tool, _graphiti)(content, read)
    if not (read.passages or read.stated or read.things or read.items or read.errors):
        raise InvalidInput(
            f"{str(path)!r} holds nothing that {tool} lets out: docs/how-to/move.md shows the form"
        )
    return _write(memory, read)


# --- reading -------------------------------------------------------------------------------


def _loaded(path: Path) -> Any:
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
        try:
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            raise InvalidInput(f"{str(path)!r} is no JSON: {error}") from error


def _listed(content: Any, *keys: str) -> list[Any]:
    """The list that a file is, or that stands under one of `keys`."""
    if isinstance(content, list):
        return cast("list[Any]", content)
    for key in keys:
        found = cast("Mapping[str, Any]", content).get(key) if isinstance(content, dict) else None
        if isinstance(found, list):
            return cast("list[Any]", found)
    return []


def _mem0(content: Any, read: _Dump) -> None:
    """`get_all()` of mem0: memories, and what its graph relates."""

    def memory(record: Mapping[str, Any]) -> None:
        ids = {key: record[key] for key in ("user_id", "agent_id", "run_id") if record.get(key)}
        said = {**_plain(record.get("metadata")), **_plain(ids)}
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

    def relation(record: Mapping[str, Any]) -> None:
        read.relations.append(
            KnowledgeRelation(
                source=_text(record, "source"),
                type=_text(record, "relationship", "relation"),
                target=_text(record, "target", "destination"),
            )
        )

    read.each("memory", _listed(content, "results", "memories"), memory)
    if isinstance(content, dict):
        read.each("relation", _listed(cast("Any", content).get("relations")), relation)


def _graphiti(content: Any, read: _Dump) -> None:
    """Episodes, entities and facts of Graphiti or Zep: under their names, or one after another."""
    plain = cast("list[Any]", content) if isinstance(content, list) else []
    episodes = [r for r in plain if _has(r, "content")] or _of(content, "episodes")
    edges = [r for r in plain if _has(r, "fact")] or _of(content, "edges", "facts")
    nodes = [r for r in plain if not (_has(r, "content") or _has(r, "fact"))]
    nodes = nodes or _of(content, "nodes", "entities")
    names: dict[str, str] = {}

    def node(record: Mapping[str, Any]) -> None:
        name = _text(record, "name")
        names[_text(record, "uuid")] = name
        labels = [str(each) for each in record.get("labels") or () if each != "Entity"]
        summary = str(record.get("summary") or "").strip()
        read.things.append(
            KnowledgeEntity(
                name=name,
                type=labels[0] if labels else "",
                observations=(summary,) if summary else (),
            )
        )

    def episode(record: Mapping[str, Any]) -> None:
        said = {k: record[k] for k in ("source", "source_description", "role") if record.get(k)}
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

    def edge(record: Mapping[str, Any]) -> None:
        _edge(record, names, read)

    read.each("entity", nodes, node)
    read.each("episode", episodes, episode)
    read.each("fact", edges, edge)


def _edge(record: Mapping[str, Any], names: Mapping[str, str], read: _Dump) -> None:
    begin, end = _instant(record, "valid_at"), _instant(record, "invalid_at")
    passage = PassageInput(
        source_ref=f"graphiti:{_text(record, 'uuid')}",
        text=_text(record, "fact"),
        group=str(record.get("group_id") or ""),
        observed_at=_instant(record, "created_at", "valid_at"),
        profile="prose",
        properties=_plain({"episodes": record.get("episodes") or []}),
    )
    source, target = (names.get(str(record.get(f"{end}_node_uuid"))) for end in _ENDS)
    relation = str(record.get("name") or "").strip()
    if not (source and target and relation):
        read.passages.append(passage)
        return
    read.stated.append(
        StatedFact(
            passage=passage,
            subject=source,
            predicate=predicate_key(relation),
            object=target,
            valid_from=begin[:10] if begin else None,
            valid_to=end[:10] if end else None,
        )
    )
    if end is None and not record.get("expired_at"):
        read.relations.append(KnowledgeRelation(source=source, type=relation, target=target))


_ENDS = ("source", "target")


def _langgraph(content: Any, read: _Dump) -> None:
    """Items as `Item.dict()` gives them."""

    def item(record: Mapping[str, Any]) -> None:
        namespace, value = record.get("namespace"), record.get("value")
        labels = cast("Sequence[object]", namespace) if isinstance(namespace, list) else ()
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise InvalidInput(f"its namespace {namespace!r} is no list of texts")
        if not isinstance(value, dict):
            raise InvalidInput(f"its value is {type(value).__name__}, not an object")
        _text(record, "key")
        _instant(record, "created_at")
        read.items.append(record)

    read.each("item", _listed(content, "items"), item)


def _has(record: Any, key: str) -> bool:
    return isinstance(record, dict) and key in cast("Mapping[str, Any]", record)


def _of(content: Any, *keys: str) -> list[Any]:
    return [] if isinstance(content, list) else _listed(content, *keys)


def _text(record: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value
    raise InvalidInput(f"its {keys[0]} is {record.get(keys[0])!r}, not a text")


def _instant(record: Mapping[str, Any], *keys: str) -> str | None:
    written = next((record[key] for key in keys if record.get(key)), None)
    return None if written is None else parse_instant(str(written))


def _plain(value: Any) -> Properties:
    """What of a record can stand among properties: JSON without what says nothing."""
    if not isinstance(value, dict):
        return {}
    fields = cast("dict[str, Any]", value)
    return {str(key): each for key, each in fields.items() if each not in (None, "", [], {})}


# --- writing -------------------------------------------------------------------------------


def _write(memory: "Memory", read: _Dump) -> DumpTaken:
    errors = list(read.errors)
    report = memory.add_documents(read.passages)
    errors += [f"{row.path}: {row.error}" for row in report.errors]
    before = memory.store.sequence()
    facts = sum(_state(memory, page) for page in _pages(read.stated))
    memory.handle.indexer().embed_since(before)
    made, observed, tied = KnowledgeGraph(memory).take_in(read.things, read.relations)
    items = Items(memory)
    for record in read.items:
        items.take_in(
            tuple(record["namespace"]),
            record["key"],
            record["value"],
            created_at=_instant(record, "created_at") or memory.clock(),
            updated_at=_instant(record, "updated_at", "created_at") or memory.clock(),
        )
    return DumpTaken(
        passages=len(read.passages) - len(report.errors) + facts,
        entities=len(made),
        observations=observed,
        relations=len(tied),
        facts=facts,
        items=len(read.items),
        errors=tuple(errors[:_MOST_ERRORS]),
    )


def _pages(stated: Sequence[StatedFact]) -> Iterator[Sequence[StatedFact]]:
    for start in range(0, len(stated), _PAGE):
        yield stated[start : start + _PAGE]


def _state(memory: "Memory", stated: Sequence[StatedFact]) -> int:
    """Write texts with the facts that they state, in one batch."""
    now, space = memory.clock(), memory.store.namespace
    made = prepared_passages([s.passage for s in stated], namespace=space, now=now, extract=False)
    pairs = list(zip(stated, made, strict=True))
    memory.store.write(
        Batch(
            recorded_at=now,
            episodes=tuple(p.episode for p in made if p.episode is not None),
            chunks=tuple(chunk for p in made for chunk in p.chunks),
            claims=tuple(c for each, p in pairs for c in (*p.claims, _claim(each, p, space))),
            replaces=tuple(p.ref for p in made),
        )
    )
    return len(made)


def _claim(stated: StatedFact, prepared: Prepared, namespace: str) -> Claim:
    assert prepared.episode is not None
    episode, text = prepared.episode, prepared.chunks[0].chunk.text
    said = (stated.subject, stated.predicate, stated.object)
    fact = Fact(
        fact_id=make_id(
            "fact", namespace, prepared.ref, *said, stated.valid_from or "", stated.valid_to or ""
        ),
        subject=stated.subject,
        predicate=stated.predicate,
        object=stated.object,
        updated_at=episode.observed_at,
        source_sha=episode.source_sha,
        valid_from=stated.valid_from,
        valid_to=stated.valid_to,
        provenance={
            "document_id": episode.document_id,
            "path": prepared.ref,
            "line": 1,
            "start": 0,
            "end": len(text),
            "rule": "imported",
            "text": text,
        },
    )
    return Claim(fact, episode.episode_id, tuple(c.chunk.chunk_id for c in prepared.chunks))
