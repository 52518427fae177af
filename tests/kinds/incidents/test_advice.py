"""Advice rests on what is told of like incidents, wherever they were and whatever was done."""

import math
from typing import Any

import msgspec
import pytest

from quipu.kinds.incidents.advice import Beta, advise, better
from quipu.kinds.incidents.case_base import Case, CaseBase
from quipu.kinds.incidents.model import Incident, Metrics, Outcome, Severity
from quipu.memory import Memory

WORDS = {
    "certificate": "TLS handshake fails, the certificate of {s} has expired",
    "disk": "no space left on device, {s} cannot write its log",
}
CURES = {"certificate": "Renew certificate", "disk": "clean-up-disk"}
NUMBERS = {"latency_p99": 700.0, "error_rate": 0.4, "cpu_util": 0.5}


def _incident(kind: str, service: str, day: int, **more: Any) -> dict[str, Any]:
    title = WORDS[kind].format(s=service)
    return {
        "component": service,
        "timestamp": f"2026-02-{day:02d}T10:00:00Z",
        "title": title,
        "metrics": NUMBERS,
        **more,
    }


def _told(memory: Memory) -> None:
    for day in range(1, 13):
        kind = ("certificate", "disk")[day % 2]
        at = f"2026-02-{day:02d}T1"
        outcomes = [
            {"actions_taken": ["rollback"], "success": False, "recorded_at": f"{at}1:00:00Z"},
            {
                "actions_taken": [CURES[kind]],
                "success": True,
                "resolution_time_minutes": 20 + day,
                "recorded_at": f"{at}2:00:00Z",
            },
        ]
        memory.incidents.add(_incident(kind, f"svc-{day % 5}", day, outcomes=outcomes))


def test_a_fix_that_no_policy_knows_is_advised_where_it_cured_the_like(memory: Memory) -> None:
    _told(memory)
    asked = {"component": "brand-new", "title": WORDS["certificate"].format(s="brand-new")}
    found = memory.incidents.recommend(asked | {"metrics": NUMBERS}, retrieval="on")
    first = found.actions[0]
    assert (first.action, first.origin, first.policies) == ("renew_certificate", "learned", ())
    assert first.successes == first.samples >= 3
    assert first.minutes is not None
    assert 20 < first.minutes < 33
    assert found.cases
    assert [like.score for like in found.alike] == sorted(s.score for s in found.alike)[::-1]
    assert found.alike[0].tried[0] == "rollback did not work"
    assert found.alike[0].tried[1].startswith("Renew certificate worked after")
    other = memory.incidents.recommend(
        asked | {"metrics": NUMBERS, "title": WORDS["disk"].format(s="brand-new")}, retrieval="on"
    )
    assert other.actions[0].action == "clean_up_disk"
    assert all(each.action != "rollback" for each in (first, other.actions[0]))


def test_advice_that_leaves_the_past_out_says_so(memory: Memory) -> None:
    asked = {"component": "svc-1", "title": "the certificate of svc-1 has expired"}
    assert not any("past outcomes" in n for n in memory.incidents.recommend(asked).notes)
    _told(memory)
    advised = memory.incidents.recommend(asked)
    assert advised.basis == "static"
    assert "past outcomes take no part" in advised.notes[-1]
    assert "--retrieval on" in advised.notes[-1]
    asked_for = memory.incidents.recommend(asked, retrieval="off")
    assert not any("past outcomes" in n for n in asked_for.notes)
    assert memory.incidents.recommend(asked, retrieval="shadow") == asked_for


def test_what_always_cured_another_failure_is_not_brought_in_by_a_few_cases() -> None:
    """Six of eight like cases were ended by one action, two by another after it; three cases of
    another failure, as like, by one that has never failed."""
    cases = [_case(n, [("open_breaker", True)]) for n in range(6)]
    cases += [_case(n, [("open_breaker", False), ("restart", True)]) for n in (6, 7)]
    cases += [_case(n, [("drain_queue", True)]) for n in (8, 9, 10)]
    case_base = CaseBase(cases=tuple(cases))
    like = {case.incident.incident_id: 0.8 for case in cases}
    asked = msgspec.structs.replace(cases[0].incident, incident_id="new", component="new")
    advice = advise(asked, case_base, (), at="2026-03-01T00:00:00.000Z", context=like)
    assert advice.actions[0].action == "open_breaker"


def _case(number: int, attempts: list[tuple[str, bool]]) -> Case:
    incident = Incident(
        incident_id=f"inc_{number}",
        component="svc",
        severity=Severity.WARN,
        timestamp=f"2026-02-{number + 1:02d}T10:00:00.000Z",
        metrics=Metrics(),
        agent_analysis={},
        predictive_insights={},
        embedding_id=number,
    )
    outcomes = tuple(
        Outcome(
            outcome_id=f"out_{number}_{at}",
            incident_id=incident.incident_id,
            actions_taken=(action,),
            success=worked,
            resolution_time_minutes=10.0,
            recorded_at=incident.timestamp,
        )
        for at, (action, worked) in enumerate(attempts)
    )
    return Case(incident=incident, outcomes=outcomes)


def test_incidents_are_alike_by_what_is_told_not_by_where_they_were(memory: Memory) -> None:
    _told(memory)
    found = memory.incidents.similar(
        {"component": "svc-1", "title": WORDS["disk"].format(s="svc-1"), "metrics": NUMBERS}
    )
    assert all("no space left" in each.title for each in found.incidents[:6])
    assert len({each.component for each in found.incidents[:6]}) > 2
    edges = {e for each in found.incidents for e in each.edges if e.type == "SIMILAR_TO"}
    kinds = {each.incident_id: each.title.split()[0] for each in found.incidents}
    known = [e for e in edges if e.source_id in kinds and e.target_id in kinds]
    assert known
    assert all(kinds[e.source_id] == kinds[e.target_id] for e in known)


def test_advice_knows_what_was_told_and_forgotten_since_the_last(memory: Memory) -> None:
    asked = {"component": "svc-1", "title": "the certificate of svc-1 has expired"}
    before = memory.incidents.recommend(asked, retrieval="on")
    _told(memory)
    after = memory.incidents.recommend(asked, retrieval="on")
    assert (before.basis, after.basis) == ("static", "learned")
    memory.forget([f"incident:{each.incident_id}" for each in memory.incidents.list().incidents])
    assert memory.incidents.recommend(asked, retrieval="on").basis == "static"


def test_where_like_cases_exist_there_is_always_an_action() -> None:
    """One case alone is thin evidence: what ended it is named, and that nothing did too."""
    asked = _case(9, []).incident
    named: dict[str, list[str]] = {}
    for name, attempts in {
        "worked": [("restart", False), ("drain_queue", True)],
        "failed": [("restart", False)],
        "untold": [],
    }.items():
        case = _case(0, attempts)
        advice = advise(
            asked,
            CaseBase(cases=(case,)),
            (),
            at="2026-03-01T00:00:00.000Z",
            context={case.name: 0.4},
        )
        assert any("nothing here is much like it" in note for note in advice.notes)
        named[name] = [action.action for action in advice.actions]
        assert any("thin evidence" in note for note in advice.notes)
        assert any("what was done then" in note for note in advice.notes) == bool(attempts)
        (like,) = advice.alike
        assert len(like.tried) == len(attempts)
    assert named == {
        "worked": ["drain_queue"],
        "failed": ["alert_team"],
        "untold": ["alert_team"],
    }


def test_a_rate_is_known_as_the_beta_distribution_says() -> None:
    assert Beta(1, 1).interval() == pytest.approx((0.05, 0.95), abs=1e-3)

    # P(X > Y) for X ~ Beta(a, b), Y ~ Beta(c, d), whole a: Evan Miller's sum
    def log_beta(a: float, b: float) -> float:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)

    a, b, c, d = 8, 4, 5, 6
    exact = sum(
        math.exp(log_beta(c + i, d + b) - math.log(b + i) - log_beta(1 + i, b) - log_beta(c, d))
        for i in range(a)
    )
    assert better(Beta(a, b), Beta(c, d)) == pytest.approx(exact, abs=1e-4)
