"""What people write (an id, a path, `path:12-40`, a source, a name) turned into records."""

import difflib
import re

from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.filters import relation_types
from quipu.handle.passages import Passage, passage, turns_at
from quipu.ports import Direction, Planner
from quipu.records.ids import kind_of
from quipu.records.naming import document_entity_id
from quipu.records.record import Entity, Episode, Record, Relation, record_id
from quipu.text import name_key
from quipu.write.dropped import is_whole

_LINES = re.compile(r"^(?P<ref>.+?)(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+))?$", re.DOTALL)
_NEAREST = 3
_LOOKED_AT = 5000


def look_up(planner: Planner, ref: str) -> Record | Passage:
    """The one thing that `ref` names; UnknownRecord lists the nearest, or all it could be."""
    if not ref.strip():
        raise InvalidInput("an empty reference names nothing: give an id, a path or a name")
    if kind_of(ref) is not None:
        found = planner.get([ref])
        if ref in found:
            return found[ref]
    turns = turns_at(planner, ref)
    if turns is not None:
        return turns
    document_id = document_at(planner, ref)
    if document_id:
        return planner.get([document_id])[document_id]
    if (match := _LINES.match(ref)) and (at := document_at(planner, match["ref"])):
        first = int(match["first"])
        chunks = planner.chunks(planner.numbers_in([at])[at])
        return passage(match["ref"], at, chunks, first, int(match["last"] or first))
    for source in planner.sources(refs=[ref]):
        return planner.get([source.episode_id])[source.episode_id]
    clean = redacted(ref)
    return look_up(planner, clean) if clean != ref else _by_name(planner, ref)


def redacted(ref: str) -> str:
    """`ref` as it is stored: what was given with a secret in it is known without."""
    from quipu.read import redact  # dear to import, and seldom needed

    return redact(ref)[0]


def end_of_relation(planner: Planner, ref: str) -> Entity:
    """The entity at one end of a relation, given as id, path or unique name."""
    found = look_up(planner, ref)
    if isinstance(found, Entity):
        return found
    kind = "a passage" if isinstance(found, Passage) else kind_of(record_id(found)) or "a record"
    raise InvalidInput(f"{ref!r} is {kind}; a relation ties entities: name a document or a thing")


def sources_of(planner: Planner, ref: str) -> list[str]:
    """The sources that `ref` stands for, ended ones included: a source with its parts (a session
    with all its turns, a goal or a task with its values) and the names that its document had
    before, or a document's or an episode's id. Raises UnknownRecord."""
    found = _sources_at(planner, ref)
    if not found and (clean := redacted(ref)) != ref:
        found = _sources_at(planner, clean)
    if found:
        return found
    near = _nearest(planner, ref)
    hint = f"nearest are {', '.join(near)}" if near else "nothing here is like it"
    raise UnknownRecord(f"{ref!r} is no source, document or episode here; {hint}")


def _sources_at(planner: Planner, ref: str) -> list[str]:
    kind = kind_of(ref)
    refs: dict[str, None] = {}
    if kind == "episode":
        held = [p.record for each in planner.periods([ref]).values() for p in each]
        refs |= {e.source_ref: None for e in held if isinstance(e, Episode)}
    if kind == "entity":
        document = planner.get([ref]).get(ref)
        path = document.properties.get("file_path") if isinstance(document, Entity) else None
        if isinstance(path, str):
            refs |= {path: None, **dict.fromkeys(_of_document(planner, ref))}
    found = planner.sources(refs=[ref], ended=True)
    refs |= {source.source_ref: None for source in found}
    if is_whole(ref):
        document_id = document_entity_id(planner.namespace, ref)
        parts = planner.sources(prefix=f"{ref}#", ended=True)
        refs |= {s.source_ref: None for s in parts if s.document_id == document_id}
    else:
        for document_id in dict.fromkeys(s.document_id for s in found if s.document_id):
            refs |= dict.fromkeys(_of_document(planner, document_id))
    return list(refs)


def _of_document(planner: Planner, document_id: str) -> list[str]:
    """The sources of a document, by every name it had, unless another document has that name now;
    those of a session are its turns."""
    asserting = [support.episode_id for support in planner.support([document_id])[document_id]]
    held = [p.record for each in planner.periods(asserting).values() for p in each]
    refs = {e.source_ref for e in held if isinstance(e, Episode) and e.document_id == document_id}
    taken = {s.source_ref for s in planner.sources(refs=refs) if s.document_id != document_id}
    return sorted(refs - taken) if refs else []


def relations(
    planner: Planner, of: str | None, kind: str | None, direction: Direction, limit: int
) -> list[Relation]:
    """At most `limit` live relations, by id: at one entity, or all."""
    types = relation_types([kind] if kind else [], planner)
    if of is not None:
        entity_id = end_of_relation(planner, of).entity_id
        found = planner.neighbors(
            [entity_id], direction=direction, types=types, limit_per_id=limit
        )[entity_id]
        return sorted({r.rel_id: r for r in found}.values(), key=lambda r: r.rel_id)[:limit]
    every: list[Relation] = []
    after = ""
    while len(every) < limit and (page := planner.scan("relation", after=after)):
        after = record_id(page[-1])
        every += [r for r in page if isinstance(r, Relation) and (not types or r.type in types)]
    return every[:limit]


def document_at(planner: Planner, path: str) -> str | None:
    """The id of the live document whose source is `path`, or None."""
    expected = document_entity_id(planner.namespace, path)
    entity = planner.get([expected]).get(expected)
    if isinstance(entity, Entity) and entity.properties.get("file_path") == path:
        return expected
    for source in planner.sources(refs=[path]):
        if source.document_id:
            return source.document_id
    return None


def _by_name(planner: Planner, ref: str) -> Entity:
    found = planner.named([name_key(ref)]).get(name_key(ref), [])
    exact = [e for e in found if e.name == ref] or found
    if len(exact) == 1:
        return exact[0]
    if exact:
        listed = "; ".join(_described(e) for e in exact[:10])
        raise UnknownRecord(f"{ref!r} could be {len(exact)} things; give an id: {listed}")
    near = _nearest(planner, ref)
    hint = f"nearest are {', '.join(near)}" if near else "nothing here is like it"
    raise UnknownRecord(f"nothing is known as {ref!r}; {hint}; `quipu search` finds by content")


def _described(entity: Entity) -> str:
    place = entity.properties.get("path") or entity.properties.get("file_path") or ""
    return f"{entity.entity_id} ({entity.type} {entity.name!r}{f' in {place}' if place else ''})"


def _nearest(planner: Planner, ref: str) -> list[str]:
    names = {s.source_ref for s in planner.sources()[:_LOOKED_AT]}
    for record in planner.scan("entity", limit=_LOOKED_AT):
        if isinstance(record, Entity):
            names.add(record.name)
    by_key = {name.casefold(): name for name in sorted(names)}
    ends = [n for n in sorted(names) if n.casefold().endswith(f"/{ref.casefold()}")]
    close = difflib.get_close_matches(ref.casefold(), by_key, n=_NEAREST)
    return [repr(n) for n in dict.fromkeys([*ends, *(by_key[c] for c in close)])][:_NEAREST]
