"""Chooses what of the evidence is quoted: of files one block of lines, of what was said turns.

A block is chosen by what it is `worth` among the blocks of the first passages; the best blocks of
two other places are named below it. A passage that holds nothing of what the question is about is
passed over, unless a name led to it or its meaning is near.
"""

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
from quipu.answer.worth import Candidate, Weighing, gives, worth
from quipu.ports import Planner
from quipu.question import Question, read_question
from quipu.records.plan import Plan
from quipu.text import stems, stems_in_parts, tokens

__all__ = ["Choice", "choose"]

_PASSAGES = 10
_FURTHER = 2
_NEAR, _SAME_MEANING = 0.35, 0.5
_AS_GOOD = 0.6
_LONGEST_FURTHER = 200  # characters of what tells at a further place


class Choice(NamedTuple):
    """What is quoted and where it stands: `text` as it is printed, `quoted` what tells in it with
    what is beside that; `similarity` is its cosine with the question (None: not known), `worth`
    what it was chosen by, and `margin` how much more that is than the best of any other passage, at
    most 1 (None: there is no other). What is `placed` begins with a line that names its place,
    `further` is no more than that.
    """

    text: str
    evidence: tuple[Evidence, ...]
    similarity: float | None
    worth: float
    quoted: str
    margin: float | None = None
    placed: bool = False
    further: bool = False


def choose(
    asked: Question,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    *,
    planner: Planner | None = None,
    plan: Plan | None = None,
    likely: Likely | None = None,
) -> list[Choice]:
    """The block that answers best and up to two further places, or what a kind of source quotes in
    its own way; nothing where nothing touches the question."""
    known = frozenset(likely.read) if likely is not None else frozenset[str]()
    weighing, ordered = _ordered(asked, evidence, nearness, known)
    if planner is not None and plan is not None:
        asked_for, scope = read_question(plan.question), plan.scope
        for each in answers_of_kinds():
            quotations = each.quoted(
                ordered, weighing, planner, question=asked_for, scope=scope, likely=likely
            )
            if quotations:
                return [_quotation(q, ordered) for q in quotations]
    best: dict[str, Candidate] = {}
    for candidate in ordered:
        if candidate.lines is not None:
            best.setdefault(candidate.evidence.id, candidate)
    chosen = [c for c in best.values() if c.worth >= ordered[0].worth - _AS_GOOD]
    return [
        _block(c, weighing, nearness, ordered) if n == 0 else _place(c, weighing, nearness)
        for n, c in enumerate(chosen[: 1 + _FURTHER])
    ]


def _ordered(
    asked: Question,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    likely: frozenset[str],
) -> tuple[Weighing, list[Candidate]]:
    """What candidates are weighed for, and those that may answer, the best first: all of a passage
    may of which is known how `likely` it answers."""
    question = asked.stem_set
    read = [each for n, each in enumerate(evidence) if n < _PASSAGES or each.id in likely]
    found = [c for rank, each in enumerate(read) for c in _candidates(each, rank, question, asked)]
    weighing = Weighing.of(asked, found)
    if nearness is not None:
        found = [
            c._replace(similarity=nearness.of(c.evidence.id, c.place[1], c.end) or 0.0)
            for c in found
        ]
    near = (c for c in found if c.evidence.id in likely or _is_near(c))
    weighed = [c._replace(worth=worth(c, weighing)) for c in near]
    return weighing, sorted(weighed, key=lambda c: (-round(c.worth, 6), c.place, c.evidence.id))


def _only_asks(line: str, asking: str, asked: Question) -> bool:
    """Whether a line repeats the words of the question, `asking`, as examples and tests do, and
    names nothing of the kind that is asked for."""
    return asked.kind is not None and asking in _words(line) and not gives(asked, line)


def _words(text: str) -> str:
    return " ".join(token.word for token in tokens(text))


def _is_near(candidate: Candidate) -> bool:
    cosine = candidate.similarity or 0.0
    touches = candidate.own or candidate.above or cosine >= _NEAR
    least = _NEAR if is_turn(candidate.evidence) else _SAME_MEANING
    return (candidate.on_subject and bool(touches)) or cosine >= least


def _candidates(
    each: Evidence, rank: int, question: frozenset[str], asked: Question
) -> Iterator[Candidate]:
    """The blocks of a file or a note, the sentences of a turn."""
    above = frozenset(stems(each.title)) & question
    about = set(asked.subject)
    on_subject = not about or each.bridged or not about.isdisjoint(words_of(each))
    if is_turn(each):
        for unit in units(each.text):
            own, end = frozenset(stems(unit.text)) & question, unit.start + max(unit.length, 1)
            yield Candidate(unit.text, (rank, unit.start), each, own, above, on_subject, end=end)
        return
    said: dict[str, frozenset[str]] = {}
    asking = _words(asked.text)
    for block in blocks(each.text, code=each.is_code):
        if block.key and question.isdisjoint(stems_in_parts(block.key)):
            continue
        shown = [*leading(each.text, block), *block.text.split("\n")]
        for line in shown:
            if line not in said:
                stems_said = frozenset(stems_in_parts(line)) & question
                repeats = question <= stems_said and _only_asks(line, asking, asked)
                said[line] = frozenset() if repeats else stems_said
        own = frozenset[str]().union(*(said[line] for line in shown))
        yield Candidate(
            block.text,
            (rank, block.start),
            each,
            own,
            above,
            on_subject,
            lines=(block.first, block.last),
            end=block.end,
            keyed=bool(block.key),
        )


def _quotation(quotation: Quotation, ordered: Sequence[Candidate]) -> Choice:
    by, margin = quotation.by, _margin(quotation.by, ordered)
    told = quotation.text, quotation.evidence, by.similarity, by.worth, by.text, margin
    return Choice(*told)


def _margin(candidate: Candidate, ordered: Sequence[Candidate]) -> float | None:
    passage = candidate.evidence.id
    others = [c.worth for c in ordered if c.evidence.id != passage]
    return min(candidate.worth - max(others), 1.0) if others else None


def _block(
    candidate: Candidate,
    weighing: Weighing,
    nearness: Nearness | None,
    ordered: Sequence[Candidate],
) -> Choice:
    """A candidate as it stands in its file, below its place."""
    each = candidate.evidence
    read, best = _telling(candidate, weighing, nearness)
    telling, beside = read[best], read[max(best - 1, 0) : best + 2]
    block = with_what_follows(each.text, _block_of(candidate))
    cited = _cited(candidate._replace(lines=(block.first, block.last)))
    where = reference(each.path, cited.start_line, cited.end_line, each.title)
    text = f"{where}\n{in_fence(each.text, block, telling)}"
    margin = _margin(candidate, ordered)
    told = candidate.text[beside[0][0] : beside[-1][1]]
    return Choice(text, (cited,), candidate.similarity, candidate.worth, told, margin, placed=True)


def _block_of(candidate: Candidate) -> Block:
    first, last = candidate.lines or (0, 0)
    return Block(first, last, candidate.text, candidate.place[1])


def _telling(
    candidate: Candidate, weighing: Weighing, nearness: Nearness | None
) -> tuple[list[tuple[int, int]], int]:
    """The sentences or lines of a candidate, and which of them tells."""
    read = units_in(_block_of(candidate), code=candidate.evidence.is_code)
    worths = [_tells(unit, candidate, weighing, nearness) for unit in read]
    return read, worths.index(max(worths))


def _tells(
    unit: tuple[int, int], candidate: Candidate, weighing: Weighing, nearness: Nearness | None
) -> float:
    """What one sentence or line of a candidate is worth."""
    start, (first, last) = candidate.place[1], unit
    text = candidate.text[first:last]
    own = frozenset(stems_in_parts(text)) & weighing.asked.stem_set
    near = nearness.of(candidate.evidence.id, start + first, start + last) if nearness else None
    return worth(candidate._replace(text=text, own=own, similarity=near), weighing)


def _place(candidate: Candidate, weighing: Weighing, nearness: Nearness | None) -> Choice:
    """A further place and what tells there, in one line."""
    cited = _cited(candidate)
    read, best = _telling(candidate, weighing, nearness)
    first, last = read[best]
    where = reference(cited.path, cited.start_line, cited.end_line, cited.title)
    near, text = candidate.similarity, candidate.text
    told = f"Also: {where} · {code_span(text[first:last], limit=_LONGEST_FURTHER)}"
    return Choice(told, (cited,), near, candidate.worth, text, placed=True, further=True)


def _cited(candidate: Candidate) -> Evidence:
    """The passage with the lines of its file that the candidate takes, where they can be told."""
    each, (first, last) = candidate.evidence, candidate.lines or (0, 0)
    if each.text.count("\n") > each.end_line - each.start_line + 1:
        return each
    start = each.start_line + first
    return each._replace(start_line=start, end_line=max(start, each.start_line + last))
