"""Action policies: which actions to recommend for which numbers. They advise; they run nothing.

(Not to be confused with `Policy` entities, which are documents that govern something.)

A policy applies when all its conditions hold; a condition on a metric that was not measured
fails. It rests while it cools down after its last execution, and when it was executed as often
as it may be in an hour. Priority 1 comes first, then the name.

Own ones stand in a YAML file as those of `policies.yaml` do; a condition is text, or `{metric,
operator, threshold}`. One bad policy is a problem that names it; the rest is used.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from importlib.resources import files
from operator import eq, ge, gt, le, lt
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

import msgspec
import yaml
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, Metrics
from quipu.read.reading import Calling, here
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.records.misfit import misfit
from quipu.when.instants import from_epoch, to_epoch

__all__ = [
    "SHIPPED",
    "ActionPolicy",
    "Condition",
    "Execution",
    "Operator",
    "PolicyMatch",
    "actions_of",
    "evaluate",
    "executed",
    "read_policies",
]

_HOUR_S = 3600
_LARGEST = 1_000_000
_WRITTEN = re.compile(r"^\s*(\w+)\s*(>=|<=|==|>|<|=|gte?|lte?|eq)\s*([\d.]+)\s*$")


class Operator(StrEnum):
    """How a metric is compared with the threshold."""

    GT = "gt"
    LT = "lt"
    EQ = "eq"
    GTE = "gte"
    LTE = "lte"


_COMPARE = dict(zip(Operator, (gt, lt, eq, ge, le), strict=True))
_SIGNS = dict(zip(Operator, "><=≥≤", strict=True))
_WRITTEN_SIGNS: dict[str, Operator] = dict(
    zip((">", "<", "==", ">=", "<=", "="), (*Operator, Operator.EQ), strict=True)
)


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`metric operator threshold`."""

    metric: Annotated[
        Literal["latency_p99", "error_rate", "throughput", "cpu_util", "memory_util"],
        "what is measured",
    ]
    operator: Annotated[Operator, "`gt`, `lt`, `eq`, `gte` or `lte`"]
    threshold: Annotated[float, "what it is compared with"]

    def holds(self, metrics: Metrics) -> bool:
        """Whether it is so; False when the metric was not measured."""
        value: float | None = getattr(metrics, self.metric)
        return value is not None and _COMPARE[self.operator](value, self.threshold)

    def __str__(self) -> str:
        return f"{self.metric} {_SIGNS[self.operator]} {self.threshold:g}"


class ActionPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When which actions are advised. `max_executions_per_hour` counts the last 60 minutes."""

    name: Annotated[Annotated[str, Meta(pattern=r"\S")], "its name"]
    conditions: Annotated[
        Annotated[tuple[Condition, ...], Meta(min_length=1)], "when it applies: all of them hold"
    ]
    actions: Annotated[Annotated[tuple[HealingAction, ...], Meta(min_length=1)], "what it advises"]
    priority: Annotated[Annotated[int, Meta(ge=1, le=5)], "1 (first) to 5"] = 3
    cool_down_seconds: Annotated[
        Annotated[float, Meta(ge=0, le=sys.float_info.max)],
        "how long it rests after it was executed",
    ] = 300
    enabled: Annotated[bool, "whether it is used"] = True
    max_executions_per_hour: Annotated[
        Annotated[int, Meta(ge=1)], "how often it may be executed in an hour"
    ] = 10


class Execution(NamedTuple):
    """That a policy's actions were taken on a component."""

    policy: str
    component: str
    at: str


class PolicyMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy whose conditions hold, and whether it may speak now: it cools down, or was executed
    as often as it may be in an hour."""

    policy: Annotated[str, "its name"]
    priority: Annotated[int, "1 (first) to 5"]
    actions: Annotated[tuple[HealingAction, ...], "what it advises"]
    conditions: Annotated[tuple[str, ...], "its conditions, which all hold"]
    state: Annotated[
        Literal["applies", "cooling_down", "hourly_cap"], "whether it applies, or why it rests"
    ]
    until: Annotated[str | None, "when it speaks again, or null"] = None


def evaluate(
    policies: Iterable[ActionPolicy],
    component: str,
    metrics: Metrics,
    *,
    at: str | None,
    executions: Sequence[Execution] = (),
) -> tuple[PolicyMatch, ...]:
    """The enabled policies whose conditions hold, by priority and name.

    `at` is the present; without it no cool-down can be judged and none is.
    """
    matches: list[PolicyMatch] = []
    for policy in policies:
        if policy.enabled and all(condition.holds(metrics) for condition in policy.conditions):
            runs = [e.at for e in executions if (e.policy, e.component) == (policy.name, component)]
            state, until = _rests(policy, at, runs)
            matches.append(
                PolicyMatch(
                    policy=policy.name,
                    priority=policy.priority,
                    actions=policy.actions,
                    conditions=tuple(map(str, policy.conditions)),
                    state=state,
                    until=until,
                )
            )
    return tuple(sorted(matches, key=lambda m: (m.priority, m.policy)))


def _rests(
    policy: ActionPolicy, at: str | None, runs: Iterable[str]
) -> tuple[Literal["applies", "cooling_down", "hourly_cap"], str | None]:
    if at is None:
        return "applies", None
    now = to_epoch(at)
    own = sorted(when for each in runs if (when := to_epoch(each)) <= now)
    if own and now - own[-1] < policy.cool_down_seconds:
        return "cooling_down", from_epoch(own[-1] + policy.cool_down_seconds)
    recent = [when for when in own if now - when < _HOUR_S]
    if len(recent) >= policy.max_executions_per_hour:
        return "hourly_cap", from_epoch(recent[-policy.max_executions_per_hour] + _HOUR_S)
    return "applies", None


def actions_of(matches: Iterable[PolicyMatch]) -> tuple[HealingAction, ...]:
    """What the policies that apply advise, each action once, in the order of the matches."""
    return tuple(
        dict.fromkeys(action for m in matches if m.state == "applies" for action in m.actions)
    )


def executed(policy: ActionPolicy, actions: Iterable[str]) -> bool:
    """Whether an attempt with these actions counts as an execution of the policy: all that it
    advises was done, calling the team aside."""
    required = set(policy.actions) - {HealingAction.ALERT_TEAM} or set(policy.actions)
    return required <= set(actions)


def read_policies(
    path: Path, *, call: Calling = here
) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    """The policies in a file by their order, and what was wrong with the others.

    Raises InvalidInput when the file is no YAML of policies.
    """
    return call(_policies_in, read_whole(path, max_bytes=_LARGEST), str(path))


def _policies_in(data: bytes, path: str) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    try:
        content = yaml.safe_load(data.decode("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{path!r} is not YAML: {error}") from error
    rows = cast(dict[str, Any], content).get("policies") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise InvalidInput(f"{path!r} has no list of policies: begin it with `policies:`")
    kept: dict[str, ActionPolicy] = {}
    problems: list[Problem] = []
    for number, row in enumerate(cast(list[Any], rows), 1):
        try:
            policy = _policy(row)
            if policy.name in kept:
                raise InvalidInput(f"policy {policy.name!r} stands here twice: rename one")
        except InvalidInput as error:
            problems.append(Problem(f"{path}#{number}", str(error)))
            continue
        kept[policy.name] = policy
    return tuple(kept.values()), tuple(problems)


def _policy(row: Any) -> ActionPolicy:
    if not isinstance(row, dict):
        raise InvalidInput(f"{row!r} is no policy: give name, conditions and actions")
    fields = dict(cast(dict[str, Any], row))
    fields["actions"] = _listed(fields.get("actions"))
    conditions = _listed(fields.pop("condition", None)) + _listed(fields.get("conditions"))
    fields["conditions"] = [_condition(each) for each in conditions]
    try:
        return msgspec.convert(fields, ActionPolicy)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"policy {fields.get('name')!r}: {misfit(error, fields)}: mend it"
        ) from error


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


def _condition(written: Any) -> Any:
    """A condition that is written as text, as an object."""
    if not isinstance(written, str):
        return written
    match = _WRITTEN.match(written)
    if match is None:
        raise InvalidInput(f"condition {written!r} cannot be read: write `latency_p99 > 500`")
    operator = _WRITTEN_SIGNS.get(match[2], match[2])
    return {"metric": match[1], "operator": operator, "threshold": float(match[3])}


SHIPPED, _ = _policies_in(
    files("quipu.kinds.incidents").joinpath("policies.yaml").read_bytes(), "policies.yaml"
)
"""The policies that come with Quipu."""
