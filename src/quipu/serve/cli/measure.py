"""`golden run` and `eval …`: does it still work, and how well."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import msgspec

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.cli.failures import NO
from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.layout import counted, wrapped
from quipu.serve.cli.lazy import CommandEntry, Group, command
from quipu.serve.cli.progress import progress
from quipu.serve.cli.terminal import safe, style
from quipu.serve.meanings import keys

if TYPE_CHECKING:  # pragma: no cover
    from quipu.evaluate.answers import AnswersEvaluation
    from quipu.evaluate.golden import GoldenReport

__all__ = ["conversations", "evaluation", "facts", "golden", "incidents", "retrieval", "run_golden"]

Figures = TypeVar("Figures")

_ROOM = 24
_UNITS = ("_s", "_ms", "_mb")
_HERE = "quipu.serve.cli.measure"
_DEFAULT_K = "2,5,10"

_directory = click.argument(
    "directory", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
_keep = click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the store below this folder: a later run over the same set embeds nothing.",
)


@click.group(
    "golden",
    cls=Group,
    entries={"run": CommandEntry(f"{_HERE}:run_golden", "Ask the questions of a file and check.")},
    examples=("quipu golden run goldens.yaml",),
)
def golden() -> None:
    """Ask questions whose evidence is known, and check the answers."""


@command("run", "quipu golden run goldens.yaml", "quipu golden run --json goldens.yaml")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def run_golden(ctx: click.Context, file: Path) -> None:
    """Ask every question of the YAML file FILE; exit code 1 when one fails.

    The file is a list: each item has a `question` and either `expect` (paths, graph_ids, words)
    or `abstain: true`. A reply off the answer contract fails too.
    """
    from quipu.serve.lookups import golden_run

    present = invocation()
    with present.open(read_only=True) as memory:
        report = golden_run(memory, file)
        present.show(report, lambda: _golden_lines(report))
    if not report.passed:
        ctx.exit(NO)


@click.group(
    "eval",
    cls=Group,
    entries={
        "retrieval": CommandEntry(f"{_HERE}:retrieval", "Measure search on a labelled set."),
        "facts": CommandEntry(f"{_HERE}:facts", "Measure questions of time on dated facts."),
        "memory": CommandEntry(f"{_HERE}:conversations", "Measure memory of conversations."),
        "incidents": CommandEntry(f"{_HERE}:incidents", "Measure what changes go back to."),
        "answers": CommandEntry(f"{_HERE}:answers", "Measure answers about repositories."),
    },
    examples=("quipu eval retrieval sets/hotpot", "quipu eval facts sets/tempreason"),
)
def evaluation() -> None:
    """Measure on data sets with known answers."""


def _measured(
    evaluate: Callable[..., Figures], directory: Path, keep: Path | None, **how: Any
) -> Figures:
    """The figures of a set, each memory opened as this run is configured."""
    run = invocation()
    config = run.config()

    def opened(path: str, home: Path | None = None) -> Memory:
        return Memory.open(path, config=config, home=home)

    with progress(quiet=run.quiet) as shown:
        return evaluate(directory, opened, folder=keep, progress=shown, **how)


@command(
    "retrieval",
    "quipu eval retrieval sets/hotpot",
    "quipu eval retrieval sets/locomo --group-by conv --json",
    "quipu eval retrieval sets/commits --before as_of --no-graph --k 5,20",
    "quipu eval retrieval sets/timeqa --confidence",
)
@_directory
@click.option("--group-by", metavar="KEY", help="Search only rows whose KEY is the question's own.")
@click.option(
    "--before", metavar="KEY", help="Search only rows whose `time` is before the question's KEY."
)
@click.option(
    "--no-graph", "use_graph", flag_value=False, default=True, help="Use words and vectors only."
)
@click.option(
    "--confidence",
    is_flag=True,
    help="Also ask, and tell questions with an answer from those without by the confidence.",
)
@click.option(
    "--k",
    "cutoffs",
    metavar="LIST",
    default=_DEFAULT_K,
    show_default=True,
    help="The cutoffs of recall and all-gold.",
)
@_keep
def retrieval(directory: Path, keep: Path | None, cutoffs: str, **how: Any) -> None:
    """Write the corpus of DIRECTORY into a fresh store, ask its questions, print the figures.

    DIRECTORY holds corpus.jsonl (id, text, title), queries.jsonl and qrels.tsv. Rates are in
    [0, 1]; latency is from text in to hits out.
    """
    from quipu.evaluate.retrieval import evaluate_retrieval

    figures = _measured(evaluate_retrieval, directory, keep, k=_cutoffs(cutoffs), **how)
    run = invocation()
    if figures.without_gold:
        run.note(f"passed over {counted(figures.without_gold, 'question')} without gold")
    run.show(figures.as_json(), lambda: _figure_lines(figures))


@command("facts", "quipu eval facts sets/tempreason", "quipu eval facts sets/tempreason --json")
@_directory
@_keep
def facts(directory: Path, keep: Path | None) -> None:
    """Write the statements of DIRECTORY, ask what held when, print how often the first is right.

    DIRECTORY holds corpus.jsonl (id, text), queries.jsonl (id, text; with `as_of` it asks what
    held then) and qrels.tsv. The product reads every date from the text.
    """
    from quipu.evaluate.facts import evaluate_facts

    figures = _measured(evaluate_facts, directory, keep)
    invocation().show(figures, lambda: _figure_lines(figures))


@command("memory", "quipu eval memory sets/locomo", "quipu eval memory sets/locomo --json")
@_directory
@_keep
def conversations(directory: Path, keep: Path | None) -> None:
    """Write the conversations of DIRECTORY as transcripts, ask inside them, print the figures.

    DIRECTORY holds corpus.jsonl (id, conv, session, speaker or role, text, a time), queries.jsonl
    (id, conv, text) and qrels.tsv. Rates are in [0, 1]; `auroc` is of the product's confidence.
    """
    from quipu.kinds.conversations.evaluate import evaluate_memory

    figures = _measured(evaluate_memory, directory, keep)
    invocation().show(figures, lambda: _figure_lines(figures))


@command("incidents", "quipu eval incidents sets/curl", "quipu eval incidents sets/curl --json")
@_directory
@_keep
@click.option("--no-embed", is_flag=True, help="Rank without vectors: words, files and time.")
def incidents(directory: Path, keep: Path | None, no_embed: bool) -> None:
    """Write the commits of DIRECTORY, ask which earlier one a later one goes back to.

    DIRECTORY holds corpus.jsonl (id, text, time, files), queries.jsonl (id, kind, text, as_of,
    touched_files) and qrels.tsv. Track A asks by the message, track B by the touched files too;
    only what came before `as_of` is ranked.
    """
    from quipu.kinds.commits.evaluate import evaluate_incidents

    run = invocation()
    config = run.config()

    def open_memory(path: str) -> Memory:
        if no_embed:
            return Memory.open(path, config=config, embedder=None)
        return Memory.open(path, config=config)

    with progress(quiet=run.quiet) as shown:
        figures = evaluate_incidents(directory, open_memory, folder=keep, progress=shown)
    run.show(figures, lambda: _figure_lines(figures))


@command(
    "answers",
    "quipu eval answers sets/repositories --keep /tmp/stores",
    "quipu eval answers sets/repositories --set flask --wrong",
)
@_directory
@click.option(
    "--set", "sets", multiple=True, metavar="NAME", help="Only this set; may be repeated."
)
@click.option("--wrong", is_flag=True, help="Also print each question that was not answered right.")
@_keep
def answers(directory: Path, sets: tuple[str, ...], wrong: bool, keep: Path | None) -> None:
    """Index the trees of DIRECTORY, ask their questions, print how often the answer is right.

    DIRECTORY holds NAME.jsonl (id, question, answerable, paths, must, must_not, kind) beside the
    folder NAME or an archive of it. An answer is sure from a confidence of 0.7 on; rates are of the
    answerable questions, under `none` of the others.
    """
    from quipu.evaluate.answers import evaluate_answers

    figures = _measured(evaluate_answers, directory, keep, sets=sets)
    invocation().show(figures.as_json(), lambda: _answer_lines(figures, wrong=wrong))


def _answer_lines(figures: "AnswersEvaluation", *, wrong: bool) -> Iterator[str]:
    """The figures, those of each set and kind in a line, and what went wrong."""
    apart = ("by_kind", "by_set", "reliability", "answers")
    for key in keys(type(figures)):
        if key.name not in apart:
            yield from _figure(key.name, key.name, getattr(figures, key.name))
    for name, each in (*figures.by_set.items(), *figures.by_kind.items()):
        yield safe(
            f"{name:<{_ROOM}} {each.questions:3}  right {each.right_sure + each.right_hedged:.0%}  "
            f"sure and wrong {each.wrong_sure:.0%}  abstained {each.abstained:.0%}  "
            f"first five {each.file_hit['5']:.0%}",
            line=True,
        )
    for row in figures.reliability:
        yield (
            f"confidence {row['from']:.1f}: {row['answers']:3.0f} answers, mean "
            f"{row['confidence']:.2f}, right {row['right']:.2f}"
        )
    for answer in figures.answers if wrong else ():
        if answer.verdict != ("right" if answer.answerable else "abstained"):
            yield safe(
                f"{answer.id}  {answer.verdict} {answer.confidence:.2f}: {answer.answer}", line=True
            )


def _cutoffs(text: str) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise InvalidInput(f"--k {text!r} is no list of ranks: write it as {_DEFAULT_K}")
    return found


def _figure_lines(figures: msgspec.Struct) -> Iterator[str]:
    """Every figure that is known, a line each: rates in percent, others in the unit of their
    name."""
    for key in keys(type(figures)):
        yield from _figure(key.name, key.name, getattr(figures, key.name))


def _figure(key: str, name: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        if value is not None:
            yield safe(f"{name:<{_ROOM}} {_shown(key, value)}", line=True)
        return
    figures = cast("dict[str, Any]", value)
    if any(isinstance(each, dict) for each in figures.values()):
        for inner, each in figures.items():
            yield from _figure(key, f"{name} {inner}", each)
    else:
        shown = (f"{_labelled(inner)} {_shown(key, each)}" for inner, each in figures.items())
        yield safe(f"{name:<{_ROOM}} {'   '.join(shown)}", line=True)


def _labelled(name: str) -> str:
    return f"@{name}" if name.isdigit() else name


def _shown(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}" if key.endswith(_UNITS) else f"{100 * value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _golden_lines(report: "GoldenReport") -> Iterator[str]:
    """A question a line, why it failed, and the verdict."""
    failed = 0
    for each in report.results:
        mark = style("pass", fg="green") if each.passed else style("FAIL", fg="red")
        yield f"{mark}  {safe(each.question, line=True)}"
        failed += not each.passed
        for reason in each.reasons:
            yield from wrapped(reason, indent="      ")
    yield f"{len(report.results) - failed:,} of {len(report.results):,} golden questions passed."
