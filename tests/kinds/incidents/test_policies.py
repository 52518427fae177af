"""When action policies apply, rest, and cannot work."""

import pytest

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, Metrics
from quipu.kinds.incidents.policies import (
    SHIPPED,
    ActionPolicy,
    Condition,
    Execution,
    Operator,
    actions_of,
    check_policy,
    evaluate,
    executed,
)

AT = "2026-02-01T10:00:00.000Z"


def _names(metrics: Metrics) -> list[str]:
    return [m.policy for m in evaluate(SHIPPED, "a", metrics, at=AT)]


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        (Metrics(latency_p99=300), []),
        (Metrics(latency_p99=301), ["moderate_latency_circuit_breaker"]),
        (Metrics(latency_p99=501), ["high_latency_restart", "moderate_latency_circuit_breaker"]),
        (Metrics(error_rate=0.2), ["high_error_rate_traffic_shift"]),
        (
            Metrics(error_rate=0.31),
            ["critical_error_rate_rollback", "high_error_rate_traffic_shift"],
        ),
        (Metrics(cpu_util=0.95), []),
        (Metrics(cpu_util=0.95, memory_util=0.95), ["resource_exhaustion_scale"]),
    ],
)
def test_the_shipped_policies_apply_as_documented(metrics: Metrics, names: list[str]) -> None:
    assert _names(metrics) == names


def test_the_shipped_policies_are_sound() -> None:
    for policy in SHIPPED:
        assert check_policy(policy) is policy
        assert policy.cool_down_seconds == 300
        assert policy.max_executions_per_hour == 10


def _policy(*conditions: str, **changes: object) -> ActionPolicy:
    made = tuple(
        Condition(metric=m, operator=Operator(o), threshold=float(t))
        for m, o, t in (each.split() for each in conditions)
    )
    fields: dict[str, object] = {
        "name": "p",
        "conditions": made,
        "actions": (HealingAction.ROLLBACK,),
        **changes,
    }
    return ActionPolicy(**fields)  # type: ignore[arg-type]


def test_a_policy_cools_down_on_its_component_only() -> None:
    policy = _policy("error_rate gt 0.1")
    done = [Execution("p", "a", "2026-02-01T09:56:00.000Z")]
    metrics = Metrics(error_rate=0.5)
    (match,) = evaluate([policy], "a", metrics, at=AT, executions=done)
    assert (match.state, match.until) == ("cooling_down", "2026-02-01T10:01:00.000Z")
    assert actions_of([match]) == ()
    (other,) = evaluate([policy], "b", metrics, at=AT, executions=done)
    assert other.state == "applies"
    (later,) = evaluate([policy], "a", metrics, at="2026-02-01T10:01:00.000Z", executions=done)
    assert later.state == "applies"


def test_an_execution_of_the_future_does_not_count() -> None:
    policy = _policy("error_rate gt 0.1")
    done = [Execution("p", "a", "2026-02-01T10:00:01.000Z")]
    (match,) = evaluate([policy], "a", Metrics(error_rate=0.5), at=AT, executions=done)
    assert match.state == "applies"


def test_a_policy_stops_at_its_hourly_cap() -> None:
    policy = _policy("error_rate gt 0.1", max_executions_per_hour=2)
    done = [Execution("p", "a", f"2026-02-01T09:{m}:00.000Z") for m in (10, 30)]
    (match,) = evaluate([policy], "a", Metrics(error_rate=0.5), at=AT, executions=done)
    assert (match.state, match.until) == ("hourly_cap", "2026-02-01T10:10:00.000Z")


def test_a_disabled_policy_says_nothing() -> None:
    policy = _policy("error_rate gt 0.1", enabled=False)
    assert evaluate([policy], "a", Metrics(error_rate=0.5), at=AT) == ()


def test_an_attempt_executes_a_policy_when_all_it_advises_was_done() -> None:
    rollback = SHIPPED[1]
    assert executed(rollback, ["rollback", "circuit_breaker"])
    assert not executed(rollback, ["rollback"])


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (_policy("error_rate gt 0.5", "error_rate lt 0.4"), "can never hold"),
        (_policy("error_rate gt 1"), "can never hold"),
        (_policy("latency_p99 lt 0"), "can never hold"),
        (_policy("error_rate eq 0.5", "error_rate eq 0.6"), "can never hold"),
        (
            _policy("error_rate gt 0.5", actions=(HealingAction.NO_ACTION, HealingAction.ROLLBACK)),
            "contradicts itself",
        ),
    ],
)
def test_a_policy_that_cannot_work_is_refused(policy: ActionPolicy, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        check_policy(policy)


def test_narrow_but_possible_conditions_are_fine() -> None:
    check_policy(_policy("error_rate gt 0.5", "error_rate lt 0.5000001"))
    check_policy(_policy("error_rate gte 1"))
    check_policy(_policy("latency_p99 gte 100", "latency_p99 lte 100"))
