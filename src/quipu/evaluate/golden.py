"""Golden questions: a YAML file of questions whose evidence is known, asked and checked.

The file is a list. Each item has

- `question`: what is asked;
- `expect`: what must come back, at least one of
  - `paths`: sources the evidence cites, a list (any of them will do) or `{any: […]}`,
    `{all: […]}`, both; a path may be a pattern such as `docs/*.md`;
  - `graph_ids`: graph records the evidence names, written the same way;
  - `words`: every one of them stands in the answer, whatever its case;
  - `not`: none of these words stands in the answer, whatever its case;
- or `abstain: true`: the answer must be `unknown`, without evidence;
- `mode` (`local` or `documents`) and `min_confidence`, both optional.

A key that is not known is an error, with its line. Every reply must hold the answer contract.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import msgspec
import yaml

from quipu.answer.examine import violations
from quipu.errors import InvalidInput
from quipu.records.misfit import misfit
from quipu.records.plan import Mode
from quipu.records.reply import Reply
from quipu.text import fold

if TYPE_CHECKING:
    from quipu.memory import Memory

__all__ = ["GoldenReport", "load", "run"]

_UNKNOWN = "unknown"
_TEXTS = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]


class Listed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Any of these will do; all of those are needed."""

    any: tuple[str, ...] = ()
    all: tuple[str, ...] = ()


class Expectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an answer must bring."""

    paths: _TEXTS | Listed = Listed()
    graph_ids: _TEXTS | Listed = Listed()
    words: tuple[str, ...] = ()
    without: tuple[str, ...] = msgspec.field(default=(), name="not")


class Golden(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question of the file."""

    question: Annotated[str, msgspec.Meta(min_length=1)]
    expect: Expectation | None = None
    abstain: bool = False
    mode: Mode | None = None
    min_confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0


class GoldenResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one question went; `reasons` say why it failed."""

    question: Annotated[str, "the question"]
    passed: Annotated[bool, "whether the reply is as expected and holds the contract"]
    reasons: Annotated[tuple[str, ...], "why it failed; empty when it passed"]
    answer: Annotated[str, "what was answered"]
    confidence: Annotated[float, "how sure, in [0, 1]"]


class GoldenReport(msgspec.Struct, frozen=True, kw_only=True):
    """How the file went: `passed` when every question did."""

    file: Annotated[str, "the file"]
    passed: Annotated[bool, "whether every question did (else exit code 1)"]
    results: Annotated[tuple[GoldenResult, ...], "how each went, in the order of the file"]


def run(memory: "Memory", file: Path) -> GoldenReport:
    """Ask every question of `file`, in order; no reply may break the answer contract.

    Raises InvalidInput, with the place, when the file is not as described above.
    """
    results = tuple(_result(memory, golden) for golden in load(file))
    return GoldenReport(
        file=str(file), passed=all(result.passed for result in results), results=results
    )


def load(file: Path) -> list[Golden]:
    """The questions of `file`. Raises InvalidInput with the line of what cannot be used."""
    try:
        text = file.read_text("utf-8")
        node = _compose(text)
        items: object = yaml.safe_load(text)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        # ValueError: a date that is none; RecursionError: nested too deep
        raise InvalidInput(f"{file}: not readable as YAML: {error}") from error
    if not isinstance(node, yaml.SequenceNode) or not isinstance(items, list):
        raise InvalidInput(f"{file}: not a list: begin every question with `- question: …`")
    found: list[Golden] = []
    for item, at in zip(cast("list[object]", items), node.value, strict=True):
        found.append(_golden(item, f"{file}:{at.start_mark.line + 1}"))
    if not found:
        raise InvalidInput(f"{file} has no questions")
    return found


def _compose(text: str) -> Any:
    """The nodes of a YAML text, which know their lines."""
    compose: Any = yaml.compose  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return compose(text, Loader=yaml.SafeLoader)


def _golden(item: object, place: str) -> Golden:
    try:
        golden = msgspec.convert(item, Golden)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{place}: {misfit(error, item)}: mend it") from error
    if golden.abstain == (golden.expect is not None):
        raise InvalidInput(f"{place}: give either `expect` or `abstain: true`")
    if golden.expect is not None and not any(_needs(golden.expect)):
        raise InvalidInput(f"{place}: `expect` names no paths, graph_ids, words or not")
    return golden


def _needs(expect: Expectation) -> Iterator[tuple[str, ...]]:
    for each in (expect.paths, expect.graph_ids):
        listed = _listed(each)
        yield listed.any
        yield listed.all
    yield expect.words
    yield expect.without


def _listed(given: tuple[str, ...] | Listed) -> Listed:
    return given if isinstance(given, Listed) else Listed(any=given)


def _result(memory: "Memory", golden: Golden) -> GoldenResult:
    reply = memory.ask(golden.question, mode=golden.mode)
    least = memory.config.answer.assert_above
    broken = violations(reply, memory.store, assert_above=least)
    reasons = [f"off the contract: {error}" for error in broken]
    reasons += _abstained(reply) if golden.abstain else _answered(reply, golden)
    return GoldenResult(
        question=golden.question,
        passed=not reasons,
        reasons=tuple(reasons),
        answer=reply.contract.answer,
        confidence=reply.confidence.value,
    )


def _abstained(reply: Reply) -> list[str]:
    if reply.contract.answer == _UNKNOWN and not reply.contract.evidence:
        return []
    return [f"should be unknown, but says {reply.contract.answer!r}"]


def _answered(reply: Reply, golden: Golden) -> list[str]:
    contract, expect = reply.contract, golden.expect or Expectation()
    if contract.answer == _UNKNOWN:
        return [f"is unknown: {contract.limitations}"]
    paths = [path for item in contract.evidence for path in item.file_paths]
    ids = [each for item in contract.evidence for each in item.graph_ids]
    reasons = [
        *_lacking("path", _listed(expect.paths), paths),
        *_lacking("graph id", _listed(expect.graph_ids), ids),
    ]
    said = fold(contract.answer).casefold()
    reasons += [
        f"the answer lacks the word {word!r}: {contract.answer!r}"
        for word in expect.words
        if fold(word).casefold() not in said
    ]
    reasons += [
        f"the answer has the word {word!r}, which must not stand there: {contract.answer!r}"
        for word in expect.without
        if fold(word).casefold() in said
    ]
    if not reply.citations:
        reasons.append("has no citations")
    if reply.confidence.value < golden.min_confidence:
        reasons.append(
            f"confidence is {reply.confidence.value:.2f}, below {golden.min_confidence:.2f}"
        )
    return reasons


def _lacking(what: str, expected: Listed, cited: list[str]) -> Iterator[str]:
    def is_cited(pattern: str) -> bool:
        return any(each == pattern or fnmatchcase(each, pattern) for each in cited)

    shown = ", ".join(repr(each) for each in dict.fromkeys(cited)) or "nothing"
    if expected.any and not any(map(is_cited, expected.any)):
        names = ", ".join(repr(each) for each in expected.any)
        yield f"cites no {what} of {names}; it cites {shown}"
    for each in expected.all:
        if not is_cited(each):
            yield f"does not cite the {what} {each!r}; it cites {shown}"
