"""Ids in words a person knows: a path, a name, the place of a passage."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from quipu.records.ids import name_key
from quipu.records.record import Chunk, Entity, Episode, Fact, Record, Relation
from quipu.records.refs import SESSION_PREFIX

if TYPE_CHECKING:  # pragma: no cover
    from quipu.memory import Memory

__all__ = ["Labels"]


class Labels:
    """Ids to labels, read from the memory a batch at a time and remembered."""

    def __init__(self, memory: "Memory") -> None:
        """Know nothing yet; `read` what will be asked for."""
        self._graph = memory.graph
        self._known: dict[str, str] = {}

    def read(self, ids: Iterable[str]) -> None:
        """Get the labels of `ids` at once."""
        missing = sorted({each for each in ids if each not in self._known})
        found = self._graph.get([each for each in missing if name_key(each) is None])
        paths = self._paths(found.values())
        for each in missing:
            self._known[each] = label(found.get(each), each, paths)

    def __getitem__(self, record_id: str) -> str:
        """The label of one id; the id itself when it names nothing that is live."""
        if record_id not in self._known:
            self.read([record_id])
        return self._known[record_id]

    def _paths(self, records: Iterable[Record]) -> dict[str, str]:
        documents = {each.document_id for each in records if isinstance(each, Chunk)}
        found = self._graph.get(sorted(documents))
        return {key: label(record, key, {}) for key, record in found.items()}


def label(  # noqa: PLR0911 - one return a kind of record
    record: Record | None, record_id: str, paths: dict[str, str]
) -> str:
    """What a person calls `record`; `paths` are the labels of the documents of chunks."""
    match record:
        case Entity(type="Document"):
            return str(record.properties.get("file_path") or record.name)
        case Entity():
            return f"{record.name} ({record.type})"
        case Chunk():
            path = paths.get(record.document_id, record.document_id)
            if path.startswith(SESSION_PREFIX):  # a turn is named by its number
                return f"{path}#{record.position}"
            return f"{path}:{record.start_line}-{record.end_line}"
        case Episode():
            return record.source_ref
        case Relation():
            return record.type
        case Fact():
            return f"{record.subject} {record.predicate} {record.object}"
        case None:
            key = name_key(record_id)
            return f"“{key}”" if key is not None else record_id
