"""What somebody says of themselves, decides, asks for, or changes.

The first person is the speaker where one is known, else `user`. What is said in the present
holds from when it was said; an ending ("no longer") holds until then.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from quipu.extract.statements.cues import cues_of, may_fit
from quipu.extract.statements.statement import (
    Statement,
    clean,
    is_name,
    is_object,
    lowered,
    may_be_place,
    singular,
)
from quipu.records.fact_rules import RULES, FactRule, Reads

__all__ = ["Saying", "said_statements"]


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


def said_statements(saying: Saying, rules: Iterable[FactRule] = RULES) -> Iterator[Statement]:
    """The statements of the first rule that fits the sentence, or each "and I …" of it; a time
    belongs to the whole, so a sentence that names one is not divided."""
    clauses = _CLAUSES.split(saying.sentence) if saying.when is None else [saying.sentence]
    for clause in clauses:
        yield from _of_clause(saying._replace(sentence=clause), rules)


def _of_clause(saying: Saying, rules: Iterable[FactRule]) -> Iterator[Statement]:
    low = lowered(saying.sentence)
    tried = [rule for rule in rules if may_fit(cues_of(rule.pattern), low)]
    if not tried or low.rstrip().endswith("?") or _DOUBT.search(low):
        return
    for rule in tried:
        if match := compiled(rule.pattern).search(low):
            found = list(_READERS[rule.reads](match, saying, rule))
            if found:
                yield from found
                return


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern of a rule."""
    return re.compile(pattern)


_SAYINGS = (["never", "again"], ["never", "mind"], ["never", "forget"])
_POINTING = frozenset("it this that them".split())
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
    saying: Saying, rule: FactRule, subject: str, predicate: str, said: str, *, ended: bool = False
) -> Iterator[Statement]:
    said = _until_clause(clean(said))
    if not subject or not is_object(said) or _is_vague(rule, said):
        return
    start, end = (None, saying.begins) if ended else (saying.begins, _stated_end(saying))
    if ended and end is None:
        return  # an ending without a day says nothing that can be ordered
    yield Statement(
        subject, predicate, said, start, end, saying.offset, saying.end, rule.name, rule.confidence
    )


def _is_vague(rule: FactRule, said: str) -> bool:
    """Whether nothing in particular is asked for or decided: "never again", "we agreed on it"."""
    words = lowered(said).split()
    if rule.name == "instruction":
        return words in _SAYINGS
    return words[0] in _POINTING


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


def _subject(match: re.Match[str], saying: Saying) -> str:
    """What it is said of, or who: nothing where that is no name."""
    if what := _text(match, saying, "what"):
        subject, longest = singular(what), 7
    else:
        written = clean(_text(match, saying, "who"))
        if lowered(written) in {"i", "we", ""}:
            return _who(saying, match)
        subject, longest = singular(written), 6
    return subject if is_name(subject, longest=longest) else ""


def _stated(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    """What the entry of the rule says."""
    thing = clean(_text(match, saying, "thing")).lower()
    subject = rule.subject or _subject(match, saying)
    predicate = rule.predicate.format(thing=thing)
    yield from _make(saying, rule, subject, predicate, _text(match, saying, "new"))


def _change(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    """We switched from X to Y: Y is used from then, X until then."""
    who = _subject(match, saying)
    if not who:
        return
    old, new = _text(match, saying, "old"), _text(match, saying, "new")
    does = "lives in" if _moves_home(match, saying, who) else "uses"
    if old and is_name(clean(old)):
        yield from _make(saying, rule, who, does, old, ended=True)
    if is_name(_until_clause(clean(new))):
        yield from _make(saying, rule, who, does, new)


def _moves_home(match: re.Match[str], saying: Saying, who: str) -> bool:
    """Whether one person moved from place to place: the one who speaks, as nothing tells whether
    any other name is a person's."""
    places = (_text(match, saying, "old"), _until_clause(clean(_text(match, saying, "new"))))
    return (
        who == (saying.speaker or "user")
        and _MOVED_FROM.search(_lead(match)) is not None
        and all(may_be_place(clean(place)) for place in places)
    )


def _replaced(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    who = _who(saying, match)
    old, new = _text(match, saying, "old"), _text(match, saying, "new")
    if is_name(clean(old), longest=6) and is_name(_until_clause(clean(new)), longest=6):
        yield from _make(saying, rule, who, rule.predicate, old, ended=True)
        yield from _make(saying, rule, who, rule.predicate, new)


def _ending(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    first, *rest = _text(match, saying, "verb").lower().split()
    predicate = _PRESENT.get(first, first)
    if predicate == "works" and rest in (["at"], ["for"]):
        rest = ["for"]
    said = " ".join([predicate, *rest])
    who = _subject(match, saying)
    yield from _make(saying, rule, who, said, _text(match, saying, "old"), ended=True)


def _liking(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    verb = match["verb"].split()[-1].rstrip("s")
    negated = "not " if re.search(r"(?:n't|\bnot|\bnever)\b", _lead(match)) else ""
    predicate = negated + _PRESENT.get(verb, verb + "s")
    yield from _make(saying, rule, _who(saying, match), predicate, _text(match, saying, "new"))


def _life(match: re.Match[str], saying: Saying, rule: FactRule) -> Iterator[Statement]:
    verb = " ".join(match["verb"].split())
    predicate = next(p for lead, p in _LIFE if verb.startswith(lead))
    yield from _make(saying, rule, _who(saying, match), predicate, _text(match, saying, "new"))


_PRESENT = {
    "use": "uses",
    "using": "uses",
    "run": "runs",
    "work": "works",
    "working": "works",
    "live": "lives",
    "living": "lives",
    "like": "likes",
    "liking": "likes",
    "love": "likes",
    "hate": "not likes",
    "dislike": "not likes",
    "enjoy": "likes",
    "prefer": "prefers",
    "eat": "eats",
    "drink": "drinks",
    "own": "owns",
    "play": "plays",
    "support": "supports",
    "uses": "uses",
    "works": "works",
    "lives": "lives",
    "supports": "supports",
    "runs": "runs",
    "need": "needs",
    "maintain": "maintains",
    "require": "requires",
    "requires": "requires",
}
_LIFE = (
    ("liv", "lives in"),
    ("moved to", "lives in"),
    ("work as", "works as"),
    ("work", "works for"),
    ("started at", "works for"),
    ("joined", "works for"),
    ("allergic", "is allergic to"),
    ("married", "is married to"),
)
_MOVED_FROM = re.compile(r"\bmoved from $")
_READERS: dict[Reads, Callable[[re.Match[str], Saying, FactRule], Iterator[Statement]]] = {
    "stated": _stated,
    "change": _change,
    "replaced": _replaced,
    "ending": _ending,
    "liking": _liking,
    "life": _life,
}
