"""Many proposals accepted at once: the same as one after the other, and read but once."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quipu.memory import Memory
from quipu.resolve.proposals import Proposal

Open = Callable[..., Memory]
NOW = "2026-03-01T10:00:00.000Z"
SPELLINGS = ("Paytek Group", "Pay-Tek Group", "Paytec Group", "PayTek Grp", "Paytek")
OTHERS = ("Nordwind Verein", "Nord-Wind Verein", "Norwind")


def _ticking() -> Callable[[], str]:
    count = itertools.count()
    return lambda: f"2026-03-01T{(n := next(count)) // 60:02d}:{n % 60:02d}:00.000Z"


def _filled(open_memory: Open, place: Path, clock: Callable[[], str]) -> Memory:
    memory = open_memory("memory:", place, clock=clock)
    for year, name in enumerate((*SPELLINGS, *OTHERS), 2010):
        memory.add(
            f"{name} is led by Ida Low since {year}.", source_ref=f"{year}.md", title=str(year)
        )
    return memory


def _proposals(memory: Memory) -> list[Proposal]:
    """Chains, rings, and one that cannot be."""
    things = {name: memory.entities.show(name).entity for name in (*SPELLINGS, *OTHERS)}
    document = memory.entities.show(memory.store.sources()[0].document_id or "").entity
    a, b, c, d, e = (things[name] for name in SPELLINGS)
    x, y, z = (things[name] for name in OTHERS)
    pairs = [(a, b), (x, y), (c, a), (b, c), (document, a), (d, e), (e, a), (d, b), (y, z), (x, z)]
    return [
        Proposal(
            merged_id=one.entity_id,
            merged_name=one.name,
            kept_id=other.entity_id,
            kept_name=other.name,
            type=other.type,
            score=0.95,
            cosine=None,
            reasons=("alike",),
        )
        for one, other in pairs
    ]


def _seen(memory: Memory) -> list[Any]:
    return [
        (
            memory.entities.show(name).entity.entity_id,
            sorted((t.entity_id, t.name) for t in memory.entities.show(name).members),
        )
        for name in (*SPELLINGS, *OTHERS)
    ]


@pytest.mark.parametrize("still", [False, True], ids=["ticking", "still"])
def test_all_at_once_is_as_one_after_the_other(
    tmp_path: Path, open_memory: Open, *, still: bool
) -> None:
    with (
        _filled(open_memory, tmp_path, (lambda: NOW) if still else _ticking()) as at_once,
        _filled(open_memory, tmp_path, _ticking()) as in_turn,
    ):
        proposals = _proposals(at_once)
        made = at_once.entities.accept(proposals)
        one_by_one = [m for each in proposals for m in in_turn.entities.accept([each])]
        assert len(made) == len(one_by_one) == 6
        assert all(each.changed for each in made)
        assert _seen(at_once) == _seen(in_turn)
        told = [
            [(k.decision.merge_id, k.decision.reason) for k in m.entities.history().decisions]
            for m in (at_once, in_turn)
        ]
        assert sorted(told[0]) == sorted(told[1])
        assert at_once.entities.accept(proposals) == ()
