"""`golden run` and `eval …`: does it still work, and how well.

A set (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`) is written into a fresh store and asked as a
user would.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import msgspec
from msgspec import structs

from quipu.errors import InvalidInput
from quipu.evaluate import golden
from quipu.evaluate.answers import AnswersEvaluation, evaluate_answers
from quipu.evaluate.dataset import (
    CORPUS,
    QUERIES,
    DatasetRow,
    Grades,
    has_gold,
    moment,
    read_grades,
    read_rows,
    written,
)
from quipu.evaluate.figures import mean, percentiles, recall_at, reciprocal_rank_at
from quipu.evaluate.retrieval import (
    DEPTH,
    Evaluation,
    Search,
    confidences,
    evaluate_retrieval,
    judged,
    ranking_figures,
)
from quipu.kinds.commits.model import CommitInput
from quipu.kinds.conversations.api import Conversations
from quipu.memory import Memory
from quipu.ports import Progress
from quipu.records.passage import PassageInput
from quipu.records.refs import COMMIT, COMMIT_PREFIX, session_ref
from quipu.records.scope import Scope
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.terminal import counted, safe
from quipu.serve.operations import Command, Exists, Flag, Word, operation

if TYPE_CHECKING:  # pragma: no cover
    from quipu.serve.cli.text import Given

__all__ = ["answer_lines"]

_DEFAULT_K = "2,5,10"
_NO_ANSWER = frozenset({"5", "abstention"})
"""The groups of questions without an answer, of LoCoMo and of BEAM."""

Directory = Annotated[Path, Word(), Exists(folder=True)]
Keep = Annotated[
    Path | None,
    "keep the store below this folder: a later run over the same set embeds nothing",
]


class MeasuredFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The share of questions whose first fact is a right one, in [0, 1], by kind of question."""

    dataset: Annotated[str, "the name of the folder"]
    queries: Annotated[int, "questions that have gold; the others are passed over"]
    as_of_queries: Annotated[int, "those that ask what held at a date"]
    before_after_queries: Annotated[int, "those that ask what came before or after another fact"]
    as_of_hit1: Annotated[float, "the share of the first kind whose first fact is right"]
    before_after_hit1: Annotated[float, "the share of the second kind whose first fact is right"]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a question"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]


class MeasuredTurns(Evaluation, frozen=True, kw_only=True):
    """The figures of search inside conversations, means over the questions that have gold; `auroc`
    is None where all questions have an answer, or none has."""

    groups: Annotated[dict[str, float], "R@10 by the questions' category or ability"]


class MeasuredCommits(msgspec.Struct, frozen=True, kw_only=True):
    """The figures by track ("A": message, "B": message and touched files) and kind of question."""

    dataset: Annotated[str, "the name of the folder"]
    commits: Annotated[int, "commits in its corpus"]
    queries: Annotated[dict[str, int], "questions that have gold, by kind (`cause`, `follow_up` …)"]
    hit: Annotated[
        dict[str, dict[str, dict[str, float]]],
        "by track (`A`: message, `B`: touched files too), kind and k: any gold among the first k",
    ]
    mrr: Annotated[dict[str, dict[str, float]], "MRR@10 by track and kind"]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of a search"]
    index_s: Annotated[float, "seconds of writing, without embedding"]
    embed_s: Annotated[float, "seconds of embedding"]


@operation("read", Command(fails=lambda report: not report.passed))
def run_golden(memory: Memory, file: Annotated[Path, Word(), Exists()]) -> golden.GoldenReport:
    """Ask every question of the YAML file FILE; exit code 1 when one fails.

    The file is a list: each item has a `question` and either `expect` (paths, graph_ids, words)
    or `abstain: true`. A reply off the answer contract fails too.

    $ quipu golden run goldens.yaml
    $ quipu golden run --json goldens.yaml
    """
    return golden.run(memory, file)


def _opener(run: Invocation, **how: Any) -> Callable[..., Memory]:
    """Return what opens a memory at a path as this run is configured."""
    config = run.config()

    def opened(path: str, home: Path | None = None) -> Memory:
        return Memory.open(path, config=config, home=home, **how)

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


@operation(None, Command())
def facts(run: Invocation, directory: Directory, keep: Keep = None) -> MeasuredFacts:
    """Write the statements of DIRECTORY, ask what held when, print how often the first is right.

    DIRECTORY holds corpus.jsonl (id, text), queries.jsonl (id, text; with `as_of` it asks what
    held then) and qrels.tsv. The product reads every date from the text.

    $ quipu eval facts sets/tempreason
    $ quipu eval facts sets/tempreason --json
    """
    labelled = _labelled(directory)

    def write(memory: Memory, _: Path) -> float:
        return memory.add_documents(map(_statement, read_rows(directory, CORPUS))).embed_seconds

    with written(directory, _opener(run), write, folder=keep, key="facts") as (memory, writing):

        def first(question: str, *, limit: int) -> Any:
            return _Facts(
                [_Fact(m.source_ref) for m in memory.facts.find(question, limit=limit).matches]
            )

        asked = [Search(row, {}) for row in labelled.questions]
        found = list(judged(first, asked, labelled.grades, limit=1))
    right: dict[bool, list[float]] = {True: [], False: []}
    for row, each in zip(labelled.questions, found, strict=True):
        right[bool(row.more.get("as_of"))].append(reciprocal_rank_at(each.ranking, each.gold, 1))
    return MeasuredFacts(
        dataset=directory.resolve().name,
        queries=len(found),
        as_of_queries=len(right[True]),
        as_of_hit1=mean(right[True]),
        before_after_queries=len(right[False]),
        before_after_hit1=mean(right[False]),
        latency_ms=percentiles([each.latency_ms for each in found]),
        **writing._asdict(),
    )


@operation(None, Command(prints=lambda figures, _given: figures.as_json()))
def conversations(run: Invocation, directory: Directory, keep: Keep = None) -> MeasuredTurns:
    """Write the conversations of DIRECTORY as transcripts, ask inside them, print the figures.

    DIRECTORY holds corpus.jsonl (id, conv, session, speaker or role, text, a time), queries.jsonl
    (id, conv, text) and qrels.tsv. Rates are in [0, 1]; `auroc` is of the product's confidence.

    $ quipu eval memory sets/locomo
    $ quipu eval memory sets/locomo --json
    """
    labelled, groups = _labelled(directory), dict[str, str]()
    lines, rows = _as_transcript(read_rows(directory, CORPUS))
    sides: list[tuple[DatasetRow, Scope, bool]] = []
    for row in read_rows(directory, QUERIES):
        groups[row.id] = group = _text(row, "category", "ability")
        answerable = group not in _NO_ANSWER and row.more.get("answerable") is not False
        sides.append((row, Scope(groups=frozenset({_text(row, "conv")})), answerable))

    def write(memory: Memory, place: Path) -> float:
        transcript = place / "transcript.jsonl"
        transcript.write_bytes(lines)
        return Conversations(memory).add_transcripts(transcript).embed_seconds

    with written(directory, _opener(run), write, folder=keep, key="memory") as (memory, writing):
        asked = [Search(r, {"scope": s}) for r, s, _ in sides if has_gold(labelled.grades, r)]
        row_of: Callable[[str], str] = lambda ref: rows.get(ref, ref)  # noqa: E731
        answered = list(judged(memory.search, asked, labelled.grades, row_of=row_of))
        sure = confidences(memory.ask, sides, limit=DEPTH)
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    for each in answered:
        recalls[groups[each.id]].append(recall_at(each.ranking, each.gold, DEPTH))
    figures = ranking_figures(directory, answered, writing=writing, confidence=sure)
    by_group = {name: mean(recalls[name]) for name in sorted(recalls) if name}
    return MeasuredTurns(**structs.asdict(figures), groups=by_group)


@operation(None, Command())
def incidents(
    run: Invocation,
    directory: Directory,
    keep: Keep = None,
    embed: Annotated[
        bool, Flag("--no-embed", says="rank without vectors: words, files and time")
    ] = True,
) -> MeasuredCommits:
    """Write the commits of DIRECTORY, ask which earlier one a later one goes back to.

    DIRECTORY holds corpus.jsonl (id, text, time, files), queries.jsonl (id, kind, text, as_of,
    touched_files) and qrels.tsv. Track A asks by the message, track B by the touched files too;
    only what came before `as_of` is ranked.

    $ quipu eval incidents sets/curl
    $ quipu eval incidents sets/curl --json
    """
    labelled, name = _labelled(directory), directory.resolve().name
    corpus = [_commit(row, name) for row in read_rows(directory, CORPUS)]
    kinds = {row.id: str(row.more.get("kind") or "cause") for row in labelled.questions}
    ranks: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    took_ms: list[float] = []
    opened = _opener(run) if embed else _opener(run, embedder=None)

    def write(memory: Memory, _: Path) -> float:
        return memory.add_commits(corpus).embed_seconds

    with written(directory, opened, write, folder=keep, key="incidents") as (memory, writing):
        for track in ("A", "B"):
            asked = [Search(row, _commit_options(row, track)) for row in labelled.questions]
            row_of: Callable[[str], str] = lambda path: path.removeprefix(COMMIT_PREFIX)  # noqa: E731
            for each in judged(memory.search, asked, labelled.grades, row_of=row_of):
                rank = reciprocal_rank_at(each.ranking, each.gold, DEPTH)
                ranks[track][kinds[each.id]].append(rank)
                took_ms.append(each.latency_ms)
    return MeasuredCommits(
        dataset=name,
        commits=len(corpus),
        queries=dict(Counter(kinds.values())),
        hit={
            track: {
                kind: {str(k): mean(float(rank >= 1 / k) for rank in own) for k in (1, DEPTH)}
                for kind, own in sorted(found.items())
            }
            for track, found in ranks.items()
        },
        mrr={
            track: {kind: mean(own) for kind, own in sorted(found.items())}
            for track, found in ranks.items()
        },
        latency_ms=percentiles(took_ms),
        **writing._asdict(),
    )


class _Labelled(NamedTuple):
    """A set's grades, and the questions that have gold."""

    grades: Grades
    questions: list[DatasetRow]


class _Fact(NamedTuple):
    """A fact as a search result: the row that states it."""

    path: str
    score: float = 0.0


class _Facts(NamedTuple):
    hits: list[_Fact]


def _labelled(directory: Path) -> _Labelled:
    grades = read_grades(directory)
    rows = read_rows(directory, QUERIES)
    return _Labelled(grades, [row for row in rows if has_gold(grades, row)])


def _statement(row: DatasetRow) -> PassageInput:
    keys = ("statement", "valid_from", "valid_to")
    dates = {key: value for key in keys if isinstance(value := row.more.get(key), str)}
    return PassageInput(
        source_ref=row.id,
        text=row.text,
        title=row.title,
        source_type="evaluation",
        profile="prose",
        properties=dict(dates),
    )


def _as_transcript(rows: Iterable[DatasetRow]) -> tuple[bytes, dict[str, str]]:
    """Return the rows as lines of the plain transcript format, and the row of each turn's
    reference."""
    lines, of_turns, counts = bytearray(), dict[str, str](), Counter[str]()
    for row in rows:
        conversation, session = _text(row, "conv"), _text(row, "session", "batch")
        if not conversation:
            raise InvalidInput(f"{row.place}: the row has no `conv`, the conversation it is from")
        name = "/".join(part for part in (conversation, session) if part)
        counts[name] += 1
        of_turns[session_ref(name, counts[name])] = row.id
        line = {
            "conv": conversation,
            "session": session,
            "turn": counts[name],
            "speaker": _text(row, "speaker"),
            "role": _text(row, "role"),
            "text": row.text,
            "time": _text(row, "session_time", "time", "time_anchor"),
            "caption": _text(row, "image_caption", "caption"),
        }
        lines += msgspec.json.encode(line) + b"\n"
    return bytes(lines), of_turns


def _text(row: DatasetRow, *keys: str) -> str:
    values = (row.more.get(key) for key in keys)
    return next((str(value) for value in values if value not in (None, "")), "")


def _commit_options(row: DatasetRow, track: str) -> dict[str, object]:
    scope = Scope(source_types=frozenset({COMMIT}), before=moment(row, "as_of"))
    return {"scope": scope, "touched": _paths(row, "touched_files") if track == "B" else ()}


def _commit(row: DatasetRow, repository: str) -> CommitInput:
    when = moment(row, "time")
    if when is None:
        raise InvalidInput(f"{row.place}: the commit {row.id!r} has no `time`: give it one")
    titled = not row.title or row.text.lstrip().startswith(row.title.strip())
    return CommitInput(
        sha=row.id,
        message=row.text if titled else f"{row.title}\n\n{row.text}",
        time=when,
        author=str(row.more.get("author") or ""),
        files=_paths(row, "files"),
        repository=repository,
    )


def _paths(row: DatasetRow, key: str) -> tuple[str, ...]:
    return tuple(str(path) for path in cast("list[object]", row.more.get(key) or []))
