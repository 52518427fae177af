"""Whether a yes or no may stand before what is quoted."""

import re

from quipu.question import Question
from quipu.text import STOP_WORDS, denies, stems, tokens

__all__ = ["PRESENTLY", "agrees"]

PRESENTLY = "still currently any more anymore really actually now nowadays today these days"
_SOONER = frozenset(stems(f"{PRESENTLY} always already just yet"))
_UNSURE = re.compile(
    r"\b(?:if|whether|unless|maybe|perhaps|probably|might|could|would|should|want\w*|hop(?:e|es|ing)"
    r"|think|thought|plan\w*|propos\w+|until|used to|was|were|had|wish\w*|say|says|said|claim\w*"
    r"|no longer|stopped|quit|instead of|rather than|correction)\b",
    re.IGNORECASE,
)
"""What is wished, supposed, was so once, has ended, or is what somebody else says."""
_ENDED = re.compile(
    r"\b(?:off|left|leaving|sold|stopped|quit|dropped|gave up|got rid of|done with|no longer)\s+"
    r"(?:(?:the|my|our|his|her|their|its|that|this|using|at|from|with)\s+)*(?P<what>[\w'’-]+)",
    re.IGNORECASE,
)
"""What somebody is done with: "we're off sugar", "I sold the Skoda"."""
_SIDES = {"on": "off", "off": "on", "up": "down", "down": "up", "in": "out", "out": "in"}
"""Small words that tell how a thing stands, each with its other side."""


def agrees(reply: str, question: Question, said: str) -> bool:
    """Whether a reply may stand before what is quoted: no yes before what denies it, and no no
    before what says it."""
    asked, told = question.words, {token.word for token in tokens(said)}
    opposed = any(_SIDES[word] in told and word not in told for word in asked & _SIDES.keys())
    denied = denies(question.text) != denies(said) or opposed or _has_ended(question, said)
    if reply == "Yes":
        return not denied
    says_all = question.undated.stem_set - _SOONER <= set(stems(said))
    unsure = any(match[0].lower() not in asked for match in _UNSURE.finditer(said))
    return denied or not says_all or unsure


def _has_ended(question: Question, said: str) -> bool:
    """Whether it is told that what is asked about the present has ended."""
    if not question.asks_yes_or_no or _ENDED.search(question.text):
        return False
    ended = {word for match in _ENDED.finditer(said) for word in stems(match["what"])}
    return bool((ended - STOP_WORDS) & question.stem_set)
