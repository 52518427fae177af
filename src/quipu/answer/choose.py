"""Chooses the sentences of the evidence that answer a question.

A sentence's worth = coverage + 0.5 · score of its passage + 0.5 · cosine (with an embedder)
+ 0.15 when it holds the kind of thing asked for - 0.2 when it has fewer than five words,
- 0.15 when it is code that nothing documents.
Coverage weighs the question's stems by how rare they are among the sentences; stems of the
passage's title count half. Where a reason is asked for, a sentence that gives one is worth 0.15
more again, and one of a decision record 0.4 more.

A passage that holds nothing of what the question is about is passed over, unless a name led to
it or its meaning is near. A second sentence must say more of the question about the same thing.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quipu.answer.gate import Evidence, words_of
from quipu.answer.quote import code_lead, plain, units
from quipu.answer.wanted import Asked, wants
from quipu.ports import Embedder
from quipu.text import name_key, stems

__all__ = ["Choice", "choose"]

_PASSAGES = 6
_UNITS = 400
_EMBEDDED = 8
_BRIEF = 5
_MOST = 3
_GAIN = 0.12
_NEAR = 0.35
_SAME_MEANING = 0.5
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
        for candidate in _candidates(each, rank, question, frozenset(asked.subject))
    ][:_UNITS]
    weights = _weights(question, found)
    scored = [c._replace(worth=_worth(c, weights, asked, decisions)) for c in found]
    ordered = sorted(scored, key=lambda c: (-c.worth, c.place, c.evidence.id))
    if embedder is not None and ordered:
        ordered = _nearest_first(asked.text, ordered, embedder)
    else:
        ordered = [c for c in ordered if c.on_subject and c.own | c.above]
    return [_choice(c, found) for c in _picked(ordered, weights)]


def _candidates(
    each: Evidence, rank: int, question: frozenset[str], subject: frozenset[str]
) -> list[_Candidate]:
    above = frozenset(stems(each.title)) & question
    words = words_of(each)
    on_subject = not subject or each.bridged or bool(words & subject)
    if each.is_code:
        text = _code_text(each)
        return [_Candidate(text, (rank, 0), each, words & question, above, on_subject)][
            : bool(text)
        ]
    read = units(each.text)
    found: list[_Candidate] = []
    for at, unit in enumerate(read):
        if unit.kind in {"heading", "code"}:
            continue
        text = unit.text
        if text.endswith(":") and at + 1 < len(read) and read[at + 1].kind != "heading":
            text = plain(f"{text} {read[at + 1].text}")
        own = frozenset(stems(text)) & question
        if unit.kind == "front" and not own & frozenset(stems(text.partition(":")[0])):
            continue
        found.append(_Candidate(text, (rank, unit.start), each, own, above, on_subject))
    return found


def _code_text(each: Evidence) -> str:
    signature, documentation = code_lead(each.text)
    if signature and documentation:
        return f"`{signature}`: {documentation}"
    if signature:
        return f"`{signature}` is in {each.path}"
    first = next((line.strip() for line in each.text.split("\n") if line.strip()), "")
    return plain(f"`{first.replace('`', chr(39))}` is in {each.path}") if first else ""


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
    own = math.fsum(weights[s] for s in sorted(candidate.own))
    above = math.fsum(weights[s] for s in sorted(candidate.above - candidate.own))
    coverage = (own + above / 2) / total if total else 0.0
    hint = 0.15 if wants(asked.wanted, candidate.text) and candidate.own | candidate.above else 0.0
    if asked.wanted == "reason":
        hint = 2 * hint + (0.4 if candidate.evidence.document_id in decisions else 0.0)
    brief = 0.2 if len(candidate.text.split()) < _BRIEF else 0.0
    brief = max(brief, 0.15 if _is_wordless(candidate) else 0.0)
    return coverage + 0.5 * (candidate.evidence.score or 0.0) + hint - brief


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
        if (c.on_subject and (c.own or c.above or cosine >= _NEAR)) or cosine >= _SAME_MEANING
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
    if gain < _GAIN or candidate.worth < first.worth / 2 or _is_wordless(candidate):
        return False
    if candidate.evidence.document_id == first.evidence.document_id:
        return True
    shared = (candidate.own | candidate.above) & covered
    return gain >= _ELSEWHERE and bool(shared)


def _is_wordless(candidate: _Candidate) -> bool:
    """Whether it is code without documentation, of which only the place can be said."""
    return candidate.text.endswith(f" is in {candidate.evidence.path}")


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
