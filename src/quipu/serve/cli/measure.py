"""`golden run` and `eval …`: does it still work, and how well.

A set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`) is written into a fresh store and asked as a
user would.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from quipu.errors import InvalidInput
from quipu.evaluate import golden
from quipu.evaluate.answers import AnswersEvaluation, evaluate_answers
from quipu.evaluate.retrieval import Evaluation, evaluate_retrieval
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.terminal import counted, safe
from quipu.serve.operations import Command, Exists, Flag, Word, operation

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.text import Given

__all__ = ["answer_lines"]

_DEFAULT_K = "2,5,10"

Directory = Annotated[Path, Word(), Exists(folder=True)]
Keep = Annotated[
    Path | None,
    "keep the store below this folder: a later run over the same set embeds nothing",
]


@operation("read", Command(fails=lambda report: not report.passed))
def run_golden(memory: Memory, file: Annotated[Path, Word(), Exists()]) -> golden.GoldenReport:
    """Ask every question of the YAML file FILE; exit code 1 when one fails.

    The file is a list: each item has a `question` and either `expect` (paths, graph_ids, words)
    or `abstain: true`. A reply off the answer contract fails too.

    $ quipu golden run goldens.yaml
    $ quipu golden run --json goldens.yaml
    """
    return golden.run(memory, file)


def _opener(run: Invocation) -> Callable[..., Memory]:
    """Return what opens a memory at a path as this run is configured."""
    config = run.config()

    def opened(path: str, home: Path | None = None) -> Memory:
        return Memory.open(path, config=config, home=home)

    return opened


@operation(None, Command(prints=lambda figures, _given: figures.as_json()))
def retrieval(
    run: Invocation,
    directory: Directory,
    group_by: Annotated[str | None, "search only rows whose KEY is the question's own"] = None,
    before: Annotated[
        str | None, "search only rows whose `time` is before the question's KEY"
    ] = None,
    use_graph: Annotated[bool, Flag("--no-graph", says="use words and vectors only")] = True,
    confidence: Annotated[
        bool, "also ask, and tell questions with an answer from those without by the confidence"
    ] = False,
    cutoffs: Annotated[str, "the cutoffs of recall and all-gold", Flag("--k")] = _DEFAULT_K,
    keep: Keep = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Write the corpus of DIRECTORY into a fresh store, ask its questions, print the figures.

    DIRECTORY holds corpus.jsonl (id, text, title), queries.jsonl and qrels.tsv. Rates are in
    [0, 1]; latency is from text in to hits out.

    $ quipu eval retrieval sets/hotpot
    $ quipu eval retrieval sets/locomo --group-by conv --json
    $ quipu eval retrieval sets/commits --before as_of --no-graph --k 5,20
    $ quipu eval retrieval sets/timeqa --confidence
    """
    figures = evaluate_retrieval(
        directory,
        _opener(run),
        folder=keep,
        progress=progress,
        k=_cutoffs(cutoffs),
        group_by=group_by,
        before=before,
        use_graph=use_graph,
        confidence=confidence,
    )
    if figures.without_gold:
        run.note(f"passed over {counted(figures.without_gold, 'question')} without gold")
    return figures


@operation(None, Command(prints=lambda figures, _given: figures.as_json()))
def answers(
    run: Invocation,
    directory: Directory,
    sets: Annotated[tuple[str, ...], "only this set", Flag("--set")] = (),
    wrong: Annotated[bool, "also print each question that was not answered right"] = False,  # noqa: ARG001  of the text
    keep: Keep = None,
    progress: Progress | None = None,
) -> AnswersEvaluation:
    """Index the trees of DIRECTORY, ask their questions, print how often the answer is right.

    DIRECTORY holds NAME.jsonl (id, question, answerable, paths, must, must_not, kind) beside the
    folder NAME or an archive of it. An answer is sure from a confidence of 0.7 on; rates are of the
    answerable questions, under `none` of the others.

    $ quipu eval answers sets/repositories --keep /tmp/stores
    $ quipu eval answers sets/repositories --set flask --wrong
    """
    return evaluate_answers(directory, _opener(run), folder=keep, progress=progress, sets=sets)


def answer_lines(figures: AnswersEvaluation, given: "Given") -> Iterator[str]:
    """Return the figures and, where it is asked for, what went wrong."""
    from quipu.serve.cli.text import field_lines

    yield from field_lines(figures.as_json())
    for answer in figures.answers if given.arguments["wrong"] else ():
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
