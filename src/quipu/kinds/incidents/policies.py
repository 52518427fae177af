"""Action policies: which actions to recommend for which numbers. They advise; they run nothing.

(Not to be confused with `Policy` entities, which are documents that govern something.)

A policy applies when all its conditions hold; a condition on a metric that was not measured
fails. It rests while it cools down after its actions were taken, and when they were taken as often
as they may be in an hour. Priority 1 comes first, then the name.

Own ones stand in a YAML file as those of `policies.yaml` do; a condition is text, or `{metric,
operator, threshold}`. One bad policy is a problem that names it; the rest is used.
"""

import re
import sys
from collections.abc import Collection, Iterable
from importlib.resources import files
from operator import eq, ge, gt, le, lt
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Meta

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import HealingAction, Metrics
from quipu.limits import LARGEST_TEXT_FILE
from quipu.read.fields import yaml_value
from quipu.read.reading import Calling, here
from quipu.read.source import read_whole
from quipu.records.document import Problem
from quipu.records.misfit import misfit
from quipu.when.instants import from_epoch, to_epoch

__all__ = [
    "SHIPPED",
    "ActionPolicy",
    "Condition",
    "PolicyMatch",
    "Taken",
    "actions_of",
    "evaluate",
    "read_policies",
]

_WRITTEN = re.compile(r"\s*(\w+)\s*([<>]=?|==?|gte?|lte?|eq)\s*(\d+\.?\d*|\.\d+)\s*")
_OPERATORS = {"gt": (">", gt), "gte": ("≥", ge), "lt": ("<", lt), "lte": ("≤", le), "eq": ("=", eq)}
_SIGNS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "=": "eq", "==": "eq"}
_HOUR_S = 3600


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`metric operator threshold`."""

    metric: Annotated[
        Literal["latency_p99", "error_rate", "throughput", "cpu_util", "memory_util"],
        "what is measured",
    ]
    operator: Annotated[Literal["gt", "lt", "eq", "gte", "lte"], "`gt`, `lt`, `eq`, `gte` or `lte`"]
    threshold: Annotated[float, "what it is compared with"]

    def holds(self, metrics: Metrics) -> bool:
        """Whether it is so; False when the metric was not measured."""
        value = metrics.known().get(self.metric)
        return value is not None and _OPERATORS[self.operator][1](value, self.threshold)

    def __str__(self) -> str:
        return f"{self.metric} {_OPERATORS[self.operator][0]} {self.threshold:g}"


class Taken(NamedTuple):
    """The actions of one attempt, and when they were begun (seconds since 1970)."""

    at: float
    actions: tuple[str, ...]


PolicyState: TypeAlias = Literal["applies", "cooling_down", "hourly_cap"]


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
        "how long it rests after its actions were taken",
    ] = 300
    enabled: Annotated[bool, "whether it is used"] = True
    max_executions_per_hour: Annotated[
        Annotated[int, Meta(ge=1)], "how often its actions may be taken in an hour"
    ] = 10

    def is_executed_by(self, actions: Collection[str]) -> bool:
        """Whether an attempt took all that it advises, calling the team aside."""
        required = set(self.actions) - {HealingAction.ALERT_TEAM} or set(self.actions)
        return required <= set(actions)

    def rests(self, at: float, taken: Iterable[Taken]) -> "tuple[PolicyState, float | None]":
        """Return whether it speaks at a moment, given what was taken before, and until when not."""
        runs = sorted(run.at for run in taken if run.at <= at and self.is_executed_by(run.actions))
        if runs and at - runs[-1] < self.cool_down_seconds:
            return "cooling_down", runs[-1] + self.cool_down_seconds
        recent = [run for run in runs if at - run < _HOUR_S]
        if len(recent) >= self.max_executions_per_hour:
            return "hourly_cap", recent[-self.max_executions_per_hour] + _HOUR_S
        return "applies", None


class PolicyMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A policy whose conditions hold, and whether it speaks now."""

    policy: Annotated[str, "its name"]
    priority: Annotated[int, "1 (first) to 5"]
    actions: Annotated[tuple[HealingAction, ...], "what it advises"]
    conditions: Annotated[tuple[str, ...], "its conditions, which all hold"]
    state: Annotated[PolicyState, "whether it applies, or why it rests"] = "applies"
    until: Annotated[str | None, "when it speaks again, or null"] = None


def evaluate(
    policies: Iterable[ActionPolicy],
    metrics: Metrics,
    *,
    at: str | None = None,
    taken: Collection[Taken] = (),
) -> tuple[PolicyMatch, ...]:
    """Return the enabled policies whose conditions hold, by priority and name. `taken` is what was
    done on the component; without the moment `at` no policy rests."""
    matches: list[PolicyMatch] = []
    for policy in policies:
        if policy.enabled and all(condition.holds(metrics) for condition in policy.conditions):
            state, until = policy.rests(to_epoch(at), taken) if at else ("applies", None)
            matches.append(
                PolicyMatch(
                    policy=policy.name,
                    priority=policy.priority,
                    actions=policy.actions,
                    conditions=tuple(map(str, policy.conditions)),
                    state=state,
                    until=None if until is None else from_epoch(until),
                )
            )
    return tuple(sorted(matches, key=lambda match: (match.priority, match.policy)))


def actions_of(matches: Iterable[PolicyMatch]) -> tuple[HealingAction, ...]:
    """Return what the policies that apply advise, each action once, in the order of the matches."""
    speaking = (match for match in matches if match.state == "applies")
    return tuple(dict.fromkeys(action for match in speaking for action in match.actions))


def read_policies(
    path: Path, *, call: Calling = here
) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    """Return the policies in a file by their order, and what was wrong with the others.

    Raises InvalidInput when the file is no YAML of policies.
    """
    return call(_policies_in, read_whole(path, max_bytes=LARGEST_TEXT_FILE), str(path))


def _policies_in(data: bytes, path: str) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    try:
        content = yaml_value(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path!r} is not YAML: {error}") from error
    except InvalidInput as error:
        raise InvalidInput(f"{path!r} {error}") from error
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
    match = _WRITTEN.fullmatch(written)
    if match is None:
        raise InvalidInput(f"condition {written!r} cannot be read: write `latency_p99 > 500`")
    metric, sign, threshold = match.groups()
    return {"metric": metric, "operator": _SIGNS.get(sign, sign), "threshold": float(threshold)}


SHIPPED, _ = _policies_in(
    files("quipu.kinds.incidents").joinpath("policies.yaml").read_bytes(), "policies.yaml"
)
"""The policies that come with Quipu."""
