"""When action policies apply, rest, and cannot work."""

from pathlib import Path

import msgspec
import pytest

from quipu.kinds.incidents.model import HealingAction, Metrics
from quipu.kinds.incidents.policies import (
    SHIPPED,
    ActionPolicy,
    Condition,
    Execution,
    actions_of,
    evaluate,
    read_policies,
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


def _policy(*conditions: str, **changes: object) -> ActionPolicy:
    made = tuple(
        msgspec.convert({"metric": m, "operator": o, "threshold": float(t)}, Condition)
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


def test_a_policy_stops_at_its_hourly_cap() -> None:
    policy = _policy("error_rate gt 0.1", max_executions_per_hour=2)
    done = [Execution("p", "a", f"2026-02-01T09:{m}:00.000Z") for m in (10, 30)]
    (match,) = evaluate([policy], "a", Metrics(error_rate=0.5), at=AT, executions=done)
    assert (match.state, match.until) == ("hourly_cap", "2026-02-01T10:10:00.000Z")


GOOD = (
    "  - name: slow\n    conditions: ['latency_p99 > 800', 'error_rate <= 0.1']\n"
    "    actions: [scale_out]\n"
)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "p.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_sound_policy_is_read_with_its_defaults(tmp_path: Path) -> None:
    ((policy,), problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}"))
    assert problems == ()
    assert list(map(str, policy.conditions)) == ["latency_p99 > 800", "error_rate ≤ 0.1"]
    assert (policy.priority, policy.cool_down_seconds, policy.enabled) == (3, 300, True)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [dance]}\n", "'dance'"),
        ("  - {name: x, conditions: ['cpu_util ~ 0.5'], actions: [rollback]}\n", "cannot be read"),
        ("  - {name: x, conditions: ['cpu_util > much'], actions: [rollback]}\n", "> much'"),
        ("  - {name: x, conditions: ['speed > 1'], actions: [rollback]}\n", "'speed'"),
        ("  - {name: x, actions: [rollback]}\n", "conditions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: []}\n", "actions"),
        ("  - {name: x, conditions: ['cpu_util > 0.5'], actions: [rollback], speed: 1}\n", "speed"),
        ("  - {name: x, priority: 6, condition: cpu_util > .5, actions: rollback}\n", "priority"),
        ("  - 5\n", "5 is no policy"),
        (GOOD, "stands here twice"),
    ],
)
def test_a_bad_policy_is_named_and_the_rest_is_used(tmp_path: Path, row: str, said: str) -> None:
    (kept, problems) = read_policies(_file(tmp_path, f"policies:\n{GOOD}{row}"))
    assert [each.name for each in kept] == ["slow"]
    (problem,) = problems
    assert said in problem.error
    assert problem.path.endswith("p.yaml#2")
