"""Whether what is cited may have been overtaken: somebody spoke of the same again, later, and said
something else of it that was not read as a fact.

What was read as a fact has its place among others (`facts/chains.py`). Of what was not, only this
much is known: a later passage says as many of the question's words as the cited one, and names or
counts what neither the question nor the cited one does. That is no answer, but a reason not to be
sure of the older one.
"""

import re
from collections.abc import Collection, Sequence

from quipu.answer.gate import AnswerDraft, Evidence, is_turn, words_of
from quipu.answer.intent import Asked
from quipu.answer.kinds import AnswerStatement
from quipu.answer.yes_or_no import PRESENTLY
from quipu.text import stems

__all__ = ["is_overtaken", "overtaken"]

_PAST = re.compile(
    r"(?i)\b(?:did|was|were|had|originally|initially|formerly|previously|used to|"
    r"before|ago|first)\b|\b(?:19|20)\d\d\b"
)
_VALUE = re.compile(r"(?<![\w.])(?:[$€£]\s?)?\d[\w.:,%-]*|(?<=[a-z,] )[A-Z][\w'-]+")
_NUMBER = re.compile(r"[$€£]?\d+(?:[.:]\d+)*")
_LEAST, _HALF, _SLACK = 0.6, 0.5, 0.15


def overtaken(asked: Asked, draft: AnswerDraft, found: Sequence[Evidence]) -> float:
    """1 where a passage that is later than all the cited ones says as much of what is asked, and
    another value; else 0. A question about the past is answered by the past."""
    cited = draft.evidence
    if not cited or not asked.stems or _PAST.search(asked.text):
        return 0.0
    newest = max(each.updated_at for each in cited)
    later = [each for each in found if each.updated_at > newest and not each.is_code]
    if not later:
        return 0.0
    least = max(_LEAST, max(_share(asked.stems, each) for each in cited) - _SLACK)
    known = {stem for each in cited for stem in stems(each.text)} | set(stems(asked.text))
    return float(
        any(
            _share(asked.stems, each) >= least and _says_another(each.text, known) for each in later
        )
    )


def is_overtaken(
    asked: Asked, statements: Sequence[AnswerStatement], found: Sequence[Evidence]
) -> bool:
    """Whether a later turn speaks of what a fact that turns told is of, which need not be said with
    its value, and names or counts something else; half of it is enough where that is of the
    value's very kind. One word that is not the owner's is too little: "I take the train to work"
    says nothing of where I work."""
    fact = statements[0].fact if statements else None
    cited = statements[0].evidence if statements else ()
    if fact is None or not all(map(is_turn, cited)) or _PAST.search(asked.text):
        return False
    about = set(asked.stems) - set(stems(f"{fact.object} {PRESENTLY}"))
    known = {stem for each in cited for stem in stems(each.text)} | set(stems(asked.text))
    newest = max(map(_told, cited))
    later = [each for each in found if is_turn(each) and _told(each) > newest]
    if not about or not later:
        return False
    owner = set(stems(fact.subject))
    shared = [(each, about & set(stems(each.text))) for each in later]
    of_it = [each for each, words in shared if words & owner or len(words) > 1]
    least = max(_HALF, max(_share(about, each) for each in cited) - _SLACK)
    return any(
        (_share(about, each) >= least and _says_another(each.text, known))
        or (_share(about, each) >= _HALF and _counts_alike(each.text, fact.object, known))
        for each in of_it
    )


def _told(turn: Evidence) -> tuple[str, int]:
    """When a turn was told: by its session, and by its place there."""
    place = turn.path.rpartition("#")[2]
    return turn.updated_at, int(place) if place.isdigit() else 0


def _counts_alike(text: str, value: str, known: set[str]) -> bool:
    """Whether a text counts something else by as many numbers as a value does: "2.0.1" is a version
    as "1.4.2" is."""
    shape = _shape(value)
    return bool(shape) and any(
        _shape(match[0]) == shape and set(stems(match[0])) - known
        for match in _VALUE.finditer(text)
    )


def _shape(value: str) -> str:
    """How the first number of a value is written: "$d", "d.d.d", "d:d"; empty without one."""
    number = _NUMBER.search(value)
    return re.sub(r"\d+", "d", number[0]) if number else ""


def _share(about: Collection[str], each: Evidence) -> float:
    return len(words_of(each) & set(about)) / len(about)


def _says_another(text: str, known: set[str]) -> bool:
    """Whether it counts, dates or names what is not known yet."""
    return any(set(stems(match[0])) - known for match in _VALUE.finditer(text))
