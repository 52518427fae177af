"""How facts are stated in running text: one entry a wording, with all that is known of it.

What reads the facts (`extract/statements`), which of them have one value at a time
(`records/facts.py`) and what ranking makes of a turn (`kinds/conversations/states.py`) all read
this table; which words a sentence must have to be tried at all is derived from the patterns.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["RULES", "FactRule", "Reads"]

Reads: TypeAlias = Literal["stated", "change", "replaced", "ending", "liking", "life"]
"""How a match becomes statements: `stated` as the entry says, the others by a function of their own
in `extract/statements/said.py`."""


@dataclass(frozen=True, slots=True)
class FactRule:
    r"""One wording of a fact.

    `pattern` is searched for in a sentence in lower case without its times. Its groups say what is
    what: `what` is of what it is said, or `who` of whom (I and we are the speaker; without either
    the speaker is meant), `new` is what is said, `old` what ended. `predicate` may hold `{thing}`,
    the group of that name.
    """

    name: str
    """Kept with each fact as the rule that read it."""
    pattern: str
    predicate: str = ""
    reads: Reads = "stated"
    subject: str = ""
    """Of whom it is said, whoever speaks."""
    functional: bool = False
    """Whether the predicate has one value at a time: a later one takes the place of an earlier."""
    of_pages: bool = False
    """Whether it counts in pages and manuals too, where nobody speaks for themselves."""
    state: str = ""
    """The attribute of what it is said of that ranking of turns takes it for; empty where
    `kinds/conversations/states.py` knows the wording itself, or nothing is made of it."""
    confidence: float = 0.85


_CHANGED = 0.9
_I = r"(?:i|we)"
_VALUE = (
    r"(?:(?:[$€£] ?)?\d[\d.,:]*\s?(?:%|percent|[a-z]{1,12}(?: per [a-z]+)?)?(?: [a-z]{1,12})?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?)"
)
_WHO = rf"(?P<who>{_I}|(?:the |our )?[\w -]{{2,40}}?)"
_WHAT = r"\b(?:the|our|my) (?P<what>[\w' -]{2,60}?)"
_JUST = r"(?:just |recently |now |officially |all |finally )?"
_HAVE = r"(?:'ve| have| has)?"
_OLD, _NEW = r"(?P<old>[^,;.]{1,60}?)", r"(?P<new>[^,;]{1,100})"
_ATTRIBUTES = (
    "name|job|employer|boss|manager|role|title|email|address|phone|birthday|wife|husband|partner|"
    "hometown|team|time ?zone|pronouns|deadline|budget|goal"
)
_ENDED = (
    "use|using|uses|support|supports|require|requires|run|runs|like|liking|eat|drink|own|play|"
    "maintain|need|(?:work|works|working) (?:for|at|with|on)|(?:live|lives|living) (?:in|at)"
)
_MOVED = (
    r"(?:moved|changed|pushed(?: back)?|postponed|rescheduled|extended|increased|raised|reduced|"
    r"lowered|decreased|dropped|updated|improved|shifted|delayed|grown|risen)"
)
_SAID_OF = r"(?:the|an?|my|our|his|her|its|their|it|he|she|they|we|i)"
_WISHED = r"(?:should|must|have to|has to|need to|needs to|want|would like|please)"
"""From now on something is so, unless it is wished for."""
_FROM_NOW_ON = rf"^from now on,? (?P<new>(?!{_SAID_OF}\b(?!.*\b{_WISHED}\b))\w[^;]{{5,}})"
_HOW_TO_ANSWER = (
    r"^(?:(?:oh|ok|okay|and|also|so|btw|hey|well)\b,? )*please (?P<new>(?:call me"
    r"|(?:answer|reply|respond|talk|speak)(?: to)?(?: me| us)? (?:in|with|without|more|less|like"
    r"|only))\b[^;]{2,})"
)
_RATHER = r"\b(?P<new>i(?:'d| would) (?:rather|like|prefer)\b[^;]{3,80}\bfrom now on)\b"
_SWITCHED = r"(?:switched|migrated|moved over|moved|changed over|transitioned)"

RULES: tuple[FactRule, ...] = (
    FactRule(
        "change",
        rf"{_WHAT} (?:has been |was |is now |has ){_MOVED}(?: from [^,;]{{1,40}}?)? to {_NEW}",
        "value",
        of_pages=True,
        confidence=_CHANGED,
    ),
    FactRule(
        "change",
        rf"\b{_WHO}{_HAVE} {_JUST}{_SWITCHED} from {_OLD} to {_NEW}",
        reads="change",
        of_pages=True,
        confidence=_CHANGED,
    ),
    FactRule(
        "change",
        rf"\b(?P<who>{_I}){_HAVE} {_JUST}(?:switched|migrated|moved over) to {_NEW}",
        reads="change",
        of_pages=True,
        confidence=_CHANGED,
    ),
    FactRule(
        "change",
        rf"\b{_I}{_HAVE} {_JUST}replaced {_OLD} (?:with|by) {_NEW}",
        "uses",
        reads="replaced",
        of_pages=True,
        confidence=_CHANGED,
    ),
    FactRule(
        "no longer",
        rf"\b{_WHO} (?:no longer|stopped) (?P<verb>{_ENDED}) (?P<old>[^,;]{{1,80}})",
        reads="ending",
        of_pages=True,
        confidence=_CHANGED,
    ),
    FactRule(
        "value",
        rf"{_WHAT} (?:is|are)(?: now| currently| set to| set at)? (?:at )?(?:about |around )?"
        rf"(?P<new>{_VALUE})",
        "value",
    ),
    FactRule(
        "preference",
        rf"\bmy favou?rite (?P<thing>[\w ]{{2,30}}?) (?:is|are)(?: now)? {_NEW}",
        "favorite {thing}",
    ),
    FactRule("value", rf"\bmy (?P<thing>{_ATTRIBUTES}) (?:is|are)(?: now)? {_NEW}", "{thing}"),
    FactRule(
        "preference",
        r"\bi (?:really |always |still |now |also |do not |don't |never ){0,3}"
        rf"(?P<verb>prefer|like|love|hate|dislike|enjoy|eat|drink)s? {_NEW}",
        reads="liking",
    ),
    FactRule(
        "life",
        r"\bi(?:'m| am)? ?(?:now |currently |just |recently ){0,2}(?P<verb>live in|living in|"
        rf"moved to|work as an?|work (?:at|for)|started at|joined|allergic to|married to) {_NEW}",
        reads="life",
    ),
    FactRule(
        "decision",
        rf"\b{_I}{_HAVE} {_JUST}(?:decided|agreed|resolved)(?: to| that| on)? "
        r"(?P<new>[^;]{3,160})",
        "decided",
        of_pages=True,
    ),
    FactRule(
        "decision",
        r"^(?:decision|decided): (?P<new>[^;]{3,160})",
        "decided",
        subject="we",
        of_pages=True,
    ),
    FactRule(
        "instruction",
        r"^(?:please |from now on,? |remember to |remember:? |make sure (?:to |you )?){0,2}"
        r"(?P<new>(?:always|never|do not ever|don't ever) \w[^;]{3,})",
        "instructs",
    ),
    FactRule("instruction", _FROM_NOW_ON, "instructs"),
    FactRule("instruction", _HOW_TO_ANSWER, "instructs"),
    FactRule("instruction", _RATHER, "instructs"),
)
"""The rules in the order in which they are tried; the first that gives a statement counts."""
