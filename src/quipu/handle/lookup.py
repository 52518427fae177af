"""What people write (an id, a path, `path:12-40`, a source, a name) turned into records."""

import difflib
import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from quipu.errors import InvalidInput, UnknownRecord
from quipu.limits import SCANNED
from quipu.patterns import late
from quipu.ports import Planner
from quipu.records.ids import document_entity_id, kind_of
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, record_id
from quipu.records.refs import COMMIT, commit_ref, session_ref
from quipu.text import composed, name_key
from quipu.write.dropped import is_whole

_LINES = late(r"^(?P<ref>.+?)(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+))?$", re.DOTALL)
_TURNS = late(
    r"session:(?P<session>.+)#(?P<from>\d+)(?:-(?P<to>\d+))?"
    r"(?:(?::|#L)(?P<first>\d+)(?:-L?(?P<last>\d+))?)?",
    re.DOTALL,
)
_HASH = late(r"(?:commit:)?(?P<digits>[0-9a-fA-F]{4,40})")
_NEAREST = 3


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a document as they are remembered; both ends are lines that are really there.

    Lines of a turn (`session:s#3`) are counted within it; of several turns (`session:s#3-5`),
    within them one after the other.
    """

    path: Annotated[str, "the document's path"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    text: Annotated[str, "those lines"]
    document_id: Annotated[str, "the document"]
    chunk_ids: Annotated[tuple[str, ...], "the chunks the lines lie in"]


def look_up(planner: Planner, ref: str) -> Record | Passage:
    """The one thing that `ref` names; UnknownRecord lists the nearest, or all it could be."""
    if not ref.strip():
        raise InvalidInput("an empty reference names nothing: give an id, a path or a name")
    if document_at(planner, ref) is None:  # paths of an earlier state may be spelled otherwise
        ref = composed(ref)
    if kind_of(ref) is not None:
        found = planner.get([ref])
        if ref in found:
            return found[ref]
    turns = _turns_at(planner, ref)
    if turns is not None:
        return turns
    document_id = document_at(planner, ref)
    if document_id:
        return planner.get([document_id])[document_id]
    if (match := _LINES.match(ref)) and (at := document_at(planner, match["ref"])):
        first = int(match["first"])
        return _passage(
            match["ref"], at, chunks_of(planner, at), first, int(match["last"] or first)
        )
    for source in planner.sources(refs=[ref]):
        return planner.get([source.episode_id])[source.episode_id]
    clean = redacted(ref)
    return look_up(planner, clean) if clean != ref else _by_hash_or_name(planner, ref)


def _by_hash_or_name(planner: Planner, ref: str) -> Record:
    commit = _commit_at(planner, ref)
    return planner.get([commit])[commit] if commit else _by_name(planner, ref)


def _commit_at(planner: Planner, ref: str) -> str | None:
    """The document of the one commit whose hash begins so, as git writes hashes short. Raises
    UnknownRecord where several do."""
    match = _HASH.fullmatch(ref)
    if match is None:
        return None
    begin = commit_ref(match["digits"].lower())
    found = {
        s.source_ref: s.document_id
        for s in planner.sources(frozenset({COMMIT}))
        if s.document_id and s.source_ref.startswith(begin)
    }
    if len(found) > 1:
        listed = ", ".join(sorted(found)[:_NEAREST])
        raise UnknownRecord(
            f"{ref!r} begins the hashes of {len(found)} commits ({listed} …): give more of it"
        )
    return next(iter(found.values()), None)


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
    raise UnknownRecord(f"{ref!r} is no source, document or episode here; {_nearest(planner, ref)}")


def _sources_at(planner: Planner, ref: str) -> list[str]:
    kind = kind_of(ref)
    refs: dict[str, None] = {}
    if kind == "episode":
        records = [p.record for each in planner.periods([ref]).values() for p in each]
        refs |= {e.source_ref: None for e in records if isinstance(e, Episode)}
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
    records = [p.record for each in planner.periods(asserting).values() for p in each]
    refs = {
        e.source_ref for e in records if isinstance(e, Episode) and e.document_id == document_id
    }
    taken = {s.source_ref for s in planner.sources(refs=refs) if s.document_id != document_id}
    return sorted(refs - taken) if refs else []


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


def _passage(
    path: str, document_id: str, chunks: Sequence[Chunk], first: int, last: int
) -> Passage:
    """Lines `first` to `last` of what `chunks` hold; InvalidInput for no range, UnknownRecord
    where no line is."""
    if not 1 <= first <= last:
        raise InvalidInput(f"lines {first}-{last} are no range: count from 1, first before last")
    lines = lines_of(chunks)
    numbers = [n for n in sorted(lines) if first <= n <= last]
    if not numbers:
        end = max(lines, default=0)
        raise UnknownRecord(f"{path!r} has no text in lines {first}-{last}; it ends at line {end}")
    text = "\n".join(lines.get(n, "") for n in range(numbers[0], numbers[-1] + 1))
    return Passage(
        path=path,
        start_line=numbers[0],
        end_line=numbers[-1],
        text=text,
        document_id=document_id,
        chunk_ids=tuple(c.chunk_id for c in chunks if c.start_line <= last and c.end_line >= first),
    )


def _turns_at(planner: Planner, ref: str) -> Passage | None:
    """The turn or turns that `ref` names (`session:s#3`, `session:s#3-5`, `session:s#3:2`); None
    when it names none that are here."""
    match = _TURNS.fullmatch(ref)
    if match is None:
        return None
    begin = int(match["from"])
    end = int(match["to"] or begin)
    document_id = document_entity_id(planner.namespace, session_ref(match["session"]))
    turns: list[Chunk] = []
    for turn in sorted(chunks_of(planner, document_id), key=lambda c: (c.position, c.chunk_id)):
        if begin <= turn.position <= end:  # one below the other
            line = turns[-1].end_line if turns else 0
            first, last = turn.start_line + line, turn.end_line + line
            turns.append(msgspec.structs.replace(turn, start_line=first, end_line=last))
    if not turns:
        return None
    path = session_ref(match["session"], begin, end)
    first = int(match["first"] or 1)
    last = int(match["last"] or match["first"] or turns[-1].end_line)
    return _passage(path, document_id, turns, first, last)


def chunks_of(planner: Planner, document_id: str) -> list[Chunk]:
    """The passages of a document, or the turns of a session."""
    return planner.chunks(planner.numbers_in([document_id])[document_id])


def lines_of(chunks: Sequence[Chunk]) -> dict[int, str]:
    """The lines that passages hold, by number."""
    lines: dict[int, str] = {}
    for chunk in sorted(chunks, key=lambda c: (c.start_line, c.position, c.chunk_id)):
        for offset, line in enumerate(chunk.text.split("\n")):
            lines.setdefault(chunk.start_line + offset, line)
    return lines


def _by_name(planner: Planner, ref: str) -> Entity:
    found = planner.named([name_key(ref)]).get(name_key(ref), [])
    exact = [e for e in found if e.name == ref] or found
    if len(exact) == 1:
        return exact[0]
    if exact:
        listed = "; ".join(_described(e) for e in exact[:10])
        raise UnknownRecord(f"{ref!r} could be {len(exact)} things; give an id: {listed}")
    if planner.facts(ref):
        raise UnknownRecord(f"{ref!r} is known by facts alone: `quipu facts {ref!r}` tells them")
    near = _nearest(planner, ref)
    raise UnknownRecord(f"nothing is known as {ref!r}; {near}; `quipu search` finds by content")


def _described(entity: Entity) -> str:
    place = entity.properties.get("path") or entity.properties.get("file_path") or ""
    return f"{entity.entity_id} ({entity.type} {entity.name!r}{f' in {place}' if place else ''})"


def _nearest(planner: Planner, ref: str) -> str:
    """What is spelled most like `ref`, in words."""
    names = {s.source_ref for s in planner.sources()[:SCANNED]}
    names |= {e.name for e in planner.scan("entity", limit=SCANNED) if isinstance(e, Entity)}
    stated = {f.subject for f in planner.scan("fact", limit=SCANNED) if isinstance(f, Fact)}
    names |= {subject for subject in stated if kind_of(subject) is None}
    by_key = {name.casefold(): name for name in sorted(names)}
    ends = [n for n in sorted(names) if n.casefold().endswith(f"/{ref.casefold()}")]
    close = difflib.get_close_matches(ref.casefold(), by_key, n=_NEAREST)
    near = [repr(n) for n in dict.fromkeys([*ends, *(by_key[c] for c in close)])][:_NEAREST]
    return f"nearest are {', '.join(near)}" if near else "nothing here is like it"
