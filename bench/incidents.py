"""A simulation of advice: services, dependencies, faults, and actions with hidden success rates.

Nothing of the world is known to the memory but what a team would record: numbers, a line of
words, what was tried and whether it worked. The world is drawn from a seed. Each world is learned
twice: `habits` - operators take the static policy's first action six times in ten, else any
action, and try up to three times; `advice` - they take what is recommended. At each count of
incidents fresh incidents are put to the memory (never recorded), and the true success rate of
the action it names first is compared with that of the truly best one (the oracle).

    python -m bench.incidents [--seeds 6] [--incidents 200]
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from quipu.config import Config
from quipu.kinds.incidents.case_base import CaseBase
from quipu.kinds.incidents.learn.advise import Recommendation, static_advice
from quipu.kinds.incidents.model import (
    HealingAction,
    IncidentReport,
    Metrics,
    OutcomeReport,
)
from quipu.kinds.incidents.policies import SHIPPED
from quipu.kinds.incidents.write import completed
from quipu.memory import Memory
from quipu.testing.fakes import HashEmbedder
from quipu.when.instants import from_epoch

ACTIONS = ("restart_container", "scale_out", "traffic_shift", "circuit_breaker", "rollback")
CHECKPOINTS = (0, 10, 25, 50, 100, 200, 400)
PROBES = 60
BEGIN_S = 1_760_000_000.0
STEP_S = 6 * 3600.0
HABIT = 0.6
NOW = "2026-11-01T00:00:00.000Z"
SPREAD = 0.15
_NOT_HEALING = {HealingAction.ALERT_TEAM, HealingAction.NO_ACTION}

# fault: (latency ms, error rate, cpu, memory) in the middle, the words people use, and how often
# each action works before a service's own deviation is added
FAULTS: dict[str, tuple[tuple[float, float, float, float], tuple[str, ...], tuple[float, ...]]] = {
    "memory leak": (
        (700, 0.08, 0.60, 0.95),
        ("memory keeps growing", "out of memory kills", "heap usage climbs"),
        (0.85, 0.35, 0.30, 0.10, 0.40),
    ),
    "bad release": (
        (260, 0.40, 0.50, 0.50),
        ("errors since the deploy", "new release fails", "exceptions after rollout"),
        (0.10, 0.05, 0.25, 0.15, 0.90),
    ),
    "traffic spike": (
        (900, 0.12, 0.96, 0.80),
        ("requests tripled", "queue grows under load", "cpu saturated by traffic"),
        (0.10, 0.85, 0.50, 0.35, 0.05),
    ),
    "dependency down": (
        (1500, 0.35, 0.30, 0.40),
        ("calls to a dependency time out", "upstream does not answer", "connection refused"),
        (0.05, 0.05, 0.25, 0.80, 0.10),
    ),
    "node failure": (
        (600, 0.22, 0.40, 0.45),
        ("one zone is unreachable", "host is not responding", "pods lost on a node"),
        (0.30, 0.25, 0.85, 0.20, 0.05),
    ),
}


@dataclass(frozen=True)
class World:
    """Services, what they need, how often each fails how, what helps. Hidden from the memory."""

    services: tuple[str, ...]
    needs: dict[str, tuple[str, ...]]
    faults: dict[str, np.ndarray]
    rates: dict[tuple[str, str], np.ndarray]


@dataclass(frozen=True)
class Event:
    """An incident as it happens; `rates` are hidden from the memory."""

    report: IncidentReport
    rates: np.ndarray


def draw_world(rng: np.random.Generator, services: int = 12) -> World:
    """A world: a dependency graph without cycles, faults by service, rates by service and fault."""
    names = tuple(f"svc-{number:02d}" for number in range(services))
    needs = {
        name: tuple(
            sorted(str(each) for each in rng.choice(names[:at], size=min(at, 2), replace=False))
        )
        for at, name in enumerate(names)
    }
    faults = {name: rng.dirichlet(np.full(len(FAULTS), 0.7)) for name in names}
    rates = {
        (name, fault): np.clip(
            np.array(FAULTS[fault][2]) + rng.uniform(-SPREAD, SPREAD, len(ACTIONS)), 0.02, 0.98
        )
        for name in names
        for fault in FAULTS
    }
    return World(names, needs, faults, rates)


def draw_event(world: World, rng: np.random.Generator, at: float) -> Event:
    """An incident at a moment: a service, a fault, noisy numbers, a line of words."""
    service = str(rng.choice(world.services))
    fault = tuple(FAULTS)[rng.choice(len(FAULTS), p=world.faults[service])]
    (latency, errors, cpu, memory), words, _ = FAULTS[fault]
    metrics = Metrics(
        latency_p99=round(float(min(latency * rng.lognormal(0, 0.35), 200_000)), 1),
        error_rate=round(float(min(errors * rng.lognormal(0, 0.4), 1)), 4),
        cpu_util=round(float(np.clip(cpu + rng.normal(0, 0.08), 0.01, 1)), 3),
        memory_util=round(float(np.clip(memory + rng.normal(0, 0.08), 0.01, 1)), 3),
    )
    report = IncidentReport(
        component=service,
        timestamp=from_epoch(at),
        metrics=metrics,
        title=str(rng.choice(words)),
        upstream_deps=world.needs[service],
    )
    return Event(report, world.rates[service, fault])


def first_action(advice: Recommendation) -> str | None:
    """The first action that changes something."""
    return next((str(a.action) for a in advice.actions if a.action not in _NOT_HEALING), None)


def static_first(report: IncidentReport) -> str | None:
    """What the static policies name first."""
    incident = completed(report, "", actions=None)
    return first_action(static_advice(incident, CaseBase(), SHIPPED, at=None))


def advised(memory: Memory, event: Event) -> str | None:
    """What the memory names first, over the whole way: recall, graph, policies."""
    return first_action(memory.incidents.recommend(event.report, retrieval="on"))


def rate(event: Event, action: str | None) -> float:
    """The true success rate of an action; doing nothing resolves nothing."""
    return float(event.rates[ACTIONS.index(action)]) if action in ACTIONS else 0.0


def attempts(
    event: Event, first: str | None, rng: np.random.Generator, at: float
) -> Iterator[OutcomeReport]:
    """Up to three attempts, the first as given, until one works."""
    rest = [str(each) for each in rng.permutation(ACTIONS) if each != first]
    order = [first, *rest] if first in ACTIONS else rest
    for number, action in enumerate(order[:3], 1):
        worked = bool(rng.random() < rate(event, action))
        yield OutcomeReport(
            actions_taken=(str(action),),
            success=worked,
            resolution_time_minutes=10.0 * number if worked else None,
            recorded_at=from_epoch(at + 600 * number),
        )
        if worked:
            return


def measure_probes(
    memory: Memory, world: World, seed: int, count: int, at: float
) -> dict[str, Any]:
    """Regret and how often the best action is named, over fresh incidents."""
    rng = np.random.default_rng([seed, 7])  # the same probes at every count
    regret: dict[str, list[float]] = {"memory": [], "static": []}
    best: dict[str, list[float]] = {"memory": [], "static": []}
    for _ in range(PROBES):
        event = draw_event(world, rng, at)
        top = float(event.rates.max())
        named = {
            "memory": advised(memory, event),
            "static": static_first(event.report),
        }
        for who, action in named.items():
            regret[who].append(top - rate(event, action))
            best[who].append(float(rate(event, action) == top))
    same = count > 0 or regret["memory"] == regret["static"]
    return {
        "incidents": count,
        "regret": {who: float(np.mean(values)) for who, values in regret.items()},
        "best": {who: float(np.mean(values)) for who, values in best.items()},
        "equals_static_at_zero": same,
    }


def run_world(job: tuple[int, str, int]) -> list[dict[str, Any]]:
    """One world under one way of learning: a row for every checkpoint."""
    seed, way, incidents = job
    rng = np.random.default_rng([seed, 1])
    world = draw_world(rng)
    rows: list[dict[str, Any]] = []
    options: dict[str, Any] = {"config": Config(), "embedder": HashEmbedder(128)}
    with (
        TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "q.db", clock=lambda: NOW, **options) as memory,
    ):
        for count in range(incidents + 1):
            at = BEGIN_S + count * STEP_S
            if count in CHECKPOINTS:
                rows.append(measure_probes(memory, world, seed, count, at))
            event = draw_event(world, rng, at)
            if way == "advice":
                first = advised(memory, event)
            elif rng.random() < HABIT:
                first = static_first(event.report)
            else:
                first = str(rng.choice(ACTIONS))
            outcomes = tuple(attempts(event, first, rng, at))
            memory.incidents.add(_with(event.report, outcomes))
    return rows


def _with(report: IncidentReport, outcomes: tuple[OutcomeReport, ...]) -> IncidentReport:
    import msgspec

    return msgspec.structs.replace(report, outcomes=outcomes)


def summed(worlds: Sequence[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Means over worlds, with the standard error of the memory's."""
    table: list[dict[str, Any]] = []
    for rows in zip(*worlds, strict=True):
        regret = {w: [row["regret"][w] for row in rows] for w in ("memory", "static")}
        best = {w: [row["best"][w] for row in rows] for w in ("memory", "static")}
        table.append(
            {
                "incidents": rows[0]["incidents"],
                "regret": {w: round(float(np.mean(v)), 4) for w, v in regret.items()},
                "regret_error": round(float(np.std(regret["memory"]) / np.sqrt(len(rows))), 4),
                "best": {w: round(float(np.mean(v)), 4) for w, v in best.items()},
                "equals_static_at_zero": all(row["equals_static_at_zero"] for row in rows),
            }
        )
    return table


def measure(
    _out: Path, _passages: int = 0, *, seeds: int = 6, incidents: int = 200
) -> dict[str, Any]:
    """Run every world both ways."""
    jobs = list(itertools.product(range(seeds), ("habits", "advice")))
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(run_world, [(s, w, incidents) for s, w in jobs]))
    figures: dict[str, Any] = {"seeds": seeds, "probes": PROBES, "actions": len(ACTIONS)}
    for way in ("habits", "advice"):
        figures[way] = summed([r for (_, w), r in zip(jobs, rows, strict=True) if w == way])
    return figures


def main() -> int:
    """Run the simulation by itself."""
    parser = argparse.ArgumentParser(prog="python -m bench.incidents", description=__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--incidents", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    figures = measure(given.out, seeds=given.seeds, incidents=given.incidents)
    text = json.dumps(figures, indent=2)
    (given.out / "incidents.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
