"""The report on everything: what the documents that introduce the whole say of it."""

from collections.abc import Sequence

from quipu.kinds.reports.model import Quote, Report
from quipu.kinds.reports.reflect.gather import Material, sources_of
from quipu.kinds.reports.reflect.sentences import is_whole
from quipu.records.record import Entity
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["WHOLE", "report_on_all"]

WHOLE = "Overview"
"""Its title."""

_INTRODUCING = ("readme", "index", "overview", "about", "introduction", "architecture")
_DEEPEST = 1
_DOCUMENTS = 4
_PASSAGES = 2
_LINES_A_DOCUMENT = 3


def report_on_all(material: Material) -> Report | None:
    """What a README and its like say in their first sentences; None where there is none."""
    entities = list(material.documents.values())
    chosen = _introducing(entities, material)
    quotes = [quote for each in chosen for quote in _first_lines(each, material)]
    if not quotes:
        return None
    seen = [e.first_seen for e in entities if e.first_seen > UNKNOWN_TIME] or [UNKNOWN_TIME]
    return Report(
        ref="",
        title=WHOLE,
        place="",
        documents=len(entities),
        passages=len(material.mentioned.chunks),
        first_seen=min(seen),
        last_seen=max(e.updated_at for e in entities),
        names=(),
        quotes=tuple(quotes[: material.budget.sentences]),
        members=tuple(e.entity_id for e in chosen),
    )


def _introducing(entities: Sequence[Entity], material: Material) -> list[Entity]:
    found: list[tuple[int, int, str, Entity]] = []
    for each in entities:
        path = material.refs[each.entity_id]
        name = path.rpartition("/")[2].lower()
        rank = next((i for i, word in enumerate(_INTRODUCING) if name.startswith(word)), None)
        depth = path.count("/")
        if rank is not None and depth <= _DEEPEST and ":" not in path:
            found.append((depth, rank, path, each))
    return [each for *_, each in sorted(found, key=lambda f: f[:3])[:_DOCUMENTS]]


def _first_lines(document: Entity, material: Material) -> list[Quote]:
    planner = material.planner
    numbers = planner.numbers_in([document.entity_id])[document.entity_id][:_PASSAGES]
    chunks = planner.chunks(numbers)
    refs = sources_of(planner, [chunk.episode_id for chunk in chunks])
    lines = [(c, line) for c in chunks for line in material.quotable(c) if is_whole(line)]
    return [
        Quote(
            text=line.text,
            chunk_id=chunk.chunk_id,
            document_id=chunk.document_id,
            source_ref=refs[chunk.episode_id],
            start_line=line.start_line,
            end_line=line.end_line,
        )
        for chunk, line in lines[:_LINES_A_DOCUMENT]
    ]
