"""Replay sees no future: what comes later, or is recorded later, changes nothing before it."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quipu.memory import Memory

SLOW = {"latency_p99": 900, "cpu_util": 0.97, "memory_util": 0.95}


def _incident(day: int, *, worked: str = "scale_out") -> dict[str, Any]:
    at = f"2026-02-{day:02d}T10:"
    return {
        "component": "a",
        "timestamp": f"{at}00:00Z",
        "metrics": SLOW,
        "outcomes": [
            {
                "actions_taken": ["restart_container"],
                "success": worked == "restart_container",
                "recorded_at": f"{at}10:00Z",
            },
            {
                "actions_taken": ["scale_out"],
                "success": worked == "scale_out",
                "recorded_at": f"{at}20:00Z",
            },
        ],
    }


def test_a_row_depends_on_nothing_that_came_after_it(open_memory: Any, tmp_path: Path) -> None:
    """Replaying n incidents gives the first rows of replaying n + 1, whatever the last one is."""
    rows: list[bytes] = []
    for days in range(1, 9):
        with open_memory("memory:", tmp_path) as memory:
            memory.incidents.add([_incident(day) for day in range(1, days + 1)])
            memory.incidents.add(_incident(28, worked="restart_container"))
            found = memory.incidents.replay()
            rows.append(msgspec.json.encode(found.rows[:days]))
    for shorter, longer in pairwise(rows):
        assert longer.startswith(shorter[:-1])


def test_an_outcome_recorded_later_is_not_known_before(memory: Memory) -> None:
    for day in range(1, 8):
        late = _incident(day)
        for outcome in late["outcomes"]:
            outcome["recorded_at"] = "2026-02-20T00:00:00Z"
        memory.incidents.add(late)
    assert memory.incidents.replay().differs == 0
    memory.incidents.add(_incident(21))
    last = memory.incidents.replay().rows[-1]
    assert (last.static, last.advised) == ("restart_container", "scale_out")


def test_old_outcomes_weigh_less_and_are_all_counted(memory: Memory) -> None:
    memory.incidents.add([_incident(day) for day in range(1, 9)])
    asked = {"component": "a", "metrics": SLOW}
    near = memory.incidents.recommend(asked, retrieval="on", as_of="2026-03-01")
    far = memory.incidents.recommend(asked, retrieval="on", as_of="2026-12-01")
    close, distant = (
        next(each for each in advice.actions if each.action == "scale_out")
        for advice in (near, far)
    )
    assert close.samples == distant.samples == 8
    assert distant.weight < close.weight / 2


def test_the_comparison_counts_and_hedges(memory: Memory) -> None:
    memory.incidents.add([_incident(day) for day in range(1, 19)])
    memory.incidents.add({**_incident(20), "component": "b"})
    found = memory.incidents.compare("a", "scale_out", "restart_container")
    assert (found.first.samples, found.first.successes) == (18, 18)
    assert (found.second.samples, found.second.successes) == (18, 0)
    assert found.better > 0.95
    none = memory.incidents.compare("a", "rollback", "traffic_shift")
    assert none.better == pytest.approx(0.5)
    assert len(none.notes) == 2


def test_what_went_works_a_version_longer_with_a_warning(memory: Memory) -> None:
    (told,) = memory.incidents.add(_incident(1)).added
    with pytest.warns(DeprecationWarning, match="next version"):
        assert memory.incidents.timeline(told) == memory.incidents.show(told)
    with pytest.warns(DeprecationWarning, match="counts for nothing"):
        assert memory.incidents.replay(known="told") == memory.incidents.replay()
