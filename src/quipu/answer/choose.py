"""Chooses what of the evidence is quoted: of files one block of lines, of what was said turns.

A block is chosen by what it is `worth` among the blocks of the first passages; the best blocks of
two other places are named below it. A passage that holds nothing of what the question is about is
passed over, unless a name led to it or its meaning is near.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.block import (
    Block,
    blocks,
    in_fence,
    leading,
    reference,
    units_in,
    with_what_follows,
)
from quipu.answer.gate import Evidence, is_turn, words_of
from quipu.answer.kinds import Likely, Quotation, answers_of_kinds
from quipu.answer.nearness import Nearness
from quipu.answer.quote import code_span, units
from quipu.answer.worth import Candidate, Weighing, worth
from quipu.ports import Planner
from quipu.question import Question
from quipu.records.scope import Scope
from quipu.text import stems

__all__ = ["Choice", "choose"]

_PASSAGES, _TURNS = 8, 10
_FURTHER = 2
_NEAR, _SAME_MEANING = 0.35, 0.5
_AS_GOOD = 0.5  # the share of the best worth that a further place has at least
_LONGEST_FURTHER = 200  # characters up to which what stands beside what tells is shown with it


class Choice(NamedTuple):
    """What is quoted and where it stands: `text` as it is printed, `quoted` what tells in it with
    what is beside that; `similarity` is its cosine with the question (None: not known), `worth`
    what it was chosen by, and `margin` how much more that is than the best of any other passage, at
    most 1 (None: there is no other). What is `placed` begins with a line that names its place."""

    text: str
    evidence: tuple[Evidence, ...]
    similarity: float | None
    worth: float
    quoted: str
    margin: float | None = None
    placed: bool = False


def choose(
    asked: Question,
    question: Question,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    *,
    planner: Planner,
    scope: Scope,
    likely: Likely | None = None,
) -> list[Choice]:
    """The block that answers best and up to two further places, or what a kind of source quotes in
    its own way; nothing where nothing touches the question."""
    known = frozenset(likely.read) if likely is not None else frozenset[str]()
    chooser = _Chooser(Weighing.of(asked, planner), nearness)
    ordered = chooser.ordered(evidence, known)
    for each in answers_of_kinds():
        quotations = each.quoted(ordered, planner, question=question, scope=scope, likely=likely)
        if quotations:
            return [_quotation(quotation, ordered) for quotation in quotations]
    best: dict[str, Candidate] = {}
    for candidate in ordered:
        if candidate.lines is not None:
            best.setdefault(candidate.evidence.id, candidate)
    good = [c for c in best.values() if c.worth >= _AS_GOOD * ordered[0].worth]
    chosen = good[: 1 + _FURTHER]
    firsts = [chooser.block(first, _margin(first, ordered)) for first in chosen[:1]]
    return [*firsts, *map(chooser.place, chosen[1:])]


class _Chooser(NamedTuple):
    """What is chosen by: what candidates are weighed for, and how near they are in meaning."""

    weighing: Weighing
    nearness: Nearness | None

    def ordered(self, evidence: Sequence[Evidence], likely: frozenset[str]) -> list[Candidate]:
        """What may answer, the best first: all of a passage of which is known how `likely` it
        answers."""
        most = {False: _PASSAGES, True: _TURNS}
        read = [e for n, e in enumerate(evidence) if n < most[is_turn(e)] or e.id in likely]
        found = [
            candidate
            for rank, each in enumerate(read)
            for candidate in map(self._weighed, self._candidates(each, rank))
            if each.id in likely or _is_near(candidate)
        ]
        return sorted(found, key=lambda c: (-round(c.worth, 6), c.place, c.evidence.id))

    def _weighed(self, candidate: Candidate) -> Candidate:
        if self.nearness is not None:
            passage, start = candidate.evidence.id, candidate.place[1]
            cosine = self.nearness.of(passage, start, candidate.end) or 0.0
            candidate = candidate._replace(similarity=cosine)
        return candidate._replace(worth=worth(candidate, self.weighing))

    def _candidates(self, each: Evidence, rank: int) -> Iterator[Candidate]:
        """The blocks of a file or a note, the sentences of a turn."""
        weighing, about = self.weighing, set(self.weighing.asked.subject)
        above = frozenset(stems(each.title)) & weighing.idf.keys()
        on_subject = not about or each.bridged or not about.isdisjoint(words_of(each))
        if is_turn(each):
            for unit in units(each.text):
                own = frozenset(stems(unit.text)) & weighing.idf.keys()
                place, end = (rank, unit.start), max(unit.end, unit.start + 1)
                yield Candidate(unit.text, place, each, own, above, on_subject, end=end)
            return
        said = {line: weighing.says(line) for line in each.text.split("\n")}
        for block in blocks(each.text, code=each.is_code):
            if block.key and not weighing.says(block.key):
                continue
            lines = [*leading(each.text, block), *block.text.split("\n")]
            own = [said.get(line) or weighing.says(line) for line in lines]
            yield Candidate(
                block.text,
                (rank, block.start),
                each,
                frozenset[str]().union(*own),
                above,
                on_subject,
                lines=(block.first, block.last),
                end=block.end,
                keyed=bool(block.key),
                dense=math.fsum(map(weighing.share, own)),
            )

    def block(self, candidate: Candidate, margin: float | None) -> Choice:
        """A candidate as it stands in its file, with the lines after it, below its place."""
        each = candidate.evidence
        read, best = self._telling(candidate)
        telling, beside = read[best], read[max(best - 1, 0) : best + 2]
        block = with_what_follows(each.text, _block_of(candidate), code=each.is_code)
        cited = _cited(each, block)
        where = reference(each.path, cited.start_line, cited.end_line, each.title)
        text = f"{where}\n{in_fence(each.text, block, telling)}"
        told = candidate.text[beside[0][0] : beside[-1][1]]
        near = candidate.similarity
        return Choice(text, (cited,), near, candidate.worth, told, margin, placed=True)

    def place(self, candidate: Candidate) -> Choice:
        """A further place and what tells there with what is beside it, in one line."""
        cited = _cited(candidate.evidence, _block_of(candidate))
        first, last = _with_neighbours(*self._telling(candidate), most=_LONGEST_FURTHER)
        where = reference(cited.path, cited.start_line, cited.end_line, cited.title)
        near, text = candidate.similarity, candidate.text
        told = f"Also: {where} · {code_span(text[first:last])}"
        return Choice(told, (cited,), near, candidate.worth, text, placed=True)

    def _telling(self, candidate: Candidate) -> tuple[list[tuple[int, int]], int]:
        """The sentences or lines of a candidate, and which of them tells."""
        read = units_in(_block_of(candidate), code=candidate.evidence.is_code)
        (rank, start), worths = candidate.place, list[float]()
        for first, last in read:
            text = candidate.text[first:last]
            worths.append(
                self._weighed(
                    candidate._replace(
                        text=text,
                        place=(rank, start + first),
                        end=start + last,
                        own=self.weighing.says(text),
                        dense=0.0,
                    )
                ).worth
            )
        return read, worths.index(max(worths))


def _with_neighbours(spans: Sequence[tuple[int, int]], at: int, *, most: int) -> tuple[int, int]:
    """Where a sentence or line begins and ends with those after it and before it for which there is
    room in `most` characters."""
    first = last = at
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= most:
        last += 1
    while first > 0 and spans[last][1] - spans[first - 1][0] <= most:
        first -= 1
    return spans[first][0], spans[last][1]


def _is_near(candidate: Candidate) -> bool:
    cosine = candidate.similarity or 0.0
    touches = candidate.own or candidate.above or cosine >= _NEAR
    least = _NEAR if is_turn(candidate.evidence) else _SAME_MEANING
    return (candidate.on_subject and bool(touches)) or cosine >= least


def _quotation(quotation: Quotation, ordered: Sequence[Candidate]) -> Choice:
    by, margin = quotation.by, _margin(quotation.by, ordered)
    told = quotation.text, quotation.evidence, by.similarity, by.worth, by.text, margin
    return Choice(*told)


def _margin(candidate: Candidate, ordered: Sequence[Candidate]) -> float | None:
    passage = candidate.evidence.id
    others = [c.worth for c in ordered if c.evidence.id != passage]
    return min(candidate.worth - max(others), 1.0) if others else None


def _block_of(candidate: Candidate) -> Block:
    first, last = candidate.lines or (0, 0)
    return Block(first, last, candidate.text, candidate.place[1])


def _cited(each: Evidence, block: Block) -> Evidence:
    """The passage with the lines of its file that a block takes, where they can be told."""
    if each.text.count("\n") > each.end_line - each.start_line + 1:
        return each
    start = each.start_line + block.first
    return each._replace(start_line=start, end_line=max(start, each.start_line + block.last))
