"""Plans as a person reads them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from quipu.records.plan import Anchor, Plan
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import note_lines

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.rendered import Given

__all__ = ["plan_lines"]

_SHOWN = 10


def plan_lines(plan: Plan, given: "Given") -> Iterator[str]:
    """Names, seeds, expansions, bridges and bounds; all of them to explain, else the first."""
    labels, explain = Labels(given.memory), given.arguments["explain"]
    shown = None if explain else _SHOWN
    labels.read(_ids(plan))
    graph = "with the graph" if plan.use_graph else "without the graph"
    yield from wrapped(f"Plan for “{plan.question}”: {plan.mode} mode, {graph}.")
    yield from _section(
        "Named in the question", [f"“{a.name}”  {_anchor(a, labels)}" for a in plan.anchors], shown
    )
    yield from _section("Documents it begins with", _seeds(plan, labels, explain=explain), shown)
    yield from _section(
        "Reports", [f"{r.score:.2f}  {r.title}  {r.ref}" for r in plan.reports], shown
    )
    yield from _section(
        "Reached over a relation",
        [
            f"{labels[e.source_id]} {labels.arrow(e.via, e.rel_id, e.source_id)} "
            f"{labels[e.target_id]}" + (f"  ({e.hops} hops)" if e.hops > 1 else "")
            for e in plan.expansions
        ],
        shown,
    )
    yield from _section(
        "Names that may lead on",
        [
            f"“{b.key}” in {labels[b.chunk_id]}, shared by {counted(b.reach, 'passage')}"
            for b in plan.bridges
        ],
        shown,
    )
    bounds = msgspec.to_builtins(plan.constraints)
    yield ""
    yield from wrapped(
        "Bounds: " + " · ".join(f"{key.replace('_', ' ')} {value}" for key, value in bounds.items())
    )
    yield from wrapped(f"Made at generation {plan.sequence}; vectors: {plan.space or 'none'}.")
    yield from note_lines(plan.notes)


def _section(title: str, rows: list[str], shown: int | None) -> Iterator[str]:
    if not rows:
        return
    yield ""
    yield style(f"{title} ({len(rows)})", bold=True)
    for row in rows[:shown]:
        yield f"  {safe(row, line=True)}"
    if shown is not None and len(rows) > shown:
        yield style(f"  … {len(rows) - shown} more: --explain shows all", dim=True)


def _anchor(anchor: Anchor, labels: Labels) -> str:
    if anchor.type == "Name":
        return "a name in the text"
    return f"{labels[anchor.entity_id]}, by {anchor.match} name".replace("exact name", "its name")


def _seeds(plan: Plan, labels: Labels, *, explain: bool) -> list[str]:
    if explain:
        return [
            f"{labels[seed.chunk_id]}  by {', '.join(seed.reasons)}"
            + "".join(f" · {name} {value:.2f}" for name, value in sorted(seed.parts.items()))
            for seed in plan.seeds
        ]
    reasons: dict[str, dict[str, None]] = {}
    for seed in plan.seeds:
        reasons.setdefault(seed.document_id, {}).update(dict.fromkeys(seed.reasons))
    return [f"{labels[each]}  by {', '.join(why)}" for each, why in reasons.items()]


def _ids(plan: Plan) -> Iterator[str]:
    for anchor in plan.anchors:
        yield anchor.entity_id
    for seed in plan.seeds:
        yield seed.document_id
        yield seed.chunk_id
    for expansion in plan.expansions:
        yield expansion.source_id
        yield expansion.target_id
        yield expansion.rel_id
    for bridge in plan.bridges:
        yield bridge.chunk_id
