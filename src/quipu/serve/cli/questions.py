"""`ask`, `search` and `plan`: the ways to put a question."""

from typing import Any

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.labels import Labels
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import question_argument, read_question, read_scope, scope_options
from quipu.serve.cli.shapes import Answered, Found, documents_plan
from quipu.serve.cli.view_hits import answer_lines, search_lines
from quipu.serve.cli.view_plan import plan_lines
from quipu.serve.results import answer, notes_of, shaped

__all__ = ["ask", "plan", "search"]

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
    text, scope = read_question(question), read_scope(**bounds)
    with run.open(read_only=True) as memory:
        reply = memory.ask(text, limit=limit, mode=mode, scope=scope, use_graph=not no_graph)
        run.show(answer(Answered, reply), lambda: answer_lines(reply))


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
    text, scope = read_question(question), read_scope(**bounds)
    with run.open(read_only=True) as memory:
        retrieved = memory.search(
            text, limit=limit, mode=mode, scope=scope, use_graph=not no_graph, explain=explain,
            touched=touched,
        )  # fmt: skip
        labels = Labels(memory)
        found = shaped(Found, retrieved, retrieved.plan, notes=notes_of(retrieved))
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
    text, scope = read_question(question), read_scope(**bounds)
    with run.open(read_only=True) as memory:
        made = memory.plan(text, mode=mode, scope=scope, use_graph=not no_graph)
        labels = Labels(memory)
        document = documents_plan(made) if made.mode == "documents" and not explain else made
        run.show(document, lambda: plan_lines(made, labels, explain=explain))
