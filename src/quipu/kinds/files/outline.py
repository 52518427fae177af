"""Lists that are the headings of a page.

"Which hooks can I implement?" is answered by no sentence but by the page on hooks, whose sections
are one hook each. A section answers so when all of its heading stands in the question and the
sections right below it, three or more, are called by names of code.
"""

from collections.abc import Callable, Iterator, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked
from quipu.answer.kinds import AnswerStatement
from quipu.answer.quote import plain
from quipu.answer.support import from_chunk
from quipu.ports import Planner
from quipu.records.record import Chunk, Entity
from quipu.records.schema import EntityType
from quipu.text import looks_like_identifier, stems

__all__ = ["outlined"]

_PAGES = 5
_FEWEST, _MOST = 3, 20
_LONGEST = 80
_OF_CODE = 0.6


def outlined(
    asked: Asked,
    planner: Planner,
    evidence: Sequence[Evidence],
    chunks_of: Callable[[Entity], list[Chunk]],
    *,
    project: Sequence[str],
) -> AnswerStatement | None:
    """The names under the heading that is asked for, in the order of the page; None where no list
    is asked for or no heading among the first five pages of documentation is meant. It explains
    what the question is about as far as the page's titles and the names of the `project` say it.
    """
    if not asked.several:
        return None
    ids = [each.document_id for each in evidence if each.role == "documentation"]
    documents = planner.get(list(dict.fromkeys(ids))[:_PAGES])
    question = frozenset(asked.stems)
    best: tuple[int, str, list[tuple[str, Chunk]], Entity] | None = None
    for document in documents.values():
        if not isinstance(document, Entity):
            continue
        for heading, below in _below(chunks_of(document)):
            words = frozenset(stems(heading))
            if not words or not words <= question or len(below) < _FEWEST:
                continue
            if best is None or len(words) > best[0]:
                best = len(words), heading, below, document
    if best is None:
        return None
    _, heading, below, document = best
    shown = below[:_MOST]
    about = frozenset(asked.subject) or question
    said = frozenset(stems(f"{below[0][1].title} {' '.join(project)}"))
    names = ", ".join(f"`{name.replace('`', chr(39))}`" for name, _ in shown)
    more = f" and {len(below) - len(shown)} more" if len(below) > len(shown) else ""
    passages = {
        chunk.chunk_id: from_chunk(chunk, planner, (document.entity_id,), document)
        for _, chunk in shown
    }
    return AnswerStatement(
        f"{plain(heading)}: {names}{more}",
        tuple(passages.values()),
        kind=EntityType.DOCUMENT,
        explained=len(about & said) / len(about),
    )


def _below(chunks: Sequence[Chunk]) -> Iterator[tuple[str, list[tuple[str, Chunk]]]]:
    """Each heading with what the sections right below it are called, where most of them are called
    by names of code."""
    found: dict[tuple[str, ...], dict[str, Chunk]] = {}
    for chunk in chunks:
        for depth in range(1, len(chunk.heading_path)):
            above, name = chunk.heading_path[:depth], chunk.heading_path[depth].strip("`* ")
            found.setdefault(above, {}).setdefault(name, chunk)
    for above, below in found.items():
        if sum(map(_is_of_code, below)) >= _OF_CODE * len(below):
            listed = [(n, c) for n, c in below.items() if _is_of_code(n) or n.isupper()]
            yield above[-1], listed


def _is_of_code(name: str) -> bool:
    """Whether a heading is a name of code, a call or an option: `run`, `--port`, `f(x)`."""
    called = name.partition("(")[0]
    return len(name) <= _LONGEST and (
        looks_like_identifier(called)
        or (called != name and called.isidentifier())
        or (name.startswith("-") and " " not in name)
    )
