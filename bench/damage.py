"""Flip single bits over all files of a memory and watch every use of it.

`trial(flips, seed=…)` is one run: for each flip the checks of `doctor`, search, ask, export and
add, each in a copy. `python -m bench damage` runs 300 on 1,200 passages.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tests.servers.damage import USES, flips, make_memory, trials

FLIPS = 300
_PASSAGES = 1_200
_SEED = 20


def measure(out: Path, passages: int) -> dict[str, Any]:
    """The figures of `trial`, with so many passages at most."""
    return trial(FLIPS, seed=_SEED, passages=min(passages, _PASSAGES))


def trial(count: int, *, seed: int, passages: int = _PASSAGES) -> dict[str, Any]:
    """How `count` flips ended: by use, what it did; which were seen; `failed` lists those after
    which a use gave another result or a raw error, or that had to be seen and were not."""
    outcomes: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "whole"
        make_memory(folder, passages)
        chosen = flips(folder, count, seed=seed)
        for each in trials(folder, USES, chosen, scratch=Path(scratch)):
            outcomes.update(f"{use}: {what}" for use, what in each.outcomes.items())
            seen[f"{Path(each.flip.path).suffix}: {'seen' if each.seen else 'not seen'}"] += 1
            if not each.passed:
                failed.append(repr(each))
    return {
        "flips": count,
        "outcomes": dict(sorted(outcomes.items())),
        "seen": dict(sorted(seen.items())),
        "failed": failed,
    }
