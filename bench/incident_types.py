"""Advice against failures of eleven types in eight services, told in varied words.

What helps depends on the type of a failure; numbers look alike between types and a service has
several. The memory is told only what a team writes down: a title, a line or two, numbers, what was
tried and whether it worked. Fresh incidents are then put to it, and the action that it names first
is held against the truly best one: how often it is that (`best`), and how much rarer it works
(`regret`). `unseen` are fresh incidents in wordings that the past never used. Beside it, what the
votes of the eight most similar incidents would have named.

    python -m bench.incident_types [--seed 1] [--past 260] [--fresh 160] [--no-embed]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quipu.kinds.incidents.advice import Recommendation
from quipu.kinds.incidents.links import SimilarIncidents
from quipu.kinds.incidents.model import IncidentReport, Metrics, OutcomeReport
from quipu.memory import Memory
from quipu.when.instants import from_epoch

BEGIN_S = 1_760_000_000.0
STEP_S = 7 * 3600.0
NEAREST = 8
SERVICES = ("checkout", "search-api", "billing", "media", "login", "catalog", "shipping", "ledger")
IDLE = {"alert_team", "no_action"}


@dataclass(frozen=True)
class Failure:
    """A type of failure: middles of latency (ms), error rate, cpu and memory; wordings, the first
    half of which the past uses; and how often each action that people try works."""

    numbers: tuple[float, float, float, float]
    words: tuple[str, ...]
    rates: dict[str, float]


FAILURES = {
    name: Failure(tuple(given["numbers"]), tuple(given["words"]), given["rates"])
    for name, given in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}


@dataclass(frozen=True)
class Event:
    """An incident as it happens; its type and rates are hidden from the memory."""

    failure: str
    report: IncidentReport


def draw(rng: np.random.Generator, at: float, *, half: slice, source: str) -> Event:
    """An incident at a moment, worded by one of the failure's wordings in `half`."""
    failure = str(rng.choice(tuple(FAILURES)))
    service = str(rng.choice(SERVICES))
    latency, errors, cpu, memory = FAILURES[failure].numbers
    first, second = rng.choice(FAILURES[failure].words[half], size=2, replace=False)
    metrics = Metrics(
        latency_p99=round(float(min(latency * rng.lognormal(0, 0.5), 200_000)), 1),
        error_rate=round(float(min(errors * rng.lognormal(0, 0.5), 1)), 4),
        cpu_util=round(float(np.clip(cpu + rng.normal(0, 0.12), 0.01, 1)), 3),
        memory_util=round(float(np.clip(memory + rng.normal(0, 0.12), 0.01, 1)), 3),
    )
    report = IncidentReport(
        component=service,
        timestamp=from_epoch(at),
        metrics=metrics,
        title=str(first).format(s=service),
        summary=str(second).format(s=service) if rng.random() < 0.5 else "",
        source=source,
    )
    return Event(failure, report)


def tried(rng: np.random.Generator, event: Event, at: float) -> tuple[OutcomeReport, ...]:
    """What people did, in any order, until something worked or they gave up after two."""
    rates = FAILURES[event.failure].rates
    found: list[OutcomeReport] = []
    for number, action in enumerate(rng.permutation(tuple(rates))[:2]):
        worked = bool(rng.random() < rates[str(action)])
        minutes = float(rng.integers(5, 60))
        found.append(
            OutcomeReport(
                actions_taken=(str(action),),
                success=worked,
                resolution_time_minutes=minutes,
                recorded_at=from_epoch(at + 60 * (minutes + 60 * number)),
            )
        )
        if worked:
            break
    return tuple(found)


def named_first(advice: Recommendation) -> str | None:
    """The first action that changes something."""
    return next((str(a.action) for a in advice.actions if str(a.action) not in IDLE), None)


def voted(found: SimilarIncidents) -> str | None:
    """What worked most often, less what failed, among the nearest incidents."""
    votes: dict[str, int] = {}
    for incident in found.incidents[:NEAREST]:
        for outcome in incident.outcomes:
            for action in outcome.actions_taken:
                votes[action] = votes.get(action, 0) + (1 if outcome.success else -1)
    return max(sorted(votes), key=lambda action: votes[action]) if votes else None


def judged(events: Sequence[Event], named: Sequence[str | None]) -> dict[str, Any]:
    """How often the best action was named, how much rarer the named one works, by type too."""
    kinds: dict[str, list[int]] = {}
    regret = 0.0
    for event, action in zip(events, named, strict=True):
        rates = FAILURES[event.failure].rates
        best = max(rates, key=lambda each: rates[each])
        kinds.setdefault(event.failure, []).append(action == best)
        regret += rates[best] - rates.get(action or "", 0.0)
    hits = [hit for each in kinds.values() for hit in each]
    return {
        "best": round(sum(hits) / len(hits), 3),
        "regret": round(regret / len(hits), 3),
        "by_type": {name: round(sum(h) / len(h), 2) for name, h in sorted(kinds.items())},
    }


def run(seed: int, past: int, fresh: int, *, embed: bool) -> dict[str, Any]:
    """One history, and what is advised after it."""
    rng = np.random.default_rng(seed)
    seen, unseen = slice(0, 4), slice(4, 8)
    reports: list[IncidentReport] = []
    for number in range(past):
        at = BEGIN_S + number * STEP_S
        event = draw(rng, at, half=seen, source=f"past:{number}")
        reports.append(_with(event.report, tried(rng, event, at)))
    after = BEGIN_S + (past + 1) * STEP_S
    asked = {
        name: [draw(rng, after, half=half, source="") for _ in range(fresh)]
        for name, half in (("seen", seen), ("unseen", unseen))
    }
    with TemporaryDirectory() as folder:
        options: dict[str, Any] = {} if embed else {"embedder": None}
        options["clock"] = lambda: from_epoch(after)
        with Memory.open(Path(folder) / "quipu.db", **options) as memory:
            for report in reports:
                memory.incidents.add(report)
            result: dict[str, Any] = {"seed": seed, "past": past, "fresh": fresh}
            for name, events in asked.items():
                advice = [
                    named_first(memory.incidents.recommend(e.report, retrieval="on"))
                    for e in events
                ]
                votes = [voted(memory.incidents.similar(e.report)) for e in events]
                result[name] = judged(events, advice)
                result[f"{name}_votes"] = judged(events, votes)
    return result


def _with(report: IncidentReport, outcomes: tuple[OutcomeReport, ...]) -> IncidentReport:
    import msgspec

    return msgspec.structs.replace(report, outcomes=outcomes)


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--past", type=int, default=260)
    parser.add_argument("--fresh", type=int, default=160)
    parser.add_argument("--no-embed", action="store_true")
    given = parser.parse_args()
    print(json.dumps(run(given.seed, given.past, given.fresh, embed=not given.no_embed), indent=1))


if __name__ == "__main__":
    main()
