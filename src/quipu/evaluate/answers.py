"""Answers measured on repositories with questions: is what is said right, and is it known to be?

A set is `NAME.jsonl` beside the tree it asks about: the folder `NAME`, or an archive of it
(`NAME.tar.xz`, `.zip` …); a folder `tree` inside is the tree. A question has `id`, `question` (or
`text`), `answerable`, `paths` (files that answer it; any is right), `must` (patterns that a right
answer fits, all of them, whatever the case), `must_not` (patterns that it does not), and a `kind`.
"""

import re
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np

from quipu.errors import InvalidInput
from quipu.evaluate.dataset import place_of
from quipu.evaluate.figures import auroc, mean, percentiles
from quipu.ports import Progress
from quipu.records.reply import Reply, Retrieved

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = ["AnswersEvaluation", "JudgedAnswer", "evaluate_answers"]

SURE = 0.7
_UNKNOWN = "unknown"
_DEPTH = 10
_CUTOFFS = (1, 5, 10)
_BINS = 10
_NOTHING = re.compile(
    r"\b(?:there (?:is|are|exists?) no|(?:is|are) not (?:stated|documented|said|set|there)|"
    r"(?:does|do) not (?:say|exist|state)|nothing (?:here )?says|no such)\b",
    re.IGNORECASE,
)
_ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".tar.bz2", ".tar", ".zip")

Verdict = Literal["right", "wrong", "abstained"]


class _Question(msgspec.Struct, kw_only=True):
    """A row of a set; once it is read its question is `text`."""

    id: str = ""
    question: str = ""
    text: str = ""
    kind: str = ""
    answerable: bool = True
    paths: frozenset[str] = frozenset()
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


class JudgedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One question as it went."""

    dataset: Annotated[str, "the set"]
    id: Annotated[str, "the question's id"]
    kind: Annotated[str, "its kind"]
    answerable: Annotated[bool, "whether the tree answers it"]
    verdict: Annotated[Verdict, "`right`, `wrong` or `abstained`"]
    confidence: Annotated[float, "how sure the answer was, 0 to 1"]
    answer: Annotated[str, "what was answered"]
    cited: Annotated[tuple[str, ...], "the files it cites"]
    rank: Annotated[int | None, "the place of the first gold file among the files found, or null"]
    cited_gold: Annotated[bool, "whether it cites a gold file"]
    ms: Annotated[float, "milliseconds from the question to the reply"]


class AnswerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Rates in [0, 1]: of the answerable questions, under `none` of the others. An answer is sure
    from a confidence of .7 on."""

    questions: Annotated[int, "how many questions were asked"]
    right_sure: Annotated[float, "right, and sure"]
    right_hedged: Annotated[float, "right, and not sure"]
    wrong_hedged: Annotated[float, "wrong, and not sure"]
    wrong_sure: Annotated[float, "wrong, and sure"]
    abstained: Annotated[float, "`unknown`"]
    none: Annotated[dict[str, float], "where nothing answers: `abstained`, `hedged`, `sure`"]
    file_hit: Annotated[dict[str, float], "by k: a gold file is among the first k files found"]
    cited_gold: Annotated[float, "the answer cites a gold file"]
    precision_sure: Annotated[float | None, "the share of sure answers that are right, or null"]
    auroc: Annotated[float, "of the confidence: right answers against all others given"]
    ece: Annotated[float, "expected calibration error of the answers given, ten bins"]


class AnswersEvaluation(AnswerFigures, frozen=True, kw_only=True):
    """The figures over all sets, by kind and by set."""

    by_kind: Annotated[dict[str, AnswerFigures], "the same figures by kind of question"]
    by_set: Annotated[dict[str, AnswerFigures], "the same figures by set"]
    reliability: Annotated[
        tuple[dict[str, float], ...],
        "by bin of confidence: `from`, how many answers, mean `confidence`, share that is `right`",
    ]
    latency_ms: Annotated[dict[str, float], "`p50`, `p95`, `p99` of an answer"]
    answers: tuple[JudgedAnswer, ...]

    def as_json(self) -> dict[str, object]:
        """The documented keys: everything but the questions themselves."""
        figures: dict[str, object] = msgspec.to_builtins(self)
        return {name: value for name, value in figures.items() if name != "answers"}


def evaluate_answers(
    directory: Path,
    open_memory: "Callable[[str, Path], Memory]",
    *,
    sets: Sequence[str] = (),
    folder: Path | None = None,
    progress: Progress | None = None,
) -> AnswersEvaluation:
    """Index the tree of each set below `directory` and ask its questions.

    `open_memory` opens one at the path of a SQLite file, for the files of a folder. `sets` names
    those to take (default: all). `folder` keeps trees and stores, so that the next
    run embeds only what has changed. Raises InvalidInput with file and line.
    """
    found = {path.stem: path for path in sorted(directory.glob("*.jsonl"))}
    if not found:
        raise InvalidInput(
            f"{str(directory)!r} has no questions: put NAME.jsonl beside NAME.tar.xz"
        )
    if unknown := sorted(set(sets) - found.keys()):
        raise InvalidInput(f"no set {unknown[0]!r} in {str(directory)!r}: {', '.join(found)}")
    chosen = {name: path for name, path in found.items() if not sets or name in sets}
    questions = {name: list(_questions(path)) for name, path in chosen.items()}
    answers: list[JudgedAnswer] = []
    for name, asked in questions.items():
        with (
            _tree(directory, name, folder) as (tree, database),
            open_memory(str(database), tree) as memory,
        ):
            memory.index(tree, progress=progress)
            answers += _ask_all(memory, name, asked, progress)
    return _evaluation(answers)


def _questions(path: Path) -> Iterator[_Question]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _question(line, f"{path}:{number}")


def _question(line: bytes, place: str) -> _Question:
    try:
        row = msgspec.json.decode(line, type=_Question)
        for pattern in (*row.must, *row.must_not):
            re.compile(pattern)
    except (msgspec.DecodeError, re.error) as error:
        raise InvalidInput(f"{place}: {error}: mend it") from error
    row.id, row.text = row.id or place, row.question or row.text
    if not row.text.strip():
        raise InvalidInput(f"{place}: the question is blank")
    if row.answerable and not (row.must or row.paths):
        raise InvalidInput(f"{place}: nothing says what is right: give `must` or `paths`")
    return row


@contextmanager
def _tree(directory: Path, name: str, folder: Path | None) -> Generator[tuple[Path, Path]]:
    """The tree of a set and the place of its store, which is kept in `folder`."""
    source = next(
        (at for suffix in ("", *_ARCHIVES) if (at := directory / f"{name}{suffix}").exists()), None
    )
    source = source or (directory / "tree" if (directory / "tree").is_dir() else None)
    if source is None:
        raise InvalidInput(
            f"{name}.jsonl has no tree: put the folder {name} or {name}.tar.xz by it"
        )
    file = source if source.is_file() else None
    name = f"{source.name.partition('.')[0]}-"
    with place_of(folder, str(source.resolve()), file=file, name=name) as place:
        tree = source if source.is_dir() else _unpacked(source, place / "files")
        inside = tree / "tree"
        yield (inside if inside.is_dir() else tree), place / "answers.db"


def _unpacked(archive: Path, target: Path) -> Path:
    """The files of an archive, once; nothing in it reaches outside."""
    if target.is_dir():
        return target
    temporary = target.with_name(f"{target.name}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        if archive.suffix == ".zip":
            with zipfile.ZipFile(archive) as members:
                members.extractall(temporary)  # noqa: S202 - zipfile keeps every member inside
        else:
            with tarfile.open(archive) as members:
                members.extractall(temporary, filter="data")
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise InvalidInput(f"{str(archive)!r} cannot be unpacked: {error}") from error
    temporary.replace(target)
    return target


def _ask_all(
    memory: "Memory", name: str, questions: Sequence[_Question], progress: Progress | None
) -> Iterator[JudgedAnswer]:
    for each in questions[:1]:  # the first question of a process also loads what it needs
        memory.ask(each.text)
    for done, each in enumerate(questions, 1):
        start = time.perf_counter()
        reply = memory.ask(each.text)
        ms = (time.perf_counter() - start) * 1000
        found = memory.search(each.text, limit=_DEPTH)
        if progress:
            progress("ask", done, len(questions))
        yield _answered(name, each, reply, found, ms)


def _answered(
    name: str, question: _Question, reply: Reply, found: Retrieved, ms: float
) -> JudgedAnswer:
    files = list(dict.fromkeys(hit.path for hit in found.hits))
    ranks = (at for at, path in enumerate(files, 1) if path in question.paths)
    cited = tuple(
        dict.fromkeys(path for each in reply.contract.evidence for path in each.file_paths)
    )
    return JudgedAnswer(
        dataset=name,
        id=question.id,
        kind=question.kind,
        answerable=question.answerable,
        verdict=_verdict(question, reply.contract.answer),
        confidence=reply.confidence.value,
        answer=reply.contract.answer,
        cited=cited,
        rank=next(ranks, None),
        cited_gold=any(_file(path) in question.paths for path in cited),
        ms=round(ms, 1),
    )


def _file(cited: str) -> str:
    """The file of a citation: `path:3-5` as `path`."""
    return re.sub(r":\d+(?:-\d+)?$", "", cited)


def _verdict(question: _Question, answer: str) -> Verdict:
    if answer == _UNKNOWN:
        return "abstained"
    if not question.answerable:
        return "abstained" if _NOTHING.search(answer) else "wrong"

    def says(pattern: str) -> bool:
        return re.search(pattern, answer, re.IGNORECASE | re.DOTALL) is not None

    right = all(map(says, question.must)) and not any(map(says, question.must_not))
    return "right" if right else "wrong"


def _evaluation(answers: Sequence[JudgedAnswer]) -> AnswersEvaluation:
    total = msgspec.structs.asdict(_figures(answers))
    return AnswersEvaluation(
        **total,
        by_kind=_by(answers, lambda each: each.kind or "any"),
        by_set=_by(answers, lambda each: each.dataset),
        reliability=tuple(_bins(_given(answers))),
        latency_ms=percentiles([each.ms for each in answers]),
        answers=tuple(answers),
    )


def _by(
    answers: Sequence[JudgedAnswer], key: Callable[[JudgedAnswer], str]
) -> dict[str, AnswerFigures]:
    groups: dict[str, list[JudgedAnswer]] = {}
    for each in answers:
        groups.setdefault(key(each), []).append(each)
    return {name: _figures(group) for name, group in sorted(groups.items())}


def _figures(answers: Sequence[JudgedAnswer]) -> AnswerFigures:
    asked = [each for each in answers if each.answerable]
    nothing = [each for each in answers if not each.answerable]
    given = _given(answers)
    sure = [each for each in given if each.confidence >= SURE]
    right = [each.confidence for each in given if each.verdict == "right"]
    other = [each.confidence for each in given if each.verdict != "right"]

    def share(verdict: Verdict, *, sure: bool) -> float:
        return mean(
            float(each.verdict == verdict and (each.confidence >= SURE) == sure) for each in asked
        )

    return AnswerFigures(
        questions=len(answers),
        right_sure=share("right", sure=True),
        right_hedged=share("right", sure=False),
        wrong_hedged=share("wrong", sure=False),
        wrong_sure=share("wrong", sure=True),
        abstained=_rate(asked, lambda e: e.verdict == "abstained"),
        none={
            "abstained": _rate(nothing, lambda e: e.verdict == "abstained"),
            "hedged": _rate(nothing, lambda e: e.verdict == "wrong" and e.confidence < SURE),
            "sure": _rate(nothing, lambda e: e.verdict == "wrong" and e.confidence >= SURE),
        },
        file_hit={
            str(k): _rate(asked, lambda e, k=k: e.rank is not None and e.rank <= k)
            for k in _CUTOFFS
        },
        cited_gold=_rate(asked, lambda e: e.cited_gold),
        precision_sure=_rate(sure, lambda e: e.verdict == "right") if sure else None,
        auroc=auroc(right, other),
        ece=_ece(given),
    )


def _rate(rows: Sequence[JudgedAnswer], holds: Callable[[JudgedAnswer], bool]) -> float:
    return mean(float(holds(each)) for each in rows)


def _given(answers: Iterable[JudgedAnswer]) -> list[JudgedAnswer]:
    """The answers that say something."""
    return [each for each in answers if each.verdict != "abstained"]


def _bins(given: Sequence[JudgedAnswer]) -> Iterator[dict[str, float]]:
    """The answers by bin of confidence; empty bins are left out."""
    for at in range(_BINS):
        group = [e for e in given if min(int(e.confidence * _BINS), _BINS - 1) == at]
        if group:
            yield {
                "from": at / _BINS,
                "answers": len(group),
                "confidence": mean(e.confidence for e in group),
                "right": _rate(group, lambda e: e.verdict == "right"),
            }


def _ece(given: Sequence[JudgedAnswer]) -> float:
    """Σ over bins of the share of answers in it · |mean confidence − share right| (Naeini)."""
    rows = list(_bins(given))
    weights = np.array([row["answers"] for row in rows])
    gaps = np.array([abs(row["confidence"] - row["right"]) for row in rows])
    return float((weights * gaps).sum() / weights.sum()) if rows else 0.0
