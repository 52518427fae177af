"""What quoted prose replies to a question that is answered by yes or no.

Yes where it says all that is asked, denies and ends nothing, and nothing was said later; no where
it says the opposite, or that what is asked about has ended: "we're off Godot" to "is it still built
with Godot?". Otherwise nothing: what is quoted stands for itself.
"""

import re

from quipu.answer.contradiction import contradicts
from quipu.question import Question
from quipu.text import STOP_WORDS, denies, stems, tokens

__all__ = ["PRESENTLY", "agrees", "replied"]

PRESENTLY = "still currently any more anymore really actually now nowadays today these days"
_SOONER = frozenset(stems(f"{PRESENTLY} always already just yet"))
_ANSWERED = re.compile(
    r"\?\s+(?:[\w .'’-]{1,40}:\s+)?"
    r"(?:(?P<yes>yes|yep|yeah|yup|correct|indeed)|(?P<no>no|nope|nah))\b",
    re.IGNORECASE,
)
_GIVEN_UP = (
    "no longer|stopped|quit|sold|dropped|cancelled|canceled|gave up|got rid of|done with"
    "|moved away from|switched away from"
)
_ENDED = re.compile(
    rf"\b(?:off|left|leaving|{_GIVEN_UP})\s+"
    r"(?:(?:the|my|our|his|her|their|its|that|this|using|at|from|with)\s+)*(?P<what>[\w'’-]+)",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:if|whether|unless|maybe|perhaps|probably|might|could|would|should|want\w*|hop(?:e|es|ing)"
    r"|think|thought|plan\w*|propos\w+|until|used to|was|were|had|wish\w*|(?<!in )(?<!of )(?-i:may)"
    r"|say|says|said|claim\w*|reckon\w*|quote|joking|kidding|(?:ha)+|lol"
    rf"|instead of|rather than|correction|{_GIVEN_UP})\b|['’]d (?:love|like|rather)\b",
    re.IGNORECASE,
)
"""What is wished, supposed, was so once, has ended, or is what somebody else says."""
_SIDES = {"on": "off", "off": "on", "up": "down", "down": "up", "in": "out", "out": "in"}
"""Small words that tell how a thing stands, each with its other side."""
_STILL = re.compile(r"\b(?:still|any ?more|any longer)\b", re.IGNORECASE)


def replied(question: Question, said: str, around: str = "", *, later: bool = False) -> str:
    """`Yes`, `No` or nothing, by what was `said`, a sentence or a question with its reply; `around`
    is what says whose words they are. What holds still must be said to, and nothing is affirmed of
    which more was said `later`."""
    if not question.asks_yes_or_no:
        return ""
    if answered := _ANSWERED.search(said):
        same = _asked(question) <= set(stems(said[: answered.start()]))
        reply = "No" if answered["no"] else "" if later else "Yes"
        return reply if same else ""
    if "?" in said:
        return ""
    against = contradicts(question.text, said, asks=True) or _opposes(question, said)
    if against or _has_ended(question, said):
        return "No"
    if later or (_STILL.search(question.text) and not _STILL.search(said)):
        return ""
    told = set(stems(f"{said} {around}"))
    sure = not denies(question.text) and not denies(said) and not _UNSURE.search(said)
    return "Yes" if sure and _asked(question) <= told else ""


def agrees(reply: str, question: Question, said: str) -> bool:
    """Whether a reply may stand before what is quoted: no yes before what denies it, and no no
    before what says it."""
    denied = denies(question.text) != denies(said) or _opposes(question, said)
    if reply == "Yes":
        return not denied
    told = _asked(question.undated) <= set(stems(said))
    asked = question.words  # "was it?": "it was" says nothing else
    return denied or not told or any(m[0].lower() not in asked for m in _UNSURE.finditer(said))


def _opposes(question: Question, said: str) -> bool:
    """Whether what is said stands on the other side of what is asked: "is it on?", "it is off"."""
    asked, told = question.words, {token.word for token in tokens(said)}
    return any(_SIDES[word] in told and word not in told for word in asked & _SIDES.keys())


def _asked(question: Question) -> frozenset[str]:
    return question.stem_set - _SOONER


def _has_ended(question: Question, said: str) -> bool:
    asked = _asked(question)
    return any(
        match["what"].lower() not in STOP_WORDS and set(stems(match["what"])) & asked
        for match in _ENDED.finditer(said)
    )
