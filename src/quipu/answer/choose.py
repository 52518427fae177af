"""Chooses the windows and sentences of the evidence that answer a question.

Of a file whole windows are quoted (`windows`), of a note or a turn its sentences. The worth of
each is

    cosine with the question (with an embedder) + 0.8 · similarity + 0.3 · own + 0.4 · with
    + 0.26 · lexical + 0.1 · ln(characters) + its role

`own` is the share of the question that stands in it, `with` in it or its title, both weighed by how
rare the stems are among what is chosen from; `similarity` (0.6 at least: it is relative to the
other passages found) and `lexical` are those parts of its passage's score. Cosines are read off
stored vectors where there are any of its own (`nearness`); of the first three those are embedded
that may overtake the first. It is ± 0.38 where a kind of thing is asked for that a text shows
(`kinds`), less when it has fewer than five words, is a question itself, or is code that nothing
documents; more where a reason is asked for and it gives one, or a decision record does; 0.4 · the
share of its section's heading that the question says, and 0.1 where it shows code, where it asks
how something is done; 0.15 where a list is asked for and it enumerates. The weights were compared
on repositories with questions: whether the windows that are quoted answer
(`docs/reference/confidence.md`).

A passage that holds nothing of what the question is about is passed over, unless a name led to
it, it took the place of one that does, or its meaning is near. A second sentence must say more of
the question about the same thing; a second window must be worth nearly as much as the first.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import KIND_WORDS, holds
from quipu.answer.code_lines import documented, settings
from quipu.answer.gate import Evidence, words_of
from quipu.answer.intent import Asked, wants
from quipu.answer.nearness import Nearness
from quipu.answer.quote import Unit, code_lead, defined, plain, units
from quipu.answer.roles import PLACES, fit_of, is_release_asked_for
from quipu.answer.windows import MOST, MOST_OF_LIST, quoted, telling, windows
from quipu.text import (
    looks_like_identifier,
    name_key,
    split_identifier,
    stems,
    stems_in_parts,
)

__all__ = ["ALONE", "VALUES", "Choice", "choose"]

_PASSAGES = 10
_UNITS = 400
_EMBEDDED, _CLOSE = 3, 0.1
_BRIEF = 5
_MOST = 3
_GAIN = 0.12
_NEAR = 0.35
_SAME_MEANING = 0.5
_OWN, _WITH, _LEXICAL, _LENGTH, _KIND = 0.3, 0.4, 0.26, 0.1, 0.38
_SIMILARITY, _FAR = 0.8, 0.6
_AS_GOOD = 0.9
_GIVEN = 0.25
_FITS = 0.4
_TITLED, _SHOWN, _ENUMERATES = 0.4, 0.1, 0.15
_EXACT = 0.6
_NAMED = frozenset({"class", "function", "default", "number"})
ALONE = frozenset({"class", "function", "default"})
VALUES = frozenset({"default", "number", "version", "licence", "variable", "money"})
_ELSEWHERE = 0.2
_LINE_END = re.compile("\n")
_ITEM = r"\s*(?:[-*+•|]|\d{1,3}[.)]).*"
_ENUMERATION = re.compile(
    rf"(?m:^){_ITEM}\n{_ITEM}\n{_ITEM}|(?:[\w.`'\"@/-]+(?: [\w.`'\"@/()-]+){{0,3}},\s+){{2,}}"
)
"""Three items of a list or rows of a table, or as many things between commas."""
_PRONOUNS = ("he ", "she ", "it ", "they ", "his ", "her ", "its ", "their ", "this ", "these ")


class Choice(NamedTuple):
    """A sentence or window without marks and where it stands; `quoted` is its text without what
    leads to it, `similarity` its cosine with the question, None without an embedder, `worth` what
    it was chosen by."""

    text: str
    evidence: tuple[Evidence, ...]
    similarity: float | None
    worth: float
    quoted: str


class _Candidate(NamedTuple):
    """`place` is the rank of its passage and where it begins there, in characters, `end` where it
    ends; a window's `lines` are the first and the last that it takes."""

    text: str
    place: tuple[int, int]
    evidence: Evidence
    own: frozenset[str]
    above: frozenset[str]
    on_subject: bool = True
    wordless: bool = False
    name: str = ""
    heading: bool = False
    worth: float = 0.0
    similarity: float | None = None
    lines: tuple[int, int] | None = None
    end: int = 0


def choose(
    asked: Asked,
    evidence: Sequence[Evidence],
    nearness: Nearness | None,
    *,
    decisions: frozenset[str] = frozenset(),
) -> list[Choice]:
    """At most three sentences, the best first; none when nothing touches the question.

    `decisions` are the documents that record a decision, for a question that asks for a reason.
    """
    question = frozenset(asked.stems)
    found = [
        candidate
        for rank, each in enumerate(evidence[:_PASSAGES])
        for candidate in _candidates(each, rank, question, asked)
    ][:_UNITS]
    if any(not c.heading and c.on_subject and _gives(asked, c.text) and c.own for c in found):
        found = [c for c in found if not c.heading]
    weights = _weights(question, found)
    scored = [c._replace(worth=_worth(c, weights, asked, decisions)) for c in found]
    ordered = sorted(scored, key=lambda c: (-c.worth, c.place, c.evidence.id))
    if nearness is not None:
        ordered = _nearest_first(ordered, nearness)
    else:
        ordered = [c for c in ordered if (c.on_subject and c.own | c.above) or c.evidence.current]
    return [_choice(c, found, asked) for c in _picked(_alone(ordered, asked), weights)]


def _alone(ordered: Sequence[_Candidate], asked: Asked) -> list[_Candidate]:
    """What may be said beside the first: of things only such as it is, of releases no other."""
    if not ordered:
        return []
    first = ordered[0]
    if is_release_asked_for(first.evidence, asked, first.text):
        return [c for c in ordered if c.evidence.title == first.evidence.title]
    if asked.kind in ALONE and _gives(asked, first.text):
        return [c for c in ordered if _gives(asked, c.text)]
    return list(ordered)


def _candidates(
    each: Evidence, rank: int, question: frozenset[str], asked: Asked
) -> list[_Candidate]:
    above = frozenset(stems(each.title)) & question
    words = words_of(each)
    on_subject = not asked.subject or each.bridged or bool(words & set(asked.subject))
    found = [
        _Candidate(
            text, (rank, start), each, own & question, above, on_subject, lines=lines, end=end
        )
        for start, end, text, own, lines in _of_windows(
            each, MOST_OF_LIST if asked.several else MOST
        )
    ]
    if each.is_code:
        return found + [
            _Candidate(text, (rank, start), each, own & question, held, on_subject, wordless, name)
            for start, text, own, held, wordless, name in _of_code(each, words, above, asked)
        ]
    read = units(each.text)
    if found:
        read = [unit for unit in read if unit.kind == "front"]
    for at, unit in enumerate(read):
        text = unit.text
        if unit.kind == "code" or (unit.kind == "heading" and not _gives(asked, text)):
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
        found.append(
            _Candidate(text, place, each, own, above, on_subject, heading=heading, end=end)
        )
    return found


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
    held: dict[int, frozenset[str]] = {}
    for window in windows(each.text, code=each.is_code, most=most):
        first, last = window.first, window.last
        if text := quoted(each.text, window, code=each.is_code, title=each.title):
            for at, line in enumerate(window.text.split("\n"), first):
                if at not in held:
                    heads = not each.is_code and line.startswith("#")  # is not quoted
                    held[at] = frozenset[str]() if heads else frozenset(stems_in_parts(line))
            own = frozenset[str]().union(*(held[at] for at in range(first, last + 1)))
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
    of = plain(each.title.partition("(")[0]).replace("`", "'")
    within = (words & set(asked.stems)) | above
    for start, name, line in settings(each.text):
        own = frozenset(stems(f"{line} {' '.join(split_identifier(name))}"))
        fits = asked.answer_type == "manner" and "_" in name and _said_by(name, asked) >= _FITS
        valued = asked.kind in VALUES and "(" not in line and _gives(asked, f"`{line}`")
        if name in named or fits or (valued and own & set(asked.subject)):
            said = f"`{line}` in `{of}`" if of else f"`{line}`"
            yield start + 1, plain(said), own, within, False, name
    for start, sentence in documented(each.text) if asked.kind else ():
        own = frozenset(stems(sentence))
        if _gives(asked, sentence) and own & set(asked.subject):
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


def _is_compound(candidate: _Candidate) -> bool:
    """Whether the name of what a passage defines has several parts: `redacted` may only be the
    word that the question is made of, `redact_values` is what it asks for."""
    symbol = candidate.evidence.title.rpartition("›")[2].partition("(")[0].strip()
    return max(len(split_identifier(name)) for name in (candidate.name, symbol)) > 1


def _is_of_named(each: Evidence, asked: Asked) -> bool:
    """Whether a passage is the definition of what the question names."""
    symbol = each.title.rpartition("›")[2].partition("(")[0].strip().removesuffix(".__init__")
    return symbol in asked.names or symbol.rpartition(".")[2] in asked.names


def _is_titled(each: Evidence, asked: Asked) -> float:
    """How much of a section's heading the question says: one that says more is of another thing."""
    heading = set(stems(each.title.rpartition("›")[2]))
    return len(heading & set(asked.stems)) / len(heading) if heading else 0.0


def _gives(asked: Asked, text: str) -> bool:
    return asked.kind is not None and holds(asked.kind, text, asked.text)


def _given(asked: Asked, candidate: _Candidate) -> bool:
    """Whether a candidate gives what is asked for, itself or as what a release brought."""
    of = is_release_asked_for(candidate.evidence, asked, candidate.text)
    return of or _gives(asked, candidate.text)


def _code_text(each: Evidence, asked: Asked) -> tuple[str, bool]:
    """What introduces a passage of code, and whether that is no more than where it stands."""
    path = each.path.replace("`", "'")
    signature, documentation = code_lead(each.text, asked.subject)
    if signature and documentation:
        return f"`{signature}`: {documentation}", False
    if signature:
        return plain(f"`{signature}` is in `{path}`"), True
    lines = telling(each.text.split("\n"))
    first = next((line.strip() for line in lines if line.strip()), "")
    return (plain(f"`{first.replace('`', chr(39))}` is in `{path}`") if first else ""), True


def _weights(question: frozenset[str], found: Sequence[_Candidate]) -> dict[str, float]:
    counts = {stem: sum(stem in c.own for c in found) for stem in sorted(question)}
    return {stem: math.log(1 + (1 + len(found)) / (1 + n)) for stem, n in counts.items()}


def _worth(
    candidate: _Candidate,
    weights: dict[str, float],
    asked: Asked,
    decisions: frozenset[str],
) -> float:
    total = math.fsum(weights.values())
    given = _given(asked, candidate)
    said = candidate.own | (KIND_WORDS & weights.keys() if given else frozenset[str]())
    own = math.fsum(weights[s] for s in sorted(said))
    both = math.fsum(weights[s] for s in sorted(said | candidate.above))
    coverage = (_OWN * own + _WITH * both) / total if total else 0.0
    each = candidate.evidence
    passage = _SIMILARITY * max(each.similarity or 0.0, _FAR) + _LEXICAL * each.lexical
    passage += fit_of(each, asked)
    long = _LENGTH * math.log(max(len(candidate.text), 1))
    is_of_type = wants(asked.answer_type, candidate.text)
    hint = 0.15 if is_of_type and candidate.own | candidate.above else 0.0
    if asked.answer_type == "reason":
        hint = 2 * hint + (0.4 if candidate.evidence.document_id in decisions else 0.0)
    if asked.kind is not None:
        hint = _KIND if given else -_KIND
    named = asked.kind in _NAMED and (given or asked.kind != "default")
    if named or (asked.answer_type == "manner" and _is_compound(candidate)):
        much = 4 if asked.kind == "default" else 2
        hint += much * _GIVEN * _said_by(candidate.name, asked)
        hint += _GIVEN * _is_of_named(candidate.evidence, asked)
        hint += _EXACT if candidate.name and candidate.name in asked.names else 0.0
    elif not each.is_code:
        hint += _GIVEN * _is_of_named(each, asked)
    if asked.answer_type == "manner" and not each.is_code:
        hint += _TITLED * _is_titled(each, asked) + _SHOWN * ("```" in candidate.text)
    if asked.several and _ENUMERATION.search(candidate.text):
        hint += _ENUMERATES
    brief = 0.2 if len(candidate.text.split()) < _BRIEF else 0.0
    brief = max(brief, 0.15 if candidate.wordless else 0.0)
    asks = 0.3 if candidate.text.endswith("?") else 0.0
    return coverage + passage + long + hint - brief - asks


def _nearest_first(ordered: Sequence[_Candidate], nearness: Nearness) -> list[_Candidate]:
    """With their cosines to the question, the best first; of what comes first that is embedded
    for which no vector of its own is stored. What is near neither in words nor in meaning is
    dropped."""
    found = [(c, nearness.of(c.evidence.id, c.place[1], c.end)) for c in ordered]
    own = {i for i, (_, near) in enumerate(found) if near is not None and near.own}
    weighed = [_weighed(c, near.cosine if near else 0.0) for c, near in found]
    first = sorted(range(len(weighed)), key=lambda i: _best_first(weighed[i]))[:_EMBEDDED]
    bare = [
        i for i in first if i not in own and weighed[i].worth >= weighed[first[0]].worth - _CLOSE
    ]
    for i, cosine in zip(bare, nearness.embedded([ordered[i].text for i in bare]), strict=True):
        weighed[i] = _weighed(ordered[i], cosine)
    return sorted((c for c in weighed if _is_near(c)), key=_best_first)


def _weighed(candidate: _Candidate, cosine: float) -> _Candidate:
    return candidate._replace(worth=candidate.worth + max(cosine, 0.0), similarity=cosine)


def _is_near(candidate: _Candidate) -> bool:
    cosine = candidate.similarity or 0.0
    held = candidate.own or candidate.above or cosine >= _NEAR
    return (
        (candidate.on_subject and bool(held))
        or cosine >= _SAME_MEANING
        or candidate.evidence.current
    )


def _best_first(candidate: _Candidate) -> tuple[float, tuple[int, int], str]:
    return -round(candidate.worth, 6), candidate.place, candidate.evidence.id


def _picked(ordered: Sequence[_Candidate], weights: dict[str, float]) -> list[_Candidate]:
    """The best, then those that bring enough of the question that is not covered yet."""
    total = math.fsum(weights.values())
    picked: list[_Candidate] = []
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


def _adds(candidate: _Candidate, first: _Candidate, gain: float, covered: frozenset[str]) -> bool:
    """Whether a sentence says more of the question. One of another document must say much more,
    about something that is already spoken of, and say it in words."""
    if candidate.lines is not None and first.lines is not None:
        return candidate.worth >= _AS_GOOD * first.worth
    if gain < _GAIN or candidate.worth < first.worth / 2 or candidate.wordless:
        return False
    if candidate.evidence.document_id == first.evidence.document_id:
        return True
    shared = (candidate.own | candidate.above) & covered
    return gain >= _ELSEWHERE and bool(shared)


def _over(one: _Candidate, other: _Candidate) -> bool:
    """Whether two windows of one passage share a line."""
    if one.evidence.id != other.evidence.id or one.lines is None or other.lines is None:
        return False
    return one.lines[0] <= other.lines[1] and other.lines[0] <= one.lines[1]


def _choice(candidate: _Candidate, found: Sequence[_Candidate], asked: Asked) -> Choice:
    """With every passage that says the very same."""
    also = [c.evidence for c in found if _same(c.text, candidate.text)]
    evidence = {e.id: e for e in (candidate.evidence, *also)}
    text = _led(candidate, where=asked.answer_type in PLACES)
    sources = tuple(evidence.values())[:_MOST]
    return Choice(text, sources, candidate.similarity, candidate.worth, candidate.text)


def _led(candidate: _Candidate, *, where: bool) -> str:
    """The text, after what it needs to be understood: what a pronoun stands for, a release, what
    code or a description stands in."""
    text, title = candidate.text, plain(candidate.evidence.title, limit=90)
    told = text.lower().startswith(_PRONOUNS) or candidate.evidence.role == "changelog"
    if told and title and not title.endswith("…"):
        return f"{title}: {text}"
    if around := _around(candidate, where=where):
        return f"In {around}:\n{text}"
    if candidate.lines is None or candidate.evidence.is_code:
        return text
    _, within, name = candidate.evidence.title.rpartition(" › ")
    name = name.strip("`")
    described = within and looks_like_identifier(name) and name not in text
    return f"`{name}`: {text}" if described else text


def _around(candidate: _Candidate, *, where: bool) -> str:
    """What a window of code stands in, where the window does not say so itself; its file too where
    that is asked for."""
    if candidate.lines is None or not candidate.evidence.is_code:
        return ""
    _, within, titled = candidate.evidence.title.rpartition(" › ")
    symbol = titled.partition("(")[0].strip().replace("`", "'") if within else ""
    told = [f"`{symbol}`"] if symbol and symbol.rpartition(".")[2] not in candidate.text else []
    if where:
        told.append(f"`{candidate.evidence.path.replace('`', chr(39))}`")
    return " of ".join(told)


def _same(one: str, other: str) -> bool:
    return name_key(one) == name_key(other)
