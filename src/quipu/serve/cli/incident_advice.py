"""`incident similar | recommend | compare | replay`: what the past says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from quipu.errors import InvalidInput
from quipu.kinds.incidents.model import UNKNOWN_COMPONENT
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import DATE
from quipu.serve.cli.view_incidents import (
    advice_lines,
    comparison_lines,
    policy_lines,
    replay_lines,
    similar_lines,
)

__all__ = ["compare", "policies", "recommend", "replay", "similar"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_AS_OF = click.option("--as-of", type=DATE, help="Use only what was known at this date.")
_METRICS = {
    "latency_p99": "The p99 latency in milliseconds.",
    "error_rate": "The share of failing requests, 0 to 1.",
    "throughput": "Requests a second.",
    "cpu_util": "The share of CPU in use, 0 to 1.",
    "memory_util": "The share of memory in use, 0 to 1.",
}


def _numbers(function: Decorated) -> Decorated:
    """Add what describes a new incident."""
    for name, text in reversed(_METRICS.items()):
        function = click.option(f"--{name.replace('_', '-')}", name, type=float, help=text)(
            function
        )
    function = click.option(
        "--upstream", multiple=True, metavar="NAME", help="A service it needs; may be repeated."
    )(function)
    return click.option("--title", default="", help="What happens, in words.")(function)


def _subject_options(function: Decorated) -> Decorated:
    """Add the ways to say which incident is meant: one that is here, or a new one."""
    function = _numbers(function)
    function = click.option("--component", help="The component of a new incident.")(function)
    return click.argument("incident_id", required=False)(function)


def _subject(
    incident_id: str | None,
    *,
    component: str | None,
    title: str,
    upstream: tuple[str, ...],
    **metrics: float | None,
) -> str | dict[str, Any]:
    if incident_id is not None:
        if component or title or upstream or any(v is not None for v in metrics.values()):
            raise InvalidInput(
                f"INCIDENT_ID {incident_id!r} stands beside --component and numbers: give one or "
                "the other"
            )
        return incident_id
    if component is None and not title:
        raise InvalidInput(
            "which incident? give INCIDENT_ID, or --title, or --component and its numbers"
        )
    return {
        "component": component or UNKNOWN_COMPONENT,
        "title": title,
        "upstream_deps": list(upstream),
        "metrics": {name: value for name, value in metrics.items() if value is not None},
    }


@command(
    "similar",
    "quipu incident similar inc_0123456789abcdef01234567",
    "quipu incident similar --component payments --error-rate 0.4 --title 'checkout fails'",
)
@_subject_options
@_AS_OF
@click.option("--limit", type=click.IntRange(1), default=5, show_default=True, help="How many.")
def similar(incident_id: str | None, as_of: str | None, limit: int, **described: Any) -> None:
    """Find the incidents most like one, what was done then and what came of it.

    The incident is INCIDENT_ID, or a new one described by its component and numbers.
    """
    run = invocation()
    subject = _subject(incident_id, **described)
    with run.open(read_only=True) as memory:
        found = memory.incidents.similar(subject, as_of=as_of, limit=limit)
        run.show(found, lambda: similar_lines(found))


@command(
    "recommend",
    "quipu incident recommend inc_0123456789abcdef01234567",
    "quipu incident recommend --component payments --latency-p99 900 --retrieval on",
)
@_subject_options
@_AS_OF
@click.option(
    "--retrieval",
    type=click.Choice(["off", "shadow", "on"]),
    help="Whether past incidents take part.  [default: incidents.retrieval]",
)
def recommend(incident_id: str | None, as_of: str | None, retrieval: Any, **described: Any) -> None:
    """Say what to try, the best first, with the evidence for and against each action.

    This is advice: nothing is ever run. With `off` it is what the action policies say; with `on`
    past outcomes move actions that work ahead, where the evidence is strong enough.
    """
    run = invocation()
    subject = _subject(incident_id, **described)
    with run.open(read_only=True) as memory:
        advice = memory.incidents.recommend(subject, as_of=as_of, retrieval=retrieval)
        run.show(advice, lambda: advice_lines(advice))


@command(
    "compare",
    "quipu incident compare payments rollback restart_container",
    "quipu incident compare payments rollback renew_certificate --title 'TLS handshake fails'",
)
@click.argument("subject")
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@_numbers
@_AS_OF
def compare(
    subject: str,
    first: str,
    second: str,
    as_of: str | None,
    title: str,
    upstream: tuple[str, ...],
    **metrics: float | None,
) -> None:
    """Compare two actions on SUBJECT: how often each works, and how sure it is which is better.

    SUBJECT is an incident's id, or a component. With a title or numbers it is a new incident on
    that component, and the rates are those that `recommend` gives for it; without them they are of
    everything that befell the component. Actions are restart_container, scale_out, traffic_shift,
    circuit_breaker, rollback, alert_team, no_action, and whatever else was done.
    """
    run = invocation()
    described = title or upstream or any(value is not None for value in metrics.values())
    about = (
        _subject(None, component=subject, title=title, upstream=upstream, **metrics)
        if described
        else subject
    )
    with run.open(read_only=True) as memory:
        found = memory.incidents.compare(about, first, second, as_of=as_of)
        run.show(found, lambda: comparison_lines(found))


@command("replay", "quipu incident replay", "quipu incident replay --known stored --json")
@click.option(
    "--known",
    type=click.Choice(["told", "stored"]),
    default="told",
    show_default=True,
    help="What was known: by the records' own times, or by when this memory was told.",
)
def replay(known: Any) -> None:
    """Advise on every past incident from what was known at its moment, and compare.

    Shows where the memory would have advised something else than the static policies, and what
    was done and came of it.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.replay(known=known)
        run.show(found, lambda: replay_lines(found))


@command("policies", "quipu incident policies", "quipu incident policies my-policies.yaml")
@click.argument("path", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.pass_context
def policies(ctx: click.Context, path: Path | None) -> None:
    """Show the action policies in force, or check those of the YAML file PATH.

    Exit code 1 when one of them cannot be used; the others can.
    """
    run = invocation()
    with run.open(read_only=True) as memory:
        found = memory.incidents.check_policies(path)
        run.show(found, lambda: policy_lines(found))
    if found.errors:
        ctx.exit(NO)
