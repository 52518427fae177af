"""Chooses the sentences of the evidence that answer a question.

A sentence's worth = coverage + 0.5 · score of its passage + 0.5 · cosine (with an embedder)
+ 0.15 when it holds the sort of answer asked for (± 0.25 where a kind of thing is asked for that
a text shows, `kinds`) - 0.2 when it has fewer than five words, - 0.3 when it is a question itself,
- 0.15 when it is code that nothing documents.
Coverage weighs the question's stems by how rare they are among the sentences; stems of the
passage's title count half. Where a reason is asked for, a sentence that gives one is worth 0.15
more again, and one of a decision record 0.4 more.

A passage that holds nothing of what the question is about is passed over, unless a name led to
it, it took the place of one that does, or its meaning is near. A second sentence must say more of
the question about the same thing.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from quipu.answer.answer_type import KIND_WORDS, holds
from quipu.answer.code_lines import documented, settings
from quipu.answer.gate import Evidence, words_of
from quipu.answer.intent import Asked, wants
from quipu.answer.quote import code_lead, defined, plain, units
from quipu.ports import Embedder
from quipu.text import looks_like_identifier, name_key, split_identifier, stems

__all__ = ["ALONE", "Choice", "choose"]

_PASSAGES = 6
_UNITS = 400
_EMBEDDED = 8
_BRIEF = 5
_MOST = 3
_GAIN = 0.12
_NEAR = 0.35
_SAME_MEANING = 0.5
_GIVEN = 0.25
_FITS = 0.4
_NAMED = frozenset({"class", "function", "default", "number"})
ALONE = frozenset({"class", "function", "default"})
_VALUES = frozenset({"default", "number", "version", "licence", "variable", "money"})
_ELSEWHERE = 0.2
_PRONOUNS = ("he ", "she ", "it ", "they ", "his ", "her ", "its ", "their ", "this ", "these ")


class Choice(NamedTuple):
    """A sentence without marks and where it stands; `similarity` is its cosine with the question,
    None without an embedder."""

    text: str
    evidence: tuple[Evidence, ...]
    similarity: float | None


class _Candidate(NamedTuple):
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


def choose(
    asked: Asked,
    evidence: Sequence[Evidence],
    embedder: Embedder | None,
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
    if embedder is not None and ordered:
        ordered = _nearest_first(asked.text, ordered, embedder)
    else:
        ordered = [c for c in ordered if (c.on_subject and c.own | c.above) or c.evidence.current]
    if asked.kind in ALONE and ordered and _gives(asked, ordered[0].text):
        ordered = [c for c in ordered if _gives(asked, c.text)]
    return [_choice(c, found) for c in _picked(ordered, weights)]


def _candidates(
    each: Evidence, rank: int, question: frozenset[str], asked: Asked
) -> list[_Candidate]:
    above = frozenset(stems(each.title)) & question
    words = words_of(each)
    on_subject = not asked.subject or each.bridged or bool(words & set(asked.subject))
    if each.is_code:
        return [
            _Candidate(text, (rank, start), each, own & question, held, on_subject, wordless, name)
            for start, text, own, held, wordless, name in _of_code(each, words, above, asked)
        ]
    read = units(each.text)
    found: list[_Candidate] = []
    for at, unit in enumerate(read):
        text = unit.text
        if unit.kind == "code" or (unit.kind == "heading" and not _gives(asked, text)):
            continue
        if text.endswith(":") and at + 1 < len(read) and read[at + 1].kind != "heading":
            text = plain(f"{text} {read[at + 1].text}")
        own = frozenset(stems(text)) & question
        if unit.kind == "front" and not own & frozenset(stems(text.partition(":")[0])):
            continue
        place, heading = (rank, unit.start), unit.kind == "heading"
        found.append(_Candidate(text, place, each, own, above, on_subject, heading=heading))
    return found


def _of_code(
    each: Evidence, words: frozenset[str], above: frozenset[str], asked: Asked
) -> Iterator[tuple[int, str, frozenset[str], frozenset[str], bool, str]]:
    """(place, text, its stems, those above it, whether it only says a place, the name defined)
    of what code says: its documented signature, and single lines of it where such are asked for.
    """
    text, wordless = _code_text(each)
    if text:
        yield 0, text, words, above, wordless, defined(text)
    code = [n for n in asked.names if looks_like_identifier(n) and not n.isalpha()]
    named = {n.rpartition(".")[2] for n in code if asked.kind not in ALONE}
    of = plain(each.title).replace("`", "'")
    within = (words & set(asked.stems)) | above
    for start, name, line in settings(each.text):
        own = frozenset(stems(f"{line} {' '.join(split_identifier(name))}"))
        fits = asked.wanted == "manner" and "_" in name and _said_by(name, asked) >= _FITS
        valued = asked.kind in _VALUES and "(" not in line and _gives(asked, f"`{line}`")
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


def _gives(asked: Asked, text: str) -> bool:
    return asked.kind is not None and holds(asked.kind, text, asked.text)


def _code_text(each: Evidence) -> tuple[str, bool]:
    """What introduces a passage of code, and whether that is no more than where it stands."""
    path = each.path.replace("`", "'")
    signature, documentation = code_lead(each.text)
    if signature and documentation:
        return f"`{signature}`: {documentation}", False
    if signature:
        return plain(f"`{signature}` is in `{path}`"), True
    first = next((line.strip() for line in each.text.split("\n") if line.strip()), "")
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
    given = _gives(asked, candidate.text)
    said = candidate.own | (KIND_WORDS & weights.keys() if given else frozenset[str]())
    own = math.fsum(weights[s] for s in sorted(said))
    above = math.fsum(weights[s] for s in sorted(candidate.above - said))
    coverage = (own + above / 2) / total if total else 0.0
    hint = 0.15 if wants(asked.wanted, candidate.text) and candidate.own | candidate.above else 0.0
    if asked.wanted == "reason":
        hint = 2 * hint + (0.4 if candidate.evidence.document_id in decisions else 0.0)
    if asked.kind is not None:
        hint = _GIVEN if given else -_GIVEN
    if asked.kind in _NAMED or (asked.wanted == "manner" and _is_compound(candidate)):
        much = 4 if asked.kind == "default" else 2
        hint += much * _GIVEN * _said_by(candidate.name, asked)
        hint += _GIVEN * _is_of_named(candidate.evidence, asked)
    brief = 0.2 if len(candidate.text.split()) < _BRIEF else 0.0
    brief = max(brief, 0.15 if candidate.wordless else 0.0)
    asks = 0.3 if candidate.text.endswith("?") else 0.0
    return coverage + 0.5 * (candidate.evidence.score or 0.0) + hint - brief - asks


def _nearest_first(
    question: str, ordered: Sequence[_Candidate], embedder: Embedder
) -> list[_Candidate]:
    """The best by words, ordered anew with their cosines; what is near in neither is dropped."""
    head = ordered[:_EMBEDDED]
    rows = embedder.embed([question, *(c.text for c in head)])
    cosines = (rows[1:].astype(np.float64) * rows[0]).sum(axis=1)
    near = [
        c._replace(worth=c.worth + 0.5 * max(float(cosine), 0.0), similarity=float(cosine))
        for c, cosine in zip(head, cosines, strict=True)
        if (c.on_subject and (c.own or c.above or cosine >= _NEAR))
        or cosine >= _SAME_MEANING
        or c.evidence.current
    ]
    return sorted(near, key=lambda c: (-round(c.worth, 6), c.place, c.evidence.id))


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
        if any(_same(candidate.text, other.text) for other in picked):
            continue
        picked.append(candidate)
        covered |= candidate.own | candidate.above
        if len(picked) == _MOST:
            break
    return picked


def _adds(candidate: _Candidate, first: _Candidate, gain: float, covered: frozenset[str]) -> bool:
    """Whether a sentence says more of the question. One of another document must say much more,
    about something that is already spoken of, and say it in words."""
    if gain < _GAIN or candidate.worth < first.worth / 2 or candidate.wordless:
        return False
    if candidate.evidence.document_id == first.evidence.document_id:
        return True
    shared = (candidate.own | candidate.above) & covered
    return gain >= _ELSEWHERE and bool(shared)


def _choice(candidate: _Candidate, found: Sequence[_Candidate]) -> Choice:
    """With every passage that says the very same."""
    also = [c.evidence for c in found if _same(c.text, candidate.text)]
    evidence = {e.id: e for e in (candidate.evidence, *also)}
    text = candidate.text
    title = plain(candidate.evidence.title, limit=90)
    if text.lower().startswith(_PRONOUNS) and title and not title.endswith("…"):
        text = f"{title}: {text}"
    return Choice(text, tuple(evidence.values())[:_MOST], candidate.similarity)


def _same(one: str, other: str) -> bool:
    return name_key(one) == name_key(other)
