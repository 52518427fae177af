"""What a window or a sentence is worth as an answer.

Of files: Σ weight · input over `WEIGHTS`, fitted to which windows answer on questions about
repositories (a softmax over the candidates of a question); of notes and turns, where the same says
little,

    cosine with the question (with an embedder) + 0.8 · similarity + 0.3 · own + 0.4 · said
    + 0.26 · lexical + 0.1 · ln(characters)

and 0.15 where it holds the kind of answer that is asked for, ± 0.38 where a kind of thing is asked
for that a text shows (`answer_type`), less when it has fewer than five words or is a question
itself, more where a reason is asked for and a decision record gives it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from quipu.answer.answer_type import KIND_WORDS, holds
from quipu.answer.contradiction import numbers_in
from quipu.answer.gate import Evidence
from quipu.answer.intent import Asked, wants
from quipu.answer.roles import PLACES, fit_of, is_release_asked_for
from quipu.text import stems

__all__ = [
    "WEIGHTS",
    "Candidate",
    "Weighing",
    "gives",
    "is_of_file",
    "is_of_named",
    "weigh",
    "worth",
]

WEIGHTS: Mapping[str, float] = {
    "said": 1.1,
    "cosine": 0.55,
    "similarity": 0.4,
    "lexical": 0.23,
    "role": 0.66,
    "length": 0.24,
    "given": 0.43,
    "typed": 0.38,
    "enumerates": 0.16,
    "shown": 0.14,
    "titled": 0.4,
    "named": 0.29,
    "decided": 0.4,
    "wordless": -0.25,
    "uncounted": -0.18,
    "asks": -0.17,
}
"""Of what is quoted from files, by input:

- `said`: the share of the question that it or its title says, its stems weighed by how rare they
  are among what is chosen from; `cosine`: with the question
- `similarity` (0.6 at least: it is relative to the other passages found) and `lexical`: those parts
  of its passage's score; `role`: what its file's role is worth to the question (`roles`)
- `length`: ln(characters), of 80 at least, and 300 where it shows how: commands are short
- `given`: it names a thing of the kind that is asked for; `typed`: it holds the kind of answer
- `enumerates`: three items, or as many things between commas, unless it is to show how
- `shown`, `titled`: where it asks how something is done, documentation that shows code, and the
  share of its heading that the question says
- `named`: its passage defines what the question names
- `decided`: a reason is asked for, and it stands in the record of a decision
- `wordless`: code that nothing documents; `asks`: it is a question itself
- `uncounted`: the share of the question's numbers that it lacks

`titled` and `decided` are set by hand."""

_OWN, _SAID, _SIMILARITY, _LEXICAL, _LENGTH, _KIND = 0.3, 0.4, 0.8, 0.26, 0.1, 0.38
_TYPED, _BRIEFLY, _ASKS, _DECIDED = 0.15, 0.2, 0.3, 0.4
"""Of the sentences of notes and turns."""
_BRIEF = 5
_FAR, _SHORT, _SHOWN = 0.6, 80, 300
_ITEM = r"[^\S\n]*+(?:[-*+•|]|\d{1,3}[.)]).*"
_THING = r"[\w.`'\"@/-]++(?: [\w.`'\"@/()-]++){0,3},\s+"
_ENUMERATION = re.compile(
    rf"(?m:^){_ITEM}\n\s*?{_ITEM}\n\s*?{_ITEM}|(?<![\w.`'\"@/-]){_THING}{_THING}"
)
"""Three items of a list or rows of a table, or as many things between commas."""


class Candidate(NamedTuple):
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


class Weighing(NamedTuple):
    """What candidates are weighed for: the question, how rare each of its stems is among them, the
    numbers in it, and the documents that record a decision."""

    asked: Asked
    stems: dict[str, float]
    numbers: frozenset[str]
    decisions: frozenset[str]

    @classmethod
    def of(cls, asked: Asked, found: Sequence[Candidate], decisions: frozenset[str]) -> "Weighing":
        """For the candidates in `found`."""
        counts = {stem: sum(stem in c.own for c in found) for stem in sorted(set(asked.stems))}
        rare = {stem: math.log(1 + (1 + len(found)) / (1 + n)) for stem, n in counts.items()}
        return cls(asked, rare, numbers_in(asked.text), decisions)

    def share(self, said: frozenset[str]) -> float:
        """The share of the question that the stems `said` are."""
        total = math.fsum(self.stems.values())
        return math.fsum(self.stems[s] for s in sorted(said)) / total if total else 0.0

    def is_decided(self, each: Evidence) -> bool:
        """Whether a reason is asked for and a passage is of a record of a decision."""
        return self.asked.answer_type == "reason" and each.document_id in self.decisions


def worth(candidate: Candidate, weighing: Weighing) -> float:
    """What a candidate is worth, but for its cosine."""
    if is_of_file(candidate):
        inputs = weigh(candidate, weighing)
        return math.fsum(WEIGHTS[name] * value for name, value in inputs.items())
    return _of_note(candidate, weighing)


def is_of_file(candidate: Candidate) -> bool:
    """Whether `WEIGHTS` hold for it."""
    return candidate.evidence.role != "other"


def weigh(candidate: Candidate, weighing: Weighing) -> dict[str, float]:
    """The inputs of `WEIGHTS` for a candidate of a file, but for its cosine."""
    each, text, asked = candidate.evidence, candidate.text, weighing.asked
    given = _is_given(asked, candidate)
    said = _said(candidate, weighing, given=given)
    touched = bool(candidate.own | candidate.above)
    typed = asked.answer_type not in PLACES and wants(asked.answer_type, text)
    how = asked.answer_type == "manner" and not each.is_code
    shown = how and "```" in text
    lacked = weighing.numbers - numbers_in(text) if weighing.numbers else frozenset[str]()
    return {
        "said": weighing.share(said | candidate.above),
        "similarity": max(each.similarity or 0.0, _FAR),
        "lexical": each.lexical,
        "role": fit_of(each, asked),
        "length": math.log(max(len(text), _SHOWN if shown else _SHORT)),
        "given": float(given and asked.kind is not None),
        "typed": float(typed and touched),
        "enumerates": float(not how and _ENUMERATION.search(text) is not None),
        "shown": float(shown),
        "titled": _is_titled(each, asked) if how else 0.0,
        "named": float(is_of_named(each, asked)),
        "decided": float(weighing.is_decided(each)),
        "wordless": float(candidate.wordless),
        "uncounted": len(lacked) / len(weighing.numbers) if weighing.numbers else 0.0,
        "asks": float(text.endswith("?")),
    }


def _said(candidate: Candidate, weighing: Weighing, *, given: bool) -> frozenset[str]:
    """The stems of the question that it says: what gives a thing of some kind need not name it."""
    return candidate.own | (KIND_WORDS & weighing.stems.keys() if given else frozenset[str]())


def _of_note(candidate: Candidate, weighing: Weighing) -> float:
    each, text, asked = candidate.evidence, candidate.text, weighing.asked
    given = _is_given(asked, candidate)
    said = _said(candidate, weighing, given=given)
    own, both = weighing.share(said), weighing.share(said | candidate.above)
    passage = _OWN * own + _SAID * both
    passage += _SIMILARITY * max(each.similarity or 0.0, _FAR) + _LEXICAL * each.lexical
    passage += fit_of(each, asked)
    touched = bool(candidate.own | candidate.above)
    typed = _TYPED if wants(asked.answer_type, text) and touched else 0.0
    if asked.answer_type == "reason":
        typed = 2 * typed + (_DECIDED if weighing.is_decided(each) else 0.0)
    if asked.kind is not None:
        typed = _KIND if given else -_KIND
    if asked.several and _ENUMERATION.search(text):
        typed += _TYPED
    brief = _BRIEFLY if len(text.split()) < _BRIEF else 0.0
    asks = _ASKS if text.endswith("?") else 0.0
    return passage + _LENGTH * math.log(max(len(text), 1)) + typed - brief - asks


def is_of_named(each: Evidence, asked: Asked) -> bool:
    """Whether a passage is the definition of what the question names."""
    symbol = each.title.rpartition("›")[2].partition("(")[0].strip().removesuffix(".__init__")
    return symbol in asked.names or symbol.rpartition(".")[2] in asked.names


def _is_titled(each: Evidence, asked: Asked) -> float:
    """How much of a section's heading the question says: one that says more is of another thing."""
    heading = set(stems(each.title.rpartition("›")[2]))
    return len(heading & set(asked.stems)) / len(heading) if heading else 0.0


def gives(asked: Asked, text: str) -> bool:
    """Whether a text names a thing of the kind that is asked for."""
    return asked.kind is not None and holds(asked.kind, text, asked.text)


def _is_given(asked: Asked, candidate: Candidate) -> bool:
    """Whether a candidate gives what is asked for, itself or as what a release brought."""
    of = is_release_asked_for(candidate.evidence, asked, candidate.text)
    return of or gives(asked, candidate.text)
