"""What a question of ownership, policy, decision or succession may be answered from.

Passages of sources that may not assert such a thing are no evidence of it, and where the graph
states who owns a thing, a sentence that names another is a disagreement, not an answer.
"""

import re
from collections.abc import Iterable, Sequence

from quipu.answer.gate import Evidence
from quipu.answer.kinds import answers_of_kinds
from quipu.answer.quote import plain, units
from quipu.ports import Graph
from quipu.question import Question
from quipu.records.authority import GOVERNED, WITHHELD
from quipu.records.record import Entity
from quipu.text import name_key

__all__ = ["asked_of_roles", "heeded", "otherwise"]

_MOST = 2
_OWNING = (
    " owned by ",
    " owns ",
    " owner of ",
    " maintained by ",
    " maintains ",
    " maintainer of ",
)
_RUN = re.compile(r"[^\w/]+|_")


def asked_of_roles(question: Question) -> frozenset[str]:
    """The relations that `question` asks for and that a role is needed to assert."""
    return frozenset(str(each) for each in GOVERNED if any(question.asks_for(each)))


def heeded(
    question: Question, graph: Graph, evidence: Sequence[Evidence]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """The evidence whose source may assert what is asked, and what to say of the rest."""
    documents = graph.get(sorted({each.document_id for each in evidence if each.document_id}))
    evidence = [e for e in evidence if _is_evidence(documents.get(e.document_id))]
    relation_types = asked_of_roles(question)
    if not relation_types or not evidence:
        return tuple(evidence), ()
    kept = tuple(
        e for e in evidence if not relation_types & _withheld(documents.get(e.document_id))
    )
    left = sorted({e.path for e in evidence} - {e.path for e in kept})
    if not left:
        return kept, ()
    shown = ", ".join(plain(path) for path in left[:_MOST])
    more = f" and {len(left) - _MOST} more" if len(left) > _MOST else ""
    types = ", ".join(sorted(relation_types))
    return kept, (f"Left out, for such a source may not assert {types}: {shown}{more}.",)


def _is_evidence(document: object) -> bool:
    return not isinstance(document, Entity) or all(
        each.is_evidence(document) for each in answers_of_kinds()
    )


def _withheld(document: object) -> frozenset[str]:
    withheld = document.properties.get(WITHHELD) if isinstance(document, Entity) else None
    return frozenset(map(str, withheld)) if isinstance(withheld, list) else frozenset()


def otherwise(
    subjects: Iterable[str], owners: Iterable[str], evidence: Sequence[Evidence]
) -> list[tuple[str, Evidence]]:
    """Sentences of `evidence` that say of one of `subjects` who owns it and name none of
    `owners`, with their passages."""
    about, known = {_loose(name) for name in subjects}, {_loose(name) for name in owners}
    found: list[tuple[str, Evidence]] = []
    for each in evidence:
        for unit in units(each.text):
            said = _loose(unit.text)
            if any(o in said for o in _OWNING) and _names(said, about) and not _names(said, known):
                found.append((plain(unit.text).rstrip("."), each))
    return found[:_MOST]


def _names(said: str, names: Iterable[str]) -> bool:
    return any(name.strip() and name in said for name in names)


def _loose(text: str) -> str:
    """`text` as names are compared, between spaces: "@team-blue" is "Team Blue"."""
    return f" {_RUN.sub(' ', name_key(text)).strip()} "
