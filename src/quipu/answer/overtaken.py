"""Whether what is cited may have been overtaken: somebody spoke of the same again, later, and said
something else of it that was not read as a fact.

What was read as a fact has its place among others (`records/facts.py`). Of what was not, only this
much is known: a later passage says as many of the question's words as the cited one, and names or
counts what neither the question nor the cited one does. That is no answer, but a reason not to be
sure of the older one.
"""

import re
from collections.abc import Sequence

from quipu.answer.gate import AnswerDraft, Evidence, words_of
from quipu.answer.intent import Asked
from quipu.text import stems

__all__ = ["overtaken"]

_PAST = re.compile(
    r"(?i)\b(?:did|was|were|had|originally|initially|formerly|previously|used to|"
    r"before|ago|first)\b|\b(?:19|20)\d\d\b"
)
_VALUE = re.compile(r"(?<![\w.])(?:[$€£]\s?)?\d[\w.:,%-]*|(?<=[a-z,] )[A-Z][\w'-]+")
_LEAST, _SLACK = 0.6, 0.15


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
    least = max(_LEAST, max(_share(asked, each) for each in cited) - _SLACK)
    known = {stem for each in cited for stem in stems(each.text)} | set(stems(asked.text))
    return float(
        any(_share(asked, each) >= least and _says_another(each.text, known) for each in later)
    )


def _share(asked: Asked, each: Evidence) -> float:
    return len(words_of(each) & set(asked.stems)) / len(asked.stems)


def _says_another(text: str, known: set[str]) -> bool:
    """Whether it counts, dates or names what is not known yet."""
    return any(set(stems(match[0])) - known for match in _VALUE.finditer(text))
