"""What a constant stands for, where the value that is quoted is its name.

`timeout: float = DEFAULT_TIMEOUT` answers what the default is only with `DEFAULT_TIMEOUT = 30`
beside it.
"""

import re
from collections.abc import Iterator

from quipu.answer.choose import Choice
from quipu.answer.gate import Evidence
from quipu.answer.quote import code_span
from quipu.answer.support import EvidencePool, support
from quipu.ports import Planner
from quipu.records.record import Entity
from quipu.records.schema import EntityType, RelationType
from quipu.text import name_key

__all__ = ["stands_for"]

_NAMED = re.compile(r"^`[^`]*[^=!<>`]=\s*([A-Za-z_$][\w.$]*)[,;]?`")
_VALUE = frozenset({"true", "false", "none", "null", "nil", "undefined"})


def stands_for(
    choice: Choice, graph: Planner, pool: EvidencePool
) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """The definition of the constant that a quoted line sets something to, and its passage: the
    one of the same file, or the only one there is."""
    said = _NAMED.match(choice.text)
    if said is None or said[1].casefold() in _VALUE:
        return
    name = said[1].rpartition(".")[2]
    known = [
        entity
        for entity in graph.named([name_key(name)]).get(name_key(name), ())
        if entity.type == EntityType.SYMBOL and _value(entity)
    ]
    here = [e for e in known if e.properties.get("path") == choice.evidence[0].path]
    meant = here or known
    if len(meant) != 1:
        return
    defined = graph.neighbors(
        [meant[0].entity_id], types=frozenset({RelationType.DEFINED_IN}), limit_per_id=1
    )
    for relation in defined.get(meant[0].entity_id, ()):
        _, sources = support(graph, relation.rel_id, pool, relation)
        if sources:
            shown = code_span(f"{meant[0].name} = {_value(meant[0])}")
            yield f"{shown} in {code_span(sources[0].path)}", sources[:1]


def _value(entity: Entity) -> str:
    value = entity.properties.get("value")
    return value if isinstance(value, str) else ""
