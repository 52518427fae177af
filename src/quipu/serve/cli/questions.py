"""`ask`, `search` and `plan`: the ways to put a question."""

from collections.abc import Iterator
from typing import Any

import click
import msgspec

from quipu.records.plan import Anchor, Plan
from quipu.records.scope import read_scope
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import (
    files_of,
    question_argument,
    read_question,
    scope_options,
)
from quipu.serve.cli.shapes import FoundPassages, PlannedAnswer, documents_plan
from quipu.serve.cli.terminal import safe, style
from quipu.serve.cli.view_hits import answer_lines, note_lines, search_lines
from quipu.serve.results import answer, notes_of, shaped

__all__ = ["ask", "plan", "search"]

_SHOWN = 10

_mode = click.option(
    "--mode",
    type=click.Choice(["local", "documents", "global"]),
    help="How the graph widens the plan: over names and typed relations (local), one hop from "
    "document to document (documents), or not at all: questions about everything, answered from "
    "reports (global; see `quipu reflect`).  [default: search.mode]",
)
_no_graph = click.option("--no-graph", is_flag=True, help="Use words and vectors only.")
_explain = click.option("--explain", is_flag=True, help="Show every number behind a score.")


@command(
    "ask",
    "quipu ask who owns the payment service",
    "quipu ask --json 'where is the retry policy defined?'",
    "quipu ask - < question.txt",
)
@question_argument
@click.option("--limit", type=click.IntRange(1, 1000), help="How many passages are considered.")
@_mode
@_no_graph
@scope_options
def ask(
    question: tuple[str, ...], limit: int | None, mode: Any, no_graph: bool, **bounds: Any
) -> None:
    """Answer QUESTION from the memory, with citations.

    The answer is made of the evidence's own sentences; [n] points at a passage below it. Where
    the evidence is missing it is the word unknown, which is a result: exit code 0.
    """
    run = invocation()
    text, files = read_question(question), files_of(bounds)
    scope = read_scope(**bounds)
    with run.open(read_only=True) as memory:
        scope = memory.within(**files, scope=scope)
        reply = memory.ask(text, limit=limit, mode=mode, scope=scope, use_graph=not no_graph)
        run.show(answer(PlannedAnswer, reply), lambda: answer_lines(reply))


@command(
    "search",
    "quipu search connection pool",
    "quipu search --limit 3 --explain 'who calls open_store?'",
    "quipu search --json --before 2026-01-01 retry policy",
    "quipu search --source-type commit --touching src/pool.py 'fix a leak of connections'",
)
@question_argument
@click.option("--limit", type=click.IntRange(1, 1000), help="How many.  [default: search.limit]")
@_mode
@_no_graph
@_explain
@click.option(
    "--touching",
    "touched",
    multiple=True,
    metavar="PATH",
    help="A file that the change in question touches: commits are ranked by it too. May be "
    "repeated.",
)
@scope_options
def search(
    question: tuple[str, ...],
    limit: int | None,
    mode: Any,
    no_graph: bool,
    explain: bool,
    touched: tuple[str, ...],
    **bounds: Any,
) -> None:
    """Find the passages for QUESTION, best first, and say why each is found.

    A score in [0, 1] estimates how likely the passage is relevant. Finding nothing is a result:
    exit code 0. With --before, commits are ranked by what was known then.
    """
    run = invocation()
    text, files = read_question(question), files_of(bounds)
    scope = read_scope(**bounds)
    with run.open(read_only=True) as memory:
        scope = memory.within(**files, scope=scope)
        retrieved = memory.search(
            text,
            limit=limit,
            mode=mode,
            scope=scope,
            use_graph=not no_graph,
            explain=explain,
            touched=touched,
        )
        labels = Labels(memory)
        found = shaped(FoundPassages, retrieved, retrieved.plan, notes=notes_of(retrieved))
        run.show(found, lambda: search_lines(retrieved, labels, explain=explain))


@command(
    "plan",
    "quipu plan who owns the payment service",
    "quipu plan --mode documents --json retry policy",
)
@question_argument
@_mode
@_no_graph
@click.option(
    "--explain", is_flag=True, help="Show seeds with their scores, bridges and every bound."
)
@scope_options
def plan(
    question: tuple[str, ...], mode: Any, no_graph: bool, explain: bool, **bounds: Any
) -> None:
    """Show what may be used to answer QUESTION, before any text is read.

    A plan names its seeds, what the graph adds to them, and the bounds it was made under. With
    --mode documents, --json prints the documents alone; add --explain for the whole plan.
    """
    run = invocation()
    text, files = read_question(question), files_of(bounds)
    scope = read_scope(**bounds)
    with run.open(read_only=True) as memory:
        scope = memory.within(**files, scope=scope)
        made = memory.plan(text, mode=mode, scope=scope, use_graph=not no_graph)
        labels = Labels(memory)
        document = documents_plan(made) if made.mode == "documents" and not explain else made
        run.show(document, lambda: _plan_lines(made, labels, explain=explain))


def _plan_lines(plan: Plan, labels: Labels, *, explain: bool) -> Iterator[str]:
    """Names, seeds, expansions, bridges and bounds; all of them to `explain`, else the first."""
    shown = None if explain else _SHOWN
    labels.read(_ids(plan))
    graph = "with the graph" if plan.use_graph else "without the graph"
    yield from wrapped(f"Plan for “{plan.question}”: {plan.mode} mode, {graph}.")
    yield from _section(
        "Named in the question",
        [f"“{a.name}”  {_anchor(a, labels)}" for a in plan.anchors],
        shown,
    )
    yield from _section("Documents it begins with", _seeds(plan, labels, explain=explain), shown)
    yield from _section(
        "Reports",
        [f"{r.score:.2f}  {r.title}  {r.ref}" for r in plan.reports],
        shown,
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
