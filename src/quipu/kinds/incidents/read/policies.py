"""Action policies of one's own, in YAML.

    policies:
      - name: slow_checkout
        conditions: ["latency_p99 > 800", "error_rate < 0.1"]
        actions: [scale_out, alert_team]
        priority: 2

A condition is text, or `{metric, operator, threshold}`. One bad policy is a problem that names it;
the rest is used.
"""

import re
from pathlib import Path
from typing import Any, cast

import msgspec
import yaml

from quipu.errors import InvalidInput
from quipu.kinds.incidents.policies import ActionPolicy, check_policy
from quipu.read.calling import Calling, here
from quipu.read.source import read_stable
from quipu.records.document import Problem
from quipu.records.misfit import misfit

__all__ = ["read_policies"]

_LARGEST = 1_000_000
_WRITTEN = re.compile(r"^\s*(\w+)\s*(>=|<=|==|>|<|=|gte?|lte?|eq)\s*([\d.]+)\s*$")
_OPERATORS = {">": "gt", "<": "lt", "=": "eq", "==": "eq", ">=": "gte", "<=": "lte"}


def read_policies(
    path: Path, *, call: Calling = here
) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    """The policies in a file by their order, and what was wrong with the others.

    Raises InvalidInput when the file is no YAML of policies, or one name stands for two.
    """
    try:
        resolved = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error}") from error
    data = read_stable(resolved, shown=str(path), max_bytes=_LARGEST)
    if isinstance(data, Problem):
        raise InvalidInput(f"{str(path)!r} {data.error}")
    return call(policies_in, data, str(path))


def policies_in(data: bytes, path: str) -> tuple[tuple[ActionPolicy, ...], tuple[Problem, ...]]:
    """The policies in the bytes of the file at `path`, as `read_policies` gives them."""
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
        at = f"{path}#{number}"
        try:
            policy = check_policy(_policy(row))
            if policy.name in kept:
                raise InvalidInput(f"policy {policy.name!r} stands here twice: rename one")
        except InvalidInput as error:
            problems.append(Problem(at, str(error)))
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
    operator = _OPERATORS.get(match[2], match[2])
    return {"metric": match[1], "operator": operator, "threshold": float(match[3])}
