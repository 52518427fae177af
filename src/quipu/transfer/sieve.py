"""Which lines of an export may come in: those of records that keep the rules of the schema."""

from collections.abc import Iterator, Mapping

from quipu.kind import ahead
from quipu.ports import Graph
from quipu.records.record import Chunk, Entity, Relation, record_id
from quipu.soundness import end_fault, faults
from quipu.transfer.lines import EpisodeLine, Line, Refused, TimedLine, VectorLine

__all__ = ["Sieve"]


class Sieve:
    """Tells the lines that may come in, in the order of the file; `refused` holds the others."""

    def __init__(self, graph: Graph, types: Mapping[str, str]) -> None:
        """`types` of the file's entities, by id; other ends of relations are looked for in
        `graph`."""
        self._graph = graph
        self._types = dict(types)
        self._left_out: set[str] = set()
        self._skipping = False
        self._may_wait = False
        self.refused: list[Refused] = []

    def admits(self, line: Line, number: int) -> bool:
        """Whether a line may come in; one that may not is noted. With an episode all that it
        brought stays out, with a chunk its vectors."""
        if isinstance(line, VectorLine):
            return line.chunk_id not in self._left_out and not self._skipping
        if isinstance(line, EpisodeLine):
            self._skipping = False
            self._may_wait = line.record.source_type in ahead()
        elif self._skipping:
            return False
        wrong = list(self._faults(line))
        if not wrong:
            return True
        if isinstance(line, EpisodeLine):
            self._skipping = True
            wrong.append("all that it brought was left out")
        own = record_id(line.record)
        self._left_out.add(own)
        self.refused.append(Refused(line=number, record_id=own, error="; ".join(wrong)))
        return False

    def _faults(self, line: TimedLine) -> Iterator[str]:
        """What is wrong with a record; nothing with one that has ended: history comes in as it
        was."""
        record = line.record
        if line.known_until is not None:
            return
        yield from faults(record)
        if isinstance(record, Relation):
            yield from self._end_faults(record)
        if isinstance(record, Chunk) and self._type_of(record.document_id) is None:
            yield f"its document {record.document_id!r} is neither in the file nor in the store"

    def _end_faults(self, relation: Relation) -> Iterator[str]:
        types: list[str] = []
        for end in (relation.source_entity_id, relation.target_entity_id):
            known = self._type_of(end)
            if known is None and end and not self._may_wait:
                yield f"it ends at {end!r}, which is neither in the file nor in the store"
            types.append(known or "")
        if all(types) and (wrong := end_fault(relation, *types)):
            yield wrong

    def _type_of(self, entity_id: str) -> str | None:
        """The type of an entity, "" for one that is gone, None for one that never was."""
        if entity_id not in self._types:
            held = self._graph.get([entity_id]).get(entity_id)
            if isinstance(held, Entity):
                self._types[entity_id] = held.type
            elif self._graph.support([entity_id]).get(entity_id):
                self._types[entity_id] = ""
        return self._types.get(entity_id)
