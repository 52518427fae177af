"""Chooses the windows and sentences of the evidence that answer a question.

Of a file whole windows are quoted (`windows`), of a note or a turn its sentences, each by its
`worth`. Its cosine with the question is read off stored vectors (`nearness`).

A passage that holds nothing of what the question is about is passed over, unless a name led to
it, it took the place of one that does, or its meaning is near. A second sentence must say more of
the question about the same thing; a second window must be worth nearly as much as the first.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import KIND_WORDS
from quipu.answer.code_lines import documented, settings
from quipu.answer.gate import Evidence, is_turn, words_of
from quipu.answer.intent import Asked
from quipu.answer.kinds import Likely, Quotation
from quipu.answer.kinds import quoted as quoted_by_kinds
from quipu.answer.nearness import Nearness
from quipu.answer.quote import Unit, code_lead, code_span, defined, plain, units
from quipu.answer.roles import PLACES, is_release_asked_for
from quipu.answer.windows import MOST, MOST_OF_FUNCTION, MOST_OF_LIST, quoted, telling, windows
from quipu.answer.worth import (
    WEIGHTS,
    Candidate,
    Weighing,
    gives,
    is_of_file,
    is_of_named,
    weigh,
    worth,
)
from quipu.ports import Planner
from quipu.records.plan import Plan
from quipu.text import (
    looks_like_identifier,
    name_key,
    split_identifier,
    stems,
    stems_in_parts,
)

__all__ = ["ALONE", "VALUES", "Choice", "choose", "weighed"]

_PASSAGES = 10
_UNITS = 400
_BRIEF = 5
_MOST = 3
_GAIN = 0.12
_NEAR = 0.35
_SAME_MEANING = 0.5
_AS_GOOD = 0.6
_FITS = 0.4
ALONE = frozenset({"class", "function", "default"})
VALUES = frozenset({"default", "number", "version", "licence", "variable", "money"})
_ELSEWHERE = 0.2
_PLACED = frozenset({"source", "test", "example", "manifest"})
_LINE_END = re.compile("\n")
_PRONOUNS = ("he ", "she ", "it ", "they ", "his ", "her ", "its ", "their ", "this ", "these ")


class Choice(NamedTuple):
    """A sentence or window without marks and where it stands; `quoted` is its text without what
    leads to it, `similarity` its cosine with the question, None without an embedder, `worth` what
    it was chosen by, and `margin` how much more that is than the best of any other passage, at
    most 1; None where there is no other. `instead_of` are the ids of passages that hold no more, as
    it tells."""

    text: str
    evidence: tuple[Evidence, ...]
    similarity: float | None
    worth: float
    quoted: str
    margin: float | None = None
    instead_of: tuple[str, ...] = ()


def choose(
    asked: Asked,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    *,
    decisions: frozenset[str] = frozenset(),
    planner: Planner | None = None,
    plan: Plan | None = None,
    likely: Likely | None = None,
) -> list[Choice]:
    """At most three sentences, the best first; none when nothing touches the question. Where a kind
    of source has a way of its own, as it quotes.

    `decisions` are the documents that record a decision, for a question that asks for a reason.
    """
    known = frozenset(likely.read) if likely is not None else frozenset[str]()
    found, weighing, ordered = _ordered(asked, evidence, nearness, decisions, known)
    if likely is not None and likely.written:
        ordered = [c for c in ordered if not is_turn(c.evidence)]
    if planner is not None and plan is not None:
        quotations = quoted_by_kinds(
            ordered, weighing, planner, question=plan.question, scope=plan.scope, likely=likely
        )
        if quotations:
            return [_quotation(q, ordered) for q in quotations]
    picked = _picked(_alone(ordered, asked), weighing.stems)
    return [_choice(c, found, asked)._replace(margin=_margin(c, ordered)) for c in picked]


def weighed(
    asked: Asked, evidence: Sequence[Evidence], nearness: Nearness | None
) -> list[tuple[str, dict[str, float]]]:
    """Whatever of files may be quoted, as it would be, with the inputs of `worth.WEIGHTS`: what
    these are fitted by."""
    _, weighing, ordered = _ordered(asked, evidence, nearness, frozenset(), frozenset())
    return [
        (
            _led(c, where=asked.answer_type in PLACES),
            {**weigh(c, weighing), "cosine": max(c.similarity or 0.0, 0.0)},
        )
        for c in ordered
        if is_of_file(c)
    ]


def _ordered(
    asked: Asked,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    decisions: frozenset[str],
    likely: frozenset[str],
) -> tuple[list[Candidate], Weighing, list[Candidate]]:
    """(all candidates, what they are weighed for, those that may answer: the best first). All of a
    passage may of which is known how `likely` it answers."""
    question = frozenset(asked.stems)
    read = [each for n, each in enumerate(evidence) if n < _PASSAGES or each.id in likely]
    found = [
        candidate
        for rank, each in enumerate(read)
        for candidate in _candidates(each, rank, question, asked)
    ][:_UNITS]
    if any(not c.heading and c.on_subject and gives(asked, c.text) and c.own for c in found):
        found = [c for c in found if not c.heading]
    weighing = Weighing.of(asked, found, decisions)
    scored = [c._replace(worth=worth(c, weighing)) for c in found]
    ordered = sorted(scored, key=lambda c: (-c.worth, c.place, c.evidence.id))
    if nearness is not None:
        return found, weighing, _nearest_first(ordered, nearness, likely)
    near = [c for c in ordered if c.on_subject and c.own | c.above]
    return found, weighing, near


def _quotation(quotation: Quotation, ordered: Sequence[Candidate]) -> Choice:
    by, margin = quotation.by, _margin(quotation.by, ordered)
    told = quotation.text, quotation.evidence, by.similarity, by.worth, by.text, margin
    return Choice(*told, quotation.instead_of)


def _margin(candidate: Candidate, ordered: Sequence[Candidate]) -> float | None:
    passage = candidate.evidence.id
    others = [c.worth for c in ordered if c.evidence.id != passage]
    return min(candidate.worth - max(others), 1.0) if others else None


def _alone(ordered: Sequence[Candidate], asked: Asked) -> list[Candidate]:
    """What may be said beside the first: of things only such as it is, of releases no other."""
    if not ordered:
        return []
    first = ordered[0]
    if is_release_asked_for(first.evidence, asked, first.text):
        return [c for c in ordered if c.evidence.title == first.evidence.title]
    if asked.kind in ALONE and gives(asked, first.text):
        return [c for c in ordered if gives(asked, c.text)]
    return list(ordered)


def _candidates(
    each: Evidence, rank: int, question: frozenset[str], asked: Asked
) -> list[Candidate]:
    above = frozenset(stems(each.title)) & question
    words = words_of(each)
    on_subject = not asked.subject or each.bridged or bool(words & set(asked.subject))
    found = [
        Candidate(
            text, (rank, start), each, own & question, above, on_subject, lines=lines, end=end
        )
        for start, end, text, own, lines in _of_windows(each, _most(each, asked))
    ]
    if each.is_code:
        return found + [
            Candidate(text, (rank, start), each, own & question, within, on_subject, wordless, name)
            for start, text, own, within, wordless, name in _of_code(each, words, above, asked)
        ]
    read = units(each.text)
    if found:
        read = [unit for unit in read if unit.kind == "front"]
    for at, unit in enumerate(read):
        text = unit.text
        if unit.kind == "code" or (unit.kind == "heading" and not gives(asked, text)):
            continue
        if text.endswith(":") and at + 1 < len(read) and read[at + 1].kind != "heading":
            text = plain(f"{text} {read[at + 1].text}")
        start, end = unit.start, unit.start + (unit.length or len(text))
        if at and _is_named_before(text, read[at - 1]):
            start, text = read[at - 1].start, plain(f"{read[at - 1].text} {text}")
        own = frozenset(stems(text)) & question
        if unit.kind == "front" and not own & frozenset(stems(text.partition(":")[0])):
            continue
        place, heading = (rank, start), unit.kind == "heading"
        found.append(Candidate(text, place, each, own, above, on_subject, heading=heading, end=end))
    return found


def _most(each: Evidence, asked: Asked) -> int:
    """How many lines a window may have: more where a list is asked for, or what a function that the
    question names does."""
    if asked.several:
        return MOST_OF_LIST
    whole = each.is_code and asked.answer_type == "definition" and is_of_named(each, asked)
    return MOST_OF_FUNCTION if whole else MOST


def _is_named_before(text: str, before: Unit) -> bool:
    """Whether a sentence begins with a pronoun for what the few words before it name: "The tables.
    They are in the shop."."""
    brief = before.kind == "sentence" and len(before.text.split()) < _BRIEF
    return brief and text.lower().startswith(_PRONOUNS)


def _of_windows(
    each: Evidence, most: int
) -> Iterator[tuple[int, int, str, frozenset[str], tuple[int, int]]]:
    """(place, end, text, its stems, its lines) of the windows of a file's passage."""
    if each.role == "other":
        return
    starts = [0, *(at.end() for at in _LINE_END.finditer(each.text)), len(each.text) + 1]
    stems_of: dict[int, frozenset[str]] = {}
    for window in windows(each.text, code=each.is_code, most=most):
        first, last = window.first, window.last
        if text := quoted(each.text, window, code=each.is_code, title=each.title):
            for at, line in enumerate(window.text.split("\n"), first):
                if at not in stems_of:
                    heads = not each.is_code and line.startswith("#")  # is not quoted
                    stems_of[at] = frozenset[str]() if heads else frozenset(stems_in_parts(line))
            own = frozenset[str]().union(*(stems_of[at] for at in range(first, last + 1)))
            yield starts[first], starts[last + 1] - 1, text, own, (first, last)


def _of_code(
    each: Evidence, words: frozenset[str], above: frozenset[str], asked: Asked
) -> Iterator[tuple[int, str, frozenset[str], frozenset[str], bool, str]]:
    """(place, text, its stems, those above it, whether it only says a place, the name defined)
    of what code says: its documented signature, and single lines of it where such are asked for.
    """
    text, wordless = _code_text(each, asked)
    if text:
        yield 0, text, words, above, wordless, defined(text)
    code = [n for n in asked.names if looks_like_identifier(n) and not n.isalpha()]
    named = {n.rpartition(".")[2] for n in code if asked.kind not in ALONE}
    of = code_span(each.title.partition("(")[0].strip("` ")) if each.title else ""
    within = (words & set(asked.stems)) | above
    for start, name, line in settings(each.text):
        own = frozenset(stems(f"{line} {' '.join(split_identifier(name))}"))
        fits = asked.answer_type == "manner" and "_" in name and _said_by(name, asked) >= _FITS
        valued = asked.kind in VALUES and "(" not in line and gives(asked, code_span(line))
        if name in named or fits or (valued and own & set(asked.subject)):
            said = f"{code_span(line)} in {of}" if of else code_span(line)
            yield start + 1, plain(said), own, within, False, name
    for start, sentence in documented(each.text) if asked.kind else ():
        own = frozenset(stems(sentence))
        if gives(asked, sentence) and own & set(asked.subject):
            name = sentence.removeprefix(":param ").partition(":")[0].partition(" ")[0]
            yield start + 1, sentence, own, within, False, name


def _said_by(name: str, asked: Asked) -> float:
    """How far a name is what the question is about: F1² of its parts and the question's stems,
    without those of names that the question gives itself."""
    parts = set(stems(" ".join(split_identifier(name))))
    given = {s for n in asked.names for s in stems(" ".join(split_identifier(n)))}
    about = (set(asked.subject) - given - KIND_WORDS) or set(asked.subject)
    shared = len(parts & about)
    return (2 * shared / (len(parts) + len(about))) ** 2 if shared else 0.0


def _code_text(each: Evidence, asked: Asked) -> tuple[str, bool]:
    """What introduces a passage of code, and whether that is no more than where it stands."""
    path = code_span(each.path)
    signature, documentation = code_lead(each.text, asked.subject, whole=asked.kind is None)
    if signature and documentation:
        return f"{code_span(signature)}: {documentation}", False
    if signature:
        return plain(f"{code_span(signature)} is in {path}"), True
    lines = telling(each.text.split("\n"))
    first = next((line.strip() for line in lines if line.strip()), "")
    return (plain(f"{code_span(first)} is in {path}") if first else ""), True


def _nearest_first(
    ordered: Sequence[Candidate], nearness: Nearness, likely: frozenset[str]
) -> list[Candidate]:
    """With their cosines to the question, the best first. What is near neither in words nor in
    meaning is dropped."""
    found = [_with_cosine(c, nearness.of(c.evidence.id, c.place[1], c.end)) for c in ordered]
    near = (c for c in found if c.evidence.id in likely or _is_near(c))
    return sorted(near, key=_best_first)


def _with_cosine(candidate: Candidate, near: float | None) -> Candidate:
    cosine = near or 0.0
    weight = WEIGHTS["cosine"] if is_of_file(candidate) else 1.0
    return candidate._replace(worth=candidate.worth + weight * max(cosine, 0.0), similarity=cosine)


def _is_near(candidate: Candidate) -> bool:
    cosine = candidate.similarity or 0.0
    touches = candidate.own or candidate.above or cosine >= _NEAR
    return (candidate.on_subject and bool(touches)) or cosine >= (
        _NEAR if is_turn(candidate.evidence) else _SAME_MEANING
    )


def _best_first(candidate: Candidate) -> tuple[float, tuple[int, int], str]:
    return -round(candidate.worth, 6), candidate.place, candidate.evidence.id


def _picked(ordered: Sequence[Candidate], weights: dict[str, float]) -> list[Candidate]:
    """The best, then those that bring enough of the question that is not covered yet."""
    total = math.fsum(weights.values())
    picked: list[Candidate] = []
    covered: frozenset[str] = frozenset()
    for candidate in ordered:
        fresh = math.fsum(weights[s] for s in sorted(candidate.own - covered))
        gain = fresh / total if total else 0.0
        if picked and not _adds(candidate, picked[0], gain, covered):
            continue
        if any(_same(candidate.text, other.text) or _over(candidate, other) for other in picked):
            continue
        picked.append(candidate)
        covered |= candidate.own | candidate.above
        if len(picked) == _MOST:
            break
    return picked


def _adds(candidate: Candidate, first: Candidate, gain: float, covered: frozenset[str]) -> bool:
    """Whether a sentence says more of the question. One of another document must say much more,
    about something that is already spoken of, and say it in words."""
    if is_of_file(candidate) and is_of_file(first):
        return candidate.worth >= first.worth - _AS_GOOD
    if gain < _GAIN or candidate.worth < first.worth / 2 or candidate.wordless:
        return False
    if candidate.evidence.document_id == first.evidence.document_id:
        return True
    shared = (candidate.own | candidate.above) & covered
    return gain >= _ELSEWHERE and bool(shared)


def _over(one: Candidate, other: Candidate) -> bool:
    """Whether two windows of one passage share a line."""
    if one.evidence.id != other.evidence.id or one.lines is None or other.lines is None:
        return False
    return one.lines[0] <= other.lines[1] and other.lines[0] <= one.lines[1]


def _choice(candidate: Candidate, found: Sequence[Candidate], asked: Asked) -> Choice:
    """With every passage that says the very same."""
    also = [c.evidence for c in found if _same(c.text, candidate.text)]
    evidence = {e.id: e for e in (candidate.evidence, *also)}
    text = _led(candidate, where=asked.answer_type in PLACES)
    sources = tuple(evidence.values())[:_MOST]
    return Choice(text, sources, candidate.similarity, candidate.worth, candidate.text)


def _led(candidate: Candidate, *, where: bool) -> str:
    """The text, after what it needs to be understood: what a pronoun stands for, a release, what
    code or a description stands in."""
    text, title = candidate.text, plain(candidate.evidence.title, limit=90)
    dependent = text.lower().startswith(_PRONOUNS) or candidate.evidence.role == "changelog"
    if dependent and title and not title.endswith("…"):
        return f"{title}: {text}"
    if around := _around(candidate, where=where):
        return f"In {around}:{chr(10) if candidate.lines else ' '}{text}"
    if candidate.lines is None or candidate.evidence.is_code:
        return text
    _, within, name = candidate.evidence.title.rpartition(" › ")
    name = name.strip("`")
    described = within and looks_like_identifier(name) and name not in text
    return f"`{name}`: {text}" if described else text


def _around(candidate: Candidate, *, where: bool) -> str:
    """What a window of code stands in, where the window does not say so itself; the file too of
    what stands in no documentation, where that is asked for."""
    each, places = candidate.evidence, list[str]()
    if candidate.lines is not None and each.is_code:
        _, within, titled = each.title.rpartition(" › ")
        symbol = titled.partition("(")[0].strip().strip("`") if within else ""
        if symbol and symbol.rpartition(".")[2] not in candidate.text:
            places.append(code_span(symbol))
    if where and each.role in _PLACED and each.path not in candidate.text:
        places.append(code_span(each.path))
    return " of ".join(places)


def _same(one: str, other: str) -> bool:
    return name_key(one) == name_key(other)
