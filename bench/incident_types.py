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
from quipu.kinds.incidents.model import IncidentReport, Metrics, OutcomeReport
from quipu.kinds.incidents.similar import SimilarIncidents
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
    "memory leak": Failure(
        (650, 0.07, 0.55, 0.93),
        (
            "heap of {s} climbs steadily since yesterday, pods get OOM-killed",
            "out of memory kills in {s}; garbage collection takes longer and longer",
            "resident set of {s} workers never shrinks again after load falls",
            "{s} leaks: each request leaves some megabytes behind",
            "kernel killed {s} processes, memory exhausted",
            "old generation full in {s}, long GC pauses before it dies",
            "{s} containers hit their memory limit every few hours",
            "the {s} process keeps growing until the OOM killer ends it",
        ),
        {"restart_container": 0.9, "scale_out": 0.3, "rollback": 0.25},
    ),
    "bad release": Failure(
        (320, 0.35, 0.5, 0.5),
        (
            "5xx right after the deploy of {s} this morning",
            "new version of {s} throws null pointer exceptions",
            "since build 812 went out, {s} answers with errors",
            "regression in {s}: the latest rollout broke parsing of requests",
            "{s} fails on a code path that shipped an hour ago",
            "error spike in {s} coincides with the release",
            "canary of {s} was fine, the full rollout is not: exceptions everywhere",
            "after merging the refactoring, {s} returns 500 for half the calls",
        ),
        {"rollback": 0.93, "restart_container": 0.1, "traffic_shift": 0.3},
    ),
    "traffic spike": Failure(
        (900, 0.12, 0.95, 0.75),
        (
            "requests to {s} tripled within minutes of the campaign",
            "flash sale: {s} saturated, threads all busy",
            "load on {s} far above the usual peak, requests queue up",
            "a crawler wave drives {s} to its limits",
            "{s} cannot keep up with the number of visitors",
            "CPU of all {s} instances at the ceiling, twice the normal request rate",
            "newsletter went out, {s} is overloaded by clicks",
            "demand surge: worker pool of {s} exhausted by sheer volume",
        ),
        {"scale_out": 0.92, "restart_container": 0.1, "circuit_breaker": 0.35},
    ),
    "dependency down": Failure(
        (1500, 0.33, 0.35, 0.45),
        (
            "calls from {s} to the payment provider time out",
            "upstream of {s} does not answer, threads hang waiting",
            "third-party API behind {s} returns 503 for everything",
            "{s} blocks on a dead partner service",
            "vendor outage: {s} cannot reach their endpoint",
            "the recommendation backend is down and drags {s} with it",
            "timeouts cascade into {s} from the service it calls",
            "{s} piles up connections to a dependency that is gone",
        ),
        {"circuit_breaker": 0.9, "restart_container": 0.08, "rollback": 0.1},
    ),
    "zone failure": Failure(
        (700, 0.22, 0.4, 0.45),
        (
            "one availability zone unreachable, a third of {s} gone",
            "hosts of {s} in rack 7 do not respond",
            "network partition cuts off the {s} nodes in eu-west-1b",
            "power loss in a data hall took {s} instances with it",
            "packet loss to one region, {s} instances there fail health checks",
            "the cloud provider reports trouble in a zone, {s} is affected",
            "switch died: nodes running {s} in that row are dark",
            "{s} is fine everywhere but in zone b, where nothing answers",
        ),
        {"traffic_shift": 0.92, "restart_container": 0.2, "scale_out": 0.3},
    ),
    "certificate": Failure(
        (300, 0.4, 0.35, 0.45),
        (
            "TLS handshake with {s} fails: certificate has expired",
            "clients refuse {s}, x509 validity ended last night",
            "browser warnings on {s}: the cert ran out",
            "mutual TLS to {s} broken, not-after date passed",
            "nobody renewed the certificate of {s} in time",
            "{s} serves an outdated SSL certificate, handshakes rejected",
            "secure connections to {s} fail since midnight, chain no longer valid",
            "the intermediate CA of {s} expired",
        ),
        {"renew_certificate": 0.96, "restart_container": 0.12, "rollback": 0.05},
    ),
    "dns": Failure(
        (1300, 0.3, 0.35, 0.45),
        (
            "{s} cannot resolve host names, SERVFAIL from the resolver",
            "lookups in {s} end with NXDOMAIN since the zone change",
            "name resolution slow for {s}, five seconds a query",
            "stale DNS record: {s} talks to an address that is gone",
            "getaddrinfo errors all over the logs of {s}",
            "{s} still uses the old IP of the database, resolver cache",
            "CoreDNS drops queries of {s}",
            "domain names no longer resolve inside {s}",
        ),
        {"flush_dns_cache": 0.9, "restart_container": 0.3, "traffic_shift": 0.2},
    ),
    "cache": Failure(
        (950, 0.1, 0.85, 0.6),
        (
            "hit rate of the cache before {s} fell to zero, database hammered",
            "cache stampede: {s} recomputes the same keys over and over",
            "redis was flushed and {s} reads everything from disk",
            "mass expiry of cached entries, {s} slow",
            "{s} misses its cache on nearly every request",
            "cold cache after failover, {s} hits the backing store",
            "memcached evicts all that {s} needs",
            "thundering herd on {s} when the hot keys ran out",
        ),
        {"warm_cache": 0.88, "scale_out": 0.35, "restart_container": 0.1},
    ),
    "disk full": Failure(
        (500, 0.28, 0.4, 0.5),
        (
            "no space left on device on the {s} hosts",
            "{s} cannot write, the volume is at 100 percent",
            "logs filled the disk of {s}",
            "inode exhaustion on {s}, writes fail",
            "partition /var of {s} ran full overnight",
            "ENOSPC in {s}: temp files pile up",
            "storage of {s} used up, database went read-only",
            "old core dumps ate the free space of {s}",
        ),
        {"clean_up_disk": 0.94, "restart_container": 0.1, "scale_out": 0.15},
    ),
    "connection pool": Failure(
        (1100, 0.2, 0.4, 0.55),
        (
            "{s} waits for a free database connection",
            "connection pool of {s} exhausted, idle in transaction sessions",
            "too many clients already: postgres refuses {s}",
            "long transactions hold locks that {s} waits for",
            "{s} times out acquiring a connection from the pool",
            "blocked queries pile up behind one session of {s}",
            "max_connections reached by {s}",
            "sessions of {s} never returned to the pool",
        ),
        {"kill_idle_sessions": 0.9, "restart_container": 0.45, "rollback": 0.1},
    ),
    "poison message": Failure(
        (450, 0.15, 0.6, 0.5),
        (
            "consumer of {s} crashes on the same message again and again",
            "queue of {s} stuck behind one malformed event",
            "{s} retries a broken payload forever, backlog grows",
            "consumer lag of {s} rises, one partition does not move",
            "undecodable record blocks the {s} stream",
            "{s} worker loops over a job that it cannot parse",
            "a single bad event stops all processing in {s}",
            "offset of {s} does not advance, deserialisation fails",
        ),
        {"move_to_dead_letter": 0.92, "restart_container": 0.1, "scale_out": 0.08},
    ),
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


def related(memory: Memory, past: Sequence[Event], ids: Sequence[str]) -> dict[str, Any]:
    """Of the SIMILAR_TO edges, how many join incidents of one type, and two services."""
    types = {key: event.failure for key, event in zip(ids, past, strict=True)}
    services = {key: event.report.component for key, event in zip(ids, past, strict=True)}
    pairs = {
        (edge.source_id, edge.target_id)
        for key in ids
        for found in [memory.incidents.similar(key, limit=1)]
        for incident in found.incidents
        for edge in incident.edges
        if edge.type == "SIMILAR_TO" and edge.source_id in types and edge.target_id in types
    }
    right = sum(types[a] == types[b] for a, b in pairs)
    apart = sum(services[a] != services[b] for a, b in pairs)
    count = max(len(pairs), 1)
    return {
        "edges": len(pairs),
        "same_type": round(right / count, 3),
        "across_services": round(apart / count, 3),
    }


def run(seed: int, past: int, fresh: int, *, embed: bool) -> dict[str, Any]:
    """One history, and what is advised after it."""
    rng = np.random.default_rng(seed)
    seen, unseen = slice(0, 4), slice(4, 8)
    history: list[Event] = []
    reports: list[IncidentReport] = []
    for number in range(past):
        at = BEGIN_S + number * STEP_S
        event = draw(rng, at, half=seen, source=f"past:{number}")
        history.append(event)
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
            added = [memory.incidents.add(report).added[0] for report in reports]
            result: dict[str, Any] = {"seed": seed, "past": past, "fresh": fresh}
            for name, events in asked.items():
                advice = [
                    named_first(memory.incidents.recommend(e.report, retrieval="on"))
                    for e in events
                ]
                votes = [voted(memory.incidents.similar(e.report)) for e in events]
                result[name] = judged(events, advice)
                result[f"{name}_votes"] = judged(events, votes)
            result["similar_to"] = related(memory, history, added)
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
