"""What somebody says of themselves, decides, asks for, or changes.

The first person is the speaker where one is known, else `user`. What is said in the present
holds from when it was said; an ending ("no longer") holds until then.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from quipu.extract.statements.places import may_be_place
from quipu.extract.statements.statement import (
    Statement,
    clean,
    is_name,
    is_object,
    lowered,
    singular,
)

__all__ = ["Saying", "may_say_of", "said_statements"]

_SAID = 0.85
_CHANGED = 0.9
_I = r"(?:i|we)"


class Saying(NamedTuple):
    """A sentence with its times taken out, and what is known about it.

    `when` is the date it names as (begin, stated end), `said_on` the day it was said or None.
    """

    sentence: str
    offset: int
    end: int
    speaker: str
    when: tuple[str | None, str | None] | None
    said_on: str | None

    @property
    def begins(self) -> str | None:
        """From when the new state holds."""
        if self.when is None:
            return self.said_on
        return self.when[0] or self.when[1]


_Build = Callable[[re.Match[str], Saying], Iterator[Statement]]


def said_statements(saying: Saying) -> Iterator[Statement]:
    """The statements of the first rule that fits the sentence, or each "and I …" of it; a time
    belongs to the whole, so a sentence that names one is not divided."""
    clauses = _CLAUSES.split(saying.sentence) if saying.when is None else [saying.sentence]
    for clause in clauses:
        yield from _of_clause(saying._replace(sentence=clause))


def _of_clause(saying: Saying) -> Iterator[Statement]:
    low = lowered(saying.sentence)
    if not _may_say(low):
        return
    if low.rstrip().endswith("?") or _DOUBT.search(low):
        return
    for pattern, build, cue in _RULES:
        match = pattern.search(low) if cue.search(low) else None
        if match:
            found = list(build(match, saying))
            if found:
                yield from found
                return


_DIGIT = re.compile(r"\d")
_I_SAYS = re.compile(r"i(?<!\wi)(?:'m)? ")
_OF_PAGES = ("replaced", "no longer", "stopped", "deci", "agreed", "resolved")
_OF_PEOPLE = ("my ", "always", "ever ", "from now on")
_MOVES = ("ed ", "grown ", "risen ")


def _may_say(low: str) -> bool:
    """Whether there is anything that some rule needs: most sentences of a page have nothing."""
    if (" is" in low or " are" in low) and _DIGIT.search(low):
        return True
    return may_say_of(low, personal=True)(0, len(low))


def may_say_of(low: str, *, personal: bool) -> Callable[[int, int], bool]:
    """Asked of stretches without digits of lower-cased `low`: whether there is anything that some
    rule needs. What is not `personal` is read by the rules for pages alone."""
    signs = [sign for sign in _OF_PAGES + (_OF_PEOPLE if personal else ()) if sign in low]
    moves = [sign for sign in _MOVES if sign in low] if " to " in low else []

    def may_say(start: int, end: int) -> bool:
        for sign in signs:
            if low.find(sign, start, end) >= 0:
                return True
        if moves and low.find(" to ", start, end) >= 0:
            for sign in moves:
                if low.find(sign, start, end) >= 0:
                    return True
        return personal and _I_SAYS.search(low, start, end) is not None

    return may_say


_CLAUSES = re.compile(r",? (?:and|but) (?=(?:i|i'm|my|we|our)\b)", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:if|whether|maybe|perhaps|might|could|would|should we|considering|thinking (?:of|about)|"
    r"wish|plan(?:ning)? to|going to|want to|hope|unless|as if|pretend)\b"
)


def _text(match: re.Match[str], saying: Saying, group: str) -> str:
    if group not in match.re.groupindex:
        return ""
    start, end = match.span(group)
    return saying.sentence[start:end] if start >= 0 else ""


def _make(
    saying: Saying, subject: str, predicate: str, said: str, rule: str,
    *, ended: bool = False, confidence: float = _SAID,
) -> Iterator[Statement]:  # fmt: skip
    said = _until_clause(clean(said))
    if not subject or not is_object(said):
        return
    start, end = (None, saying.begins) if ended else (saying.begins, _stated_end(saying))
    if ended and end is None:
        return  # an ending without a day says nothing that can be ordered
    yield Statement(
        subject, predicate, said, start, end, saying.offset, saying.end, rule, confidence
    )


def _stated_end(saying: Saying) -> str | None:
    if saying.when is None or saying.when[0] is None:
        return None
    return None if saying.when[0] == saying.when[1] else saying.when[1]


def _until_clause(said: str) -> str:
    cut = re.search(
        r",? (?:because|since|so that|so|but|although|though|when|while|which|and i|and we)\b|[;!?]"
        r"|\. ",
        said,
    )
    return clean(said[: cut.start()] if cut else said)


def _lead(match: re.Match[str]) -> str:
    """What is matched before the thing that is said: who does it, and whether they do."""
    groups = match.re.groupindex
    first = min((match.start(g) for g in ("old", "new") if g in groups), default=match.end())
    return match.string[match.start() : first]


def _who(saying: Saying, match: re.Match[str]) -> str:
    """The speaker for "I" and "my"; "we" is the speaker's side and is kept apart, whoever speaks
    for it, as what it decides is."""
    return "we" if re.search(r"\bwe\b", _lead(match)) else saying.speaker or "user"


def _change(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    """We switched from X to Y: Y is used from then, X until then."""
    who = _subject(match, saying)
    if not who:
        return
    old, new = _text(match, saying, "old"), _text(match, saying, "new")
    does = "lives in" if _moves_home(match, saying, who) else "uses"
    if old and is_name(clean(old)):
        yield from _make(saying, who, does, old, "change", ended=True, confidence=_CHANGED)
    if is_name(_until_clause(clean(new))):
        yield from _make(saying, who, does, new, "change", confidence=_CHANGED)


def _moves_home(match: re.Match[str], saying: Saying, who: str) -> bool:
    """Whether one person moved from place to place: the one who speaks, as nothing tells whether
    any other name is a person's."""
    places = (_text(match, saying, "old"), _until_clause(clean(_text(match, saying, "new"))))
    return (
        who == (saying.speaker or "user")
        and _MOVED_FROM.search(_lead(match)) is not None
        and all(may_be_place(clean(place)) for place in places)
    )


def _subject(match: re.Match[str], saying: Saying) -> str:
    written = clean(_text(match, saying, "who"))
    if lowered(written) in {"i", "we", ""}:
        return _who(saying, match)
    subject = singular(written)
    return subject if is_name(subject, longest=6) else ""


def _replaced(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    who = _who(saying, match)
    old, new = _text(match, saying, "old"), _text(match, saying, "new")
    if is_name(clean(old), longest=6) and is_name(_until_clause(clean(new)), longest=6):
        yield from _make(saying, who, "uses", old, "change", ended=True, confidence=_CHANGED)
        yield from _make(saying, who, "uses", new, "change", confidence=_CHANGED)


def _value_change(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    """The deadline was moved (from A) to B."""
    subject = singular(_text(match, saying, "what"))
    if is_name(subject, longest=7):
        yield from _make(
            saying, subject, "value", _text(match, saying, "new"), "change", confidence=_CHANGED
        )


def _value(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    subject = singular(_text(match, saying, "what"))
    if is_name(subject, longest=7):
        yield from _make(saying, subject, "value", _text(match, saying, "new"), "value")


def _no_longer(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    who = _subject(match, saying)
    verb = _text(match, saying, "verb").lower()
    predicate = _PRESENT.get(verb.split()[0], verb.split()[0])
    rest = " ".join(verb.split()[1:])
    if predicate == "works":
        rest = "for" if rest in ("at", "for") else rest
    if who:
        yield from _make(
            saying, who, " ".join(f"{predicate} {rest}".split()), _text(match, saying, "old"),
            "no longer", ended=True, confidence=_CHANGED,
        )  # fmt: skip


def _preference(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    verb = match["verb"].split()[-1].rstrip("s")
    negated = "not " if re.search(r"(?:n't|\bnot|\bnever)\b", _lead(match)) else ""
    predicate = negated + _PRESENT.get(verb, verb + "s")
    yield from _make(saying, _who(saying, match), predicate, _text(match, saying, "new"),
                     "preference")  # fmt: skip


def _favourite(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    thing = clean(_text(match, saying, "thing")).lower()
    yield from _make(saying, _who(saying, match), f"favorite {thing}",
                     _text(match, saying, "new"), "preference")  # fmt: skip


def _own(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    attribute = clean(_text(match, saying, "thing")).lower()
    yield from _make(saying, _who(saying, match), attribute, _text(match, saying, "new"), "value")


def _life(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    verb = " ".join(match["verb"].split())
    predicate = next(p for lead, p in _LIFE if verb.startswith(lead))
    yield from _make(saying, _who(saying, match), predicate, _text(match, saying, "new"), "life")


def _decision(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    alone = re.search(r"\bi\b", _lead(match))
    who = (saying.speaker or "user") if alone else "we"
    yield from _make(saying, who, "decided", _text(match, saying, "new"), "decision")


def _instruction(match: re.Match[str], saying: Saying) -> Iterator[Statement]:
    yield from _make(saying, saying.speaker or "user", "instructs",
                     saying.sentence[match.start("new") :], "instruction")  # fmt: skip


_PRESENT = {
    "use": "uses", "using": "uses", "run": "runs", "work": "works", "working": "works",
    "live": "lives", "living": "lives", "like": "likes", "liking": "likes", "love": "likes",
    "hate": "not likes", "dislike": "not likes", "enjoy": "likes", "prefer": "prefers",
    "eat": "eats", "drink": "drinks", "own": "owns", "play": "plays", "support": "supports",
    "uses": "uses", "works": "works", "lives": "lives", "supports": "supports", "runs": "runs",
    "need": "needs", "maintain": "maintains", "require": "requires", "requires": "requires",
}  # fmt: skip
_LIFE = (
    ("liv", "lives in"), ("moved to", "lives in"), ("work as", "works as"),
    ("work", "works for"), ("started at", "works for"), ("joined", "works for"),
    ("allergic", "is allergic to"), ("married", "is married to"),
)  # fmt: skip
_VALUE = (
    r"(?:(?:[$€£] ?)?\d[\d.,:]*\s?(?:%|percent|[a-z]{1,12}(?: per [a-z]+)?)?(?: [a-z]{1,12})?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?)"
)
_WHO = rf"(?P<who>{_I}|(?:the |our )?[\w -]{{2,40}}?)"
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
_MOVED_FROM = re.compile(r"\bmoved from $")
_SWITCHED = r"(?:switched|migrated|moved over|moved|changed over|transitioned)"
_RULES: tuple[tuple[re.Pattern[str], _Build, re.Pattern[str]], ...] = tuple(
    (re.compile(pattern), build, re.compile(cue))
    for pattern, build, cue in (
        (
            (
                r"\b(?:the|our|my) (?P<what>[\w' -]{2,60}?) (?:has been |was |is now |has )"
                rf"{_MOVED}(?: from [^,;]{{1,40}}?)? to {_NEW}"
            ),
            _value_change,
            r" to ",
        ),
        (
            rf"\b{_WHO}{_HAVE} {_JUST}{_SWITCHED} from {_OLD} to {_NEW}",
            _change,
            r"switched|migrated|moved|changed over|transitioned",
        ),
        (
            rf"\b(?P<who>{_I}){_HAVE} {_JUST}(?:switched|migrated|moved over) to {_NEW}",
            _change,
            r"switched|migrated|moved|changed over|transitioned",
        ),
        (rf"\b{_I}{_HAVE} {_JUST}replaced {_OLD} (?:with|by) {_NEW}", _replaced, r"replaced"),
        (
            rf"\b{_WHO} (?:no longer|stopped) (?P<verb>{_ENDED}) (?P<old>[^,;]{{1,80}})",
            _no_longer,
            r"no longer|stopped",
        ),
        (
            (
                r"\b(?:the|our|my) (?P<what>[\w' -]{2,60}?) (?:is|are)(?: now| currently| set to| "
                rf"set at)? (?:at )?(?:about |around )?(?P<new>{_VALUE})"
            ),
            _value,
            r"\b(?:is|are)\b",
        ),
        (
            rf"\bmy favou?rite (?P<thing>[\w ]{{2,30}}?) (?:is|are)(?: now)? {_NEW}",
            _favourite,
            r"favou?rite",
        ),
        (rf"\bmy (?P<thing>{_ATTRIBUTES}) (?:is|are)(?: now)? {_NEW}", _own, r"\bmy "),
        (
            (
                r"\bi (?:really |always |still |now |also |do not |don't |never ){0,3}"
                rf"(?P<verb>prefer|like|love|hate|dislike|enjoy|eat|drink)s? {_NEW}"
            ),
            _preference,
            r"\bi ",
        ),
        (
            (
                r"\bi(?:'m| am)? ?(?:now |currently |just |recently ){0,2}(?P<verb>live in|"
                r"living in|moved to|work as an?|work (?:at|for)|started at|joined|"
                rf"allergic to|married to) {_NEW}"
            ),
            _life,
            r"\bi(?:'m)? ",
        ),
        (
            (
                rf"\b{_I}{_HAVE} {_JUST}(?:decided|agreed|resolved)(?: to| that| on)? "
                r"(?P<new>[^;]{3,160})"
            ),
            _decision,
            r"deci|agreed|resolved",
        ),
        (r"^(?:decision|decided): (?P<new>[^;]{3,160})", _decision, r"deci|agreed|resolved"),
        (
            (
                r"^(?:please |from now on,? |remember to |remember:? |make sure (?:to |you )?){0,2}"
                r"(?P<new>(?:always|never|do not ever|don't ever) \w[^;]{3,160})"
            ),
            _instruction,
            r"always|never|from now on|ever",
        ),
        (r"^from now on,? (?P<new>\w[^;]{5,160})", _instruction, r"always|never|from now on|ever"),
    )
)
