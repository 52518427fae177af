"""What a turn states without a number: where somebody lives, what they use, how a thing stands.

Each state has an *attribute*, the stems that say of what it is ("the plan for Saturday" is plan,
saturday), and a value. Two states of one attribute are of the same (`turn_updates`). Rules are
few and plain: a first person who lives, works, uses, prefers or decides, "my / our / the X is Y" in
the present or as a change.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.patterns import late
from quipu.text import STOP_WORDS, stem, tokens

__all__ = ["State", "read_states"]

_SENTENCE = late(r"[^.!?;\n]+(?:[.](?=\w)[^.!?;\n]+)*")
_LONGEST = 400
_MOST_OF_ATTRIBUTE, _MOST_OF_VALUE = 3, 3
_OFTEN = (
    r"(?:(?:now|still|currently|just|recently|finally|officially|already|actually|really|also|all|"
    r"instead|mainly|mostly) )*"
)
_I = rf"\b(?:i|we)(?:['’](?:m|ve|re|d))? (?:(?:am|are|have|had|do|got|been) )*{_OFTEN}"
_FROM = r"(?: (?:over|back|down|up|away))?(?: from (?P<old>[^,;]{1,40}?))?"
_NEW = r"(?P<new>\S[^,;]{0,90})"
_A_JOB = "(?:took|got|started) an? (?:new )?job"
_OF_PEOPLE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, late(_I + pattern))
    for attribute, pattern in (
        ("use", rf"(?:switched|migrated|moved over|changed over|changed){_FROM} to {_NEW}"),
        ("use", rf"(?:replaced (?P<old>[^,;]{{1,40}}?) (?:with|by)|use|using) {_NEW}"),
        ("live", rf"(?:live|living|moved|relocated|settled){_FROM} (?:in|to|at) {_NEW}"),
        ("job", rf"(?:work as|working as|became|promoted to) {_NEW}"),
        ("work", rf"(?:work|working|started|employed|{_A_JOB}) (?:for|at|with) {_NEW}"),
        ("work", rf"joined {_NEW}"),
        ("prefer", rf"prefer {_NEW}"),
        ("plan", rf"(?:decided|agreed|plan|planned|planning) (?:to|on) {_NEW}"),
    )
)
_OF_THINGS = late(
    r"\b(?:my|our|the) (?P<what>[a-z][\w'’-]*(?: [\w'’-]+){0,6}?)"
    r"(?:['’]s| is| are| has| have| was| were| got)(?: been)? "
    rf"{_OFTEN}"
    r"(?P<moved>(?:moved|changed|switched|postponed|pushed(?: back)?|rescheduled|shifted|renamed|"
    r"brought forward|delayed)(?: from [^,;]{1,30}?)? (?:to|till|until) )?"
    r"(?:(?:in|at|on|called|named|set to|scheduled for|due) )?"
    r"(?=(?P<new>\S[^,;]{0,60}))"
)
_PAST = late(r"\b(?:was|were|had|used to)\b")
_CUT = late(
    r"\b(?:because|since|so|but|although|though|when|while|which|who|that|and|now|instead|for|over|"
    r"than|rather|after|before|with|from|these days|as of|again|as an?)\b"
)
_FOR = late(r"\bfor ([^,;]{2,60})")
_OF_NOW = frozenset({"new", "latest", "current", "present"})
_CLAUSE = frozenset("i we you he she they it that which who what when if how there".split())
_JUDGING = frozenset(
    "good great nice bad fine ok okay awesome amazing terrible awful lovely fun hard easy "
    "important interesting different same one thing reason problem best worst so very too much "
    "going able sure trying looking having getting".split()
)


class State(NamedTuple):
    """`start` and `end` are where it stands; `attribute` and `value` are stems."""

    attribute: tuple[str, ...]
    value: tuple[str, ...]
    start: int
    end: int


def read_states(low: str) -> Iterator[State]:
    """The states in lower-cased text, a sentence at a time; questions and what was give none."""
    for sentence in _SENTENCE.finditer(low):
        if low[sentence.end() : sentence.end() + 1] == "?" or len(sentence.group()) > _LONGEST:
            continue
        yield from _of_people(sentence.group(), sentence.start())
        yield from _of_things(sentence.group(), sentence.start())


def _of_people(sentence: str, offset: int) -> Iterator[State]:
    for attribute, pattern in _OF_PEOPLE:
        match = pattern.search(sentence)
        if match is None:
            continue
        groups = match.groupdict()
        said = groups["new"]
        value = _stems(_CUT.split(said, maxsplit=1)[0])[:_MOST_OF_VALUE]
        of = [stem(attribute)]
        if attribute == "use":
            purpose = _FOR.search(said)
            of += _stems(purpose.group(1) if purpose else groups.get("old") or "")
        elif attribute == "prefer":
            of += value[-1:]
        elif attribute == "plan":
            of += value[:1]
        if value:
            yield State(
                tuple(of[:_MOST_OF_ATTRIBUTE]), tuple(value), offset, offset + len(sentence)
            )
            return


def _of_things(sentence: str, offset: int) -> Iterator[State]:
    for match in _OF_THINGS.finditer(sentence):
        of = [each for each in _stems(match["what"]) if each not in _OF_NOW]
        words = {token.word for token in tokens(match["what"])}
        if not 0 < len(of) <= _MOST_OF_ATTRIBUTE or words & _CLAUSE:
            continue
        if not match["moved"] and _PAST.search(match.group()):
            continue
        said = _CUT.split(match["new"], maxsplit=1)[0]
        value = _stems(said)[:_MOST_OF_VALUE]
        spoken = [token.word for token in tokens(said)]
        if value and spoken[0] not in _JUDGING and not any(word.isdigit() for word in spoken):
            yield State(tuple(of), tuple(value), offset + match.start(), offset + len(sentence))


def _stems(text: str) -> list[str]:
    words = [token.word for token in tokens(text) if token.word and token.word not in STOP_WORDS]
    return list(dict.fromkeys(stem(word) for word in words))
