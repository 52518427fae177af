"""The phrases of a parsed sentence: what a subject is called, whose something is, what is said,
and which words tell a time."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quipu.extract.grammar import Sentence
from quipu.extract.grammar.clauses import is_predicate, phrase, span_of
from quipu.extract.statements.statement import Statement, clean, is_object, singular
from quipu.when import TimeSpan, find_spans
from quipu.when.dates import MONTH, MONTH_NAMES

__all__ = ["ANNOUNCING", "KIN", "Phrases", "Spoken", "Utterance"]

_LONGEST_VALUE, _LONGEST_NAME = 14, 7
_INDEFINITE = frozenset(
    "a an any some every no each another all most many few several either neither both what "
    "which whatever whichever such".split()
)
KIN = frozenset(
    "sister brother sibling mother father mom mum dad parent wife husband partner girlfriend "
    "boyfriend son daughter child kid cousin aunt uncle nephew niece grandmother grandfather "
    "grandma grandpa granddad friend colleague coworker boss manager roommate flatmate neighbour "
    "neighbor dog cat pet fiancé fiancée fiance fiancee".split()
)
"""Nouns for people and animals that belong to somebody."""
ANNOUNCING = frozenset(
    "note question update decision edit ps example tip warning option answer correction "
    "reminder news thought plan point idea step re topic subject quote fact".split()
)
"""What only says that something is told: "Note: …"."""
_POINTING = frozenset("this that these those such some any same your yours another".split())
_RANKING = frozenset("first second third last next only same other right wrong one".split())
_OLDEST = 130
_BOUNDS = frozenset({"least", "most", "little", "many"})
_NOW = frozenset("now nowadays instead henceforth onwards".split())
_SINCE = frozenset({"since", "from"})
_QUOTES = frozenset({'"', "“", "‘"})
_SPELLS = frozenset("today yesterday tomorrow tonight night week month year".split())
_GLUE = frozenset("-–/_.:@#+")
_CLOCK = frozenset("am pm a.m. p.m. o'clock clock hour".split())
_NAMES_OF_TIMES = MONTH_NAMES | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
_EVERY = ("every", "each")
_OFTEN = ("once", "twice", "times")
_DAY = re.compile(
    rf"\b(?:every |each )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"(?:,? (?=\d|the \d|{MONTH}))?)?"
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}\b"
    rf"|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b)"
    r"|\b(?:the )?(?:first|second|third|fourth|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r" (?:of|in) (?:the|each|every) month\b"
    r"|\b(?:(?:every|each) (?:other |second )?)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    r"|\b(?:every|each) (?:other |second )?(?:morning|evening|night|day|week|month|quarter)\b"
    r"(?: at \d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?)?"
    r"|\b(?:once|twice|\d+ times|several times) (?:an?|per|every) \w+\b"
    r"|\b\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]m\b",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"(?i)(?:mon|tues|wednes|thurs|fri|satur|sun)days?")
_AND = re.compile(r",? (?:and|&) |, ")
_NOBODY = frozenset(
    {
        "this",
        "that",
        "these",
        "those",
        "it",
        "there",
        "one",
        "everything",
        "something",
        "anything",
        "nothing",
    }
)
_PRONOUNS = {
    "i": frozenset("i me my mine myself".split()),
    "we": frozenset("we us our ours".split()),
    "you": frozenset("you your yours".split()),
    "he": frozenset("he she him her his hers".split()),
    "it": frozenset("it its".split()),
    "they": frozenset("they them their".split()),
}
_TITLES = frozenset("mr mrs ms miss dr prof".split())
_OWNED_BY = frozenset({"mine", "yours", "ours"})
_SUBJECTS = ("nsubj", "nsubj:pass")
_NAMING = frozenset({"NOUN", "PROPN", "X", "SYM", "NUM", "ADJ"})
_NOT_TELLING = frozenset({"new", "current", "old", "present", "own", "latest", "actual"})
_OF_NOW = frozenset({"new", "current", "latest", "present"})
_BEFORE_CASE = frozenset({"case", "mark", "cc", "punct", "nsubj"})
_JUDGING = frozenset(
    "great good nice amazing awesome best worst bad better worse wonderful lovely terrible cool "
    "fun perfect beautiful true real big huge important such fantastic incredible".split()
)
_NO_KIND = frozenset(
    "bit lot fan mess bunch way thing little while problem idea joke nightmare fool wreck person "
    "member pain kind type sort part reason fact".split()
)


@dataclass(slots=True)
class Spoken:
    """Who and what was last spoken of in a conversation, and by whom: what "she", "it" and "they"
    mean next. Another speaker's "it" may be anything; the last `statement` of one value is what a
    correction corrects, whoever makes it."""

    person: str = ""
    thing: str = ""
    things: str = ""
    speaker: str = ""
    statement: Statement | None = None


class _Within(NamedTuple):
    """Who and what the clauses before of the same sentence spoke of, and the last thing of
    somebody's that they named."""

    person: str = ""
    thing: str = ""
    possessed: str = ""


_NOTHING = _Within()


class Utterance(NamedTuple):
    """Who says a text, to whom, and when: `speaker` is the first person and `addressee` the
    second, where they are known. `said_on` is the day (ISO) or None, `now` the instant, `spoken`
    what was spoken of before."""

    speaker: str = ""
    addressee: str = ""
    said_on: str | None = None
    now: str | None = None
    spoken: Spoken | None = None


@dataclass(slots=True)
class Phrases:
    """Those of one sentence after another of one text. `cut` are words that belong to no phrase
    for now, and what is said stands behind `floor`."""

    text: str
    utterance: Utterance
    spoken: Spoken = field(init=False)
    sentence: Sentence = field(init=False)
    times: dict[int, TimeSpan] = field(init=False)
    days: dict[int, tuple[int, ...]] = field(init=False)
    cut: tuple[int, ...] = ()
    floor: int = -1
    goes_on: bool = False
    """Whether what comes next is a clause of the same sentence."""
    within: _Within = _NOTHING

    def __post_init__(self) -> None:
        self.spoken = self.utterance.spoken or Spoken()
        if self.spoken.speaker != self.utterance.speaker:
            self.spoken.thing = self.spoken.things = ""
            self.spoken.speaker = self.utterance.speaker

    def turn_to(self, sentence: Sentence) -> None:
        """Go on with another sentence, or with another clause of the same."""
        self.within = self._spoken_within() if self.goes_on else _NOTHING
        self.sentence = sentence
        self.times = self._times(sentence)
        self.days = self._days(sentence)
        self.cut, self.floor = (), -1

    def _spoken_within(self) -> _Within:
        """What the clause before, or one before that, spoke of."""
        end, before = len(self.sentence.tokens), self.within
        return _Within(
            self._named_before(end) or before.person,
            self._topic() or self._thing_before(end) or before.thing,
            self.possessed() or before.possessed,
        )

    def _topic(self) -> str:
        """What the next clause is announced to be of: "Robot: it was repaired"."""
        tokens = self.sentence.tokens
        at = len(tokens) - 2
        announced = at >= 0 and tokens[-1].form == ":" and self.sentence.root == at
        named = announced and tokens[at].tag in ("NOUN", "PROPN", "X")
        if not named or tokens[at].lemma in ANNOUNCING:
            return ""
        return self.name(at)

    def each(self, at: int) -> list[int]:
        """The subject at a word, or each of "Bob and Alice", "my wife and I"."""
        tokens = self.sentence.tokens
        others = [
            child
            for child in (self.sentence.under[at] if at >= 0 else ())
            if tokens[child].label == "conj" and tokens[child].tag in ("PROPN", "PRON", "NOUN")
        ]
        return [at, *others]

    def _times(self, sentence: Sentence) -> dict[int, TimeSpan]:
        piece = self.text[sentence.start : sentence.end]
        found: dict[int, TimeSpan] = {}
        for span in find_spans(piece, now=self.utterance.now):
            if span.interval.backwards:
                continue
            own = _words_of(sentence, span.start, span.end)
            if not _is_part_of_name(sentence, own):
                found.update(dict.fromkeys(own, span))
        return found

    def _days(self, sentence: Sentence) -> dict[int, tuple[int, ...]]:
        """Of each word of a time, the words of that time; days without a year are times too."""
        piece = self.text[sentence.start : sentence.end]
        found: dict[int, tuple[int, ...]] = {}
        spans = {(span.start, span.end) for span in self.times.values()}
        stretches = _united((*spans, *(m.span() for m in _DAY.finditer(piece))))
        for start, end in _listed(piece, stretches):
            words = tuple(
                at
                for at in _words_of(sentence, start, end)
                if sentence.tokens[at].tag not in ("ADP", "PUNCT", "DET", "SCONJ")
                or sentence.tokens[at].lemma in _EVERY
            )
            if not _is_part_of_name(sentence, words):
                found.update(dict.fromkeys(words, words))
        return found

    def pronoun(self, at: int) -> str | None:
        """Whom a pronoun means; None where it is none, "" where nobody knows."""
        low = self.sentence.tokens[at].form.lower()
        if low == "one" and self.sentence.under[at]:
            return None
        first = next((each for each, forms in _PRONOUNS.items() if low in forms), None)
        if first is None:
            none = self.sentence.tokens[at].tag == "PRON" or low in _NOBODY
            return "" if none else None
        return self._meant(first, at)

    def _meant(self, first: str, at: int) -> str:
        match first:
            case "i":
                return self.utterance.speaker or "user"
            case "we":
                return "we"
            case "you":
                return self.utterance.addressee
            case "he":
                return self._named_before(at) or self.within.person or self.spoken.person
            case "they":
                return self.spoken.things
            case _:
                return self._thing_before(at) or self.within.thing or self.spoken.thing

    def _thing_before(self, at: int) -> str:
        """What the sentence itself speaks of before "it"."""
        before = self._subject_before(at)
        if before < 0 or not self._is_antecedent(before):  # "I changed my number, it's …"
            before = self._subject_before(at, (*_SUBJECTS, "obj"))
        return self.name(before) if before >= 0 and self._is_antecedent(before) else ""

    def _is_antecedent(self, at: int) -> bool:
        token = self.sentence.tokens[at]
        return (
            token.tag == "NOUN"
            and token.lemma not in KIN
            and not self._is_indefinite(at)
            and (self.is_definite(at) or self.is_bare(at))
        )

    def _named_before(self, at: int) -> str:
        """Who the sentence itself speaks of before a pronoun: "Rosa changed her surname", "my boss
        is Sanjay, he …"."""
        if titled := self._titled_before(at):
            return titled
        before = self._subject_before(at)
        tokens = self.sentence.tokens
        if before >= 0 and tokens[before].lemma in KIN and not self._is_indefinite(before):
            return self.name(before)
        if before >= 0 and tokens[before].tag == "NOUN":
            said = tokens[before].head
            named = 0 <= said < at and tokens[said].tag == "PROPN"
            before = said if named else -1
        named = before >= 0 and tokens[before].tag == "PROPN"
        return self.plain(before) if named and self.is_person(before) else ""

    def _titled_before(self, at: int) -> str:
        """The last name with a title before a word: "talk to Ms Lie, she …"."""
        tokens = self.sentence.tokens
        for before in range(at - 1, 0, -1):
            title = tokens[before - 1].form.rstrip(".").lower()
            if tokens[before].tag == "PROPN" and title in _TITLES:
                return self.names_from(before - 1)
        return ""

    def is_somebody(self, at: int) -> bool:
        """Whether it is "he" or "she"."""
        return self.sentence.tokens[at].form.lower() in ("he", "she")

    def _subject_before(self, at: int, labels: tuple[str, ...] = _SUBJECTS) -> int:
        """The last subject before a word that is no part of it; -1 without one."""
        tokens = self.sentence.tokens
        for before in range(at - 1, -1, -1):
            if tokens[before].label in labels and tokens[before].tag != "PRON":
                return -1 if self.hangs_on(at, before) else before
        return -1

    def name(self, at: int) -> str:
        """What a subject is called; empty where it is nobody or nothing in particular."""
        known = self.pronoun(at)
        if known is not None:
            return known
        tokens = self.sentence.tokens
        if tokens[at].tag not in _NAMING or self._is_indefinite(at) or self._is_called(at):
            return ""
        if tokens[at].lemma in KIN and (appositive := self.appositive(at)) >= 0:
            return self.names_from(appositive)
        if tokens[at].tag == "PROPN" and at and tokens[at - 1].lemma in KIN:
            return self.names_from(at)
        owner = self.possessor(at)
        if owner is None:
            return self._lowered(at, self.proper(self.words(at, without=self._of_now(at))))
        return self._of_owner(at, *owner)

    def _of_now(self, at: int) -> list[int]:
        """The words before a noun that tell it from none that there is: the "new" of "new rep"."""
        tokens = self.sentence.tokens
        return [
            c
            for c in self.sentence.under[at]
            if c < at
            and tokens[c].label == "amod"
            and tokens[c].lemma in _OF_NOW
            and tokens[at].tag == "NOUN"
        ]

    def kind(self, at: int) -> str:
        """What things of one kind are called: "logs", "all services"; empty where it is none."""
        tokens = self.sentence.tokens
        plural = tokens[at].form.lower() != tokens[at].lemma
        if tokens[at].tag != "NOUN" or not plural or tokens[at].lemma in KIN:
            return ""
        under = [tokens[child] for child in self.sentence.under[at]]
        several = any(t.label in ("det", "nummod", "advmod") and t.lemma != "all" for t in under)
        return "" if several else self._lowered(at, self.plain(at))

    def _lowered(self, at: int, name: str) -> str:
        """What only begins the sentence with a capital, without it: "Logs" are logs."""
        first = self.sentence.tokens[0]
        token = self.sentence.tokens[at]
        common = token.tag == "NOUN" and token.lemma not in KIN and name.startswith(first.form)
        common = common and not any(c.isdigit() for c in name)
        written = first.form[1:] == first.form[1:].lower() and first.tag != "PROPN"
        return f"{name[0].lower()}{name[1:]}" if common and written and name else name

    def is_plural(self, at: int) -> bool:
        """Whether it is a noun of several: "the tests"."""
        token = self.sentence.tokens[at]
        return token.tag == "NOUN" and token.form.lower() != token.lemma

    def is_specific(self, at: int) -> bool:
        """Whether it is a name, a number or a time: what could be no other."""
        token = self.sentence.tokens[at]
        return (
            token.tag in ("PROPN", "NUM", "SYM", "X")
            or self.is_coded(at)
            or self.is_time(at)
            or self.has_number(at)
            or self.has_proper(at)
        )

    def is_coded(self, at: int) -> bool:
        """Whether it is no plain word: "B3", "us-east-1", "dbT"."""
        form = self.sentence.tokens[at].form
        return not form.isalpha() or any(c.isupper() for c in form[1:])

    def _is_indefinite(self, at: int) -> bool:
        """As in "a dog", "some people", "dogs": none in particular."""
        tokens = self.sentence.tokens
        under = [tokens[child] for child in self.sentence.under[at]]
        if any(
            t.label in ("det", "advmod", "amod") and t.form.lower() in _INDEFINITE for t in under
        ):
            return True
        if any(t.label == "nummod" for t in under) and not any(
            t.label in ("det", "nmod:poss") for t in under
        ):
            return True
        bare = not any(t.label in ("det", "nmod:poss") for t in under)
        return bare and tokens[at].tag == "NOUN" and tokens[at].form.lower() != tokens[at].lemma

    def _is_called(self, at: int) -> bool:
        """Whether a name only calls somebody: "Wow Ann, that is great"."""
        tokens = self.sentence.tokens
        comma = at + 1 < len(tokens) and tokens[at + 1].form in (",", "!")
        closed = any(
            tokens[child].label in ("acl:relcl", "appos", "conj", "acl")
            for child in self.sentence.under[at]
        )
        after = tokens[at + 2] if at + 2 < len(tokens) else None
        described = after is not None and (after.tag == "DET" or after.lemma in ("who", "which"))
        return tokens[at].tag == "PROPN" and comma and not (closed or described)

    def _of_owner(self, at: int, whose: str, child: int) -> str:
        rest = self.words(at, without=(child,))
        if not whose or not rest:
            return ""
        if whose == "we" and self.sentence.tokens[child].tag == "PRON":
            return self.proper(rest)
        return self.proper(f"{_genitive(whose)} {rest}")

    def appositive(self, at: int) -> int:
        """The name right behind a noun, which is called so: "my sister Ann"; -1 without one."""
        tokens = self.sentence.tokens
        after = at + 1
        if (
            after < len(tokens)
            and tokens[after].tag == "PROPN"
            and (
                tokens[after].head == at
                or tokens[at].head == after
                or tokens[after].label in ("nsubj", "nsubj:pass", "appos", "flat")
            )
        ):
            return after
        for child in self.sentence.under[at]:  # "Emre's girlfriend, Pia, …"
            if child > at and tokens[child].label == "appos" and tokens[child].tag == "PROPN":
                return child
        return -1

    def names_from(self, at: int) -> str:
        """The names that stand side by side from `at` on."""
        tokens = self.sentence.tokens
        end = at
        while end + 1 < len(tokens) and tokens[end + 1].tag == "PROPN":
            end += 1
        return self.proper(phrase(self.text, self.sentence, range(at, end + 1)))

    def plain(self, at: int) -> str:
        return self.proper(self.words(at))

    def words(self, at: int, *, without: Sequence[int] = ()) -> str:
        cut = [i for i in (*self.days, *self.times, *self.cut) if i != at]
        cut += self.each(at)[1:]
        words = self._whole(span_of(self.sentence, at, without=(*without, *cut)))
        return singular(phrase(self.text, self.sentence, words))

    def proper(self, name: str) -> str:
        return name if 0 < len(name.split()) <= _LONGEST_NAME and "\n" not in name else ""

    def possessor(self, at: int) -> tuple[str, int] | None:
        """(whose, the word that says so) of "my X" and "Dana's X"; None where nobody is named."""
        tokens = self.sentence.tokens
        for child in self.sentence.under[at]:
            if tokens[child].label == "nmod:poss":
                timely = tokens[child].lemma.lower() in _SPELLS
                if timely or child in self.days or child in self.times:
                    return None  # "last night's incident"
                known = self.pronoun(child)
                if known is None:
                    words = [
                        w
                        for w in span_of(self.sentence, child)
                        if tokens[w].form.lower() not in ("'s", "’s", "'", "’")
                    ]
                    known = self.proper(singular(phrase(self.text, self.sentence, words)))
                    if self._is_somebodys(child):  # "my son's teacher"
                        known = self.name(child)
                return known, child
        return None

    def _is_somebodys(self, at: int) -> bool:
        tokens = self.sentence.tokens
        return any(tokens[child].label == "nmod:poss" for child in self.sentence.under[at])

    def owned(self, at: int) -> tuple[str, str] | None:
        """(owner, attribute) of "my X", "Dana's X" and "the X of Dana"."""
        tokens = self.sentence.tokens
        if tokens[at].tag not in ("NOUN", "PROPN"):
            return None
        attribute = self.attribute(at)
        if self.is_counted(at):
            return None  # "4000 lines of Perl"
        if (another := self._another_one(at)) is not None:
            return another
        if (owner := self.possessor(at)) is not None:
            return (
                (owner[0], f"{attribute}{self._qualifier(at)}")
                if all((owner[0], attribute))
                else None
            )
        for child in self.sentence.under[at]:
            if tokens[child].label == "nmod" and self.case(child) in ("of", "for"):
                name = self.name(child)
                return (name, attribute) if name and attribute else None
        return None

    def _another_one(self, at: int) -> tuple[str, str] | None:
        """(owner, attribute) of "the second one", behind "my main supervisor"."""
        tokens = self.sentence.tokens
        modifiers = [c for c in self.sentence.under[at] if tokens[c].label == "amod" and c < at]
        if tokens[at].form.lower() != "one" or not modifiers:
            return None
        for before in range(at - 1, -1, -1):
            owner = self.possessor(before) if tokens[before].tag == "NOUN" else None
            if owner is not None and owner[0]:
                return owner[0], f"{tokens[modifiers[-1]].form.lower()} {tokens[before].lemma}"
        return None

    def _qualifier(self, at: int) -> str:
        """What tells one of an owner's things from another: the "for Q3" of "our budget for Q3"."""
        for child in self.sentence.under[at]:
            if self.sentence.tokens[child].label == "nmod" and self.case(child) in ("of", "for"):
                name = self.name(child)
                return f" {self.case(child)} {name}" if name else ""
        return ""

    def attribute(self, at: int) -> str:
        """The noun with what stands before it: "retry limit", "favorite colour"."""
        tokens = self.sentence.tokens
        kept = [
            c
            for c in self.sentence.under[at]
            if c < at
            and tokens[c].label in ("compound", "amod", "nummod", "flat")
            and tokens[c].lemma not in _NOT_TELLING
        ]
        words = sorted({w for c in kept for w in span_of(self.sentence, c)} | {at})
        said = phrase(self.text, self.sentence, words)
        return said if any(c.isupper() for c in said[1:]) else said.lower()

    def case(self, at: int) -> str:
        """The preposition that stands before the phrase of `at`, wherever the parse hangs it."""
        return self._case_before(at)[1]

    def case_behind(self, at: int) -> str:
        """The preposition of a phrase where it stands behind the verb."""
        begin, words = self._case_before(at)
        return words if begin > self.floor else ""

    def _case_before(self, at: int) -> tuple[int, str]:
        """Where the phrase of `at` begins, behind its preposition, and that; -1 without one."""
        tokens = self.sentence.tokens
        own, todo = {at}, [at]
        while todo:
            for child in self.sentence.under[todo.pop()]:
                if child < at and tokens[child].label not in _BEFORE_CASE:
                    own.add(child)
                    todo.append(child)
        first = at
        while first and (
            first - 1 in own
            or tokens[first - 1].label == "det"
            or self._is_glued(first)
            or tokens[first - 1].form in _QUOTES
        ):
            first -= 1
        words: list[str] = []
        begin = first
        while first and self._is_case(first - 1):
            first -= 1
            words.insert(0, tokens[first].lemma)
        if words[-1:] == ["at"] and tokens[begin].lemma in _BOUNDS:
            return -1, ""  # "at least three" is an amount
        return (begin if words else -1), " ".join(words)

    def _is_glued(self, at: int) -> bool:
        """Whether a word goes on where a mark before it ends, or ends at one: "parser-kit"."""
        one, other = self.sentence.tokens[at - 1], self.sentence.tokens[at]
        return one.end == other.start and (one.form in _GLUE or other.form in _GLUE)

    def _whole(self, words: Sequence[int]) -> list[int]:
        """The words with those that are written together with them."""
        whole = set(words)
        for at in words:
            for step in (-1, 1):
                i = at
                while 0 < max(i, i + step) < len(self.sentence.tokens) and self._is_glued(
                    max(i, i + step)
                ):
                    i += step
                    whole.add(i)
        last = max(whole, default=-1)
        while last >= 0 and self._goes_on(last):  # "0733-41 90 22"
            last += 1
            whole.add(last)
        return sorted(whole)

    def _goes_on(self, at: int) -> bool:
        """Whether a number of several groups goes on behind a word."""
        tokens = self.sentence.tokens
        after = tokens[at + 1].form if at + 1 < len(tokens) else ""
        return tokens[at].form.isdigit() and after.isdigit() and not self.is_time(at)

    def _is_case(self, at: int) -> bool:
        token = self.sentence.tokens[at]
        if token.tag in ("PART", "SYM") or token.label == "compound:prt":
            return False
        return token.label in ("case", "fixed") or token.tag == "ADP"

    def values(self, at: int, *, split: bool) -> list[tuple[str, list[int]]]:
        """What is said, and its words; each of "Redis and Kafka" for itself where `split`."""
        tokens = self.sentence.tokens
        if self.pronoun(at) == "":
            return []
        others = [
            c
            for c in self.sentence.under[at]
            if tokens[c].label == "conj" and tokens[c].tag in ("NOUN", "PROPN", "NUM", "X")
        ]
        heads = [at, *others] if split else [at]
        found: list[tuple[str, list[int]]] = []
        if at in self.days:
            words = list(self.days[at])
            piece = self.text[tokens[words[0]].start : tokens[words[-1]].end]
            return [(clean(piece), words)] if len(piece.split()) <= _LONGEST_VALUE else []
        for head in heads:
            leave = [c for c in others if head == at] if split else []
            leave += [t for t in (*self.days, *self.times, *self.cut) if t != head]
            leave += [c for c in self.sentence.under[head] if self._is_outside(head, c)]
            floor = max(self.floor, self._case_before(head)[0] - 1)
            if head < self.floor:
                floor = -1
            words = self._whole(
                [w for w in span_of(self.sentence, head, without=leave) if w > floor]
            )
            said = clean(phrase(self.text, self.sentence, words))
            if is_object(said) and len(said.split()) <= _LONGEST_VALUE:
                found.append((said, words))
        return found

    def _is_outside(self, head: int, child: int) -> bool:
        """Whether a word under a value is no part of it."""
        tokens = self.sentence.tokens
        if self._is_apart(head, child):
            return True
        adverb = tokens[child].label in ("advmod", "obl") and tokens[child].tag == "ADV"
        if adverb and tokens[head].tag in ("NOUN", "PROPN"):
            return True
        company = tokens[head].tag == "PROPN" and tokens[child].tag in ("NOUN", "PROPN")
        case = self.case(child)
        return case in ("instead of", "rather than") or (company and case == "with")

    def _is_apart(self, head: int, child: int) -> bool:
        """Whether a word behind a comma tells something else: "12, children 7"."""
        tokens = self.sentence.tokens
        after = child > head and tokens[child].label not in ("flat", "appos", "punct")
        first = min(span_of(self.sentence, child), default=child)
        comma = after and tokens[first - 1].form == ","
        listed = tokens[child].label == "conj" and tokens[child].tag == tokens[head].tag
        return comma and not listed and tokens[head].tag in ("NUM", "PROPN", "NOUN", "SYM")

    def is_time(self, at: int) -> bool:
        token = self.sentence.tokens[at]
        return at in self.days or at in self.times or token.lemma.lower() in _NAMES_OF_TIMES

    def is_recurring(self, at: int) -> bool:
        """Whether it is a time that comes again: "Wednesdays", "every night", "7:30"."""
        tokens = self.sentence.tokens
        words = self.days.get(at, (at,))
        lows = [tokens[i].form.lower() for i in words]
        return any(
            low in _EVERY
            or low in _OFTEN
            or ":" in low
            or (low.endswith("days") and low[:-1] in _NAMES_OF_TIMES)
            for low in lows
        )

    def is_loose(self, at: int) -> bool:
        """Whether a phrase without a preposition is no object: "a month", ", same time"."""
        tokens = self.sentence.tokens
        if tokens[at].tag != "NOUN":
            return False
        top = tokens[at].head
        apart = any(tokens[i].form == "," for i in range(top + 1, at))
        return apart or (self.is_kind(at) and tokens[at - 1].lemma == "a")

    def is_often(self, at: int) -> bool:
        """Whether it tells how often: "twice a week"."""
        words = self.days.get(at, ())
        return any(self.sentence.tokens[i].form.lower() in _OFTEN for i in words)

    def clause_of(self, at: int) -> int:
        """The main word of the clause that a word belongs to."""
        tokens = self.sentence.tokens
        while tokens[at].head >= 0 and not is_predicate(self.sentence, at):
            at = tokens[at].head
        return at

    def is_anew(self, predicate: int) -> bool:
        """Whether a clause says that it is so now, as it was not before."""
        tokens = self.sentence.tokens
        for at, token in enumerate(tokens):
            low = token.form.lower()
            after = tokens[at + 1].form.lower() if at + 1 < len(tokens) else ""
            sign = low in _NOW or (low == "these" and after == "days")
            newly = low == "new" and token.label == "amod"
            begun = low in _SINCE and token.tag in ("ADP", "SCONJ") and self._is_date_behind(at)
            if (sign or newly or begun) and self.clause_of(at) == predicate:
                return True
        return False

    def _is_date_behind(self, at: int) -> bool:
        """Whether a word leads a time: "since today", "from next month"."""
        dated = self.times | self.days
        return any(i in dated for i in range(at + 1, min(at + 3, len(self.sentence.tokens))))

    def is_age(self, at: int) -> bool:
        """Whether it is a number of years: "six", "91 years old" by its number."""
        tokens = self.sentence.tokens
        form = tokens[at].form
        alone = not any(
            tokens[c].tag == "NOUN" and not tokens[c].label.startswith("nsubj")
            for c in self.sentence.under[at]
        )
        return (
            tokens[at].tag == "NUM"
            and alone
            and ((form.isdigit() and int(form) < _OLDEST) or form.isalpha())
        )

    def is_person(self, at: int) -> bool:
        token = self.sentence.tokens[at]
        if token.tag == "PROPN" and self.sentence.under[at]:
            return (
                not any(
                    self.sentence.tokens[c].label in ("det", "nmod:poss")
                    for c in self.sentence.under[at]
                )
                or token.lemma in KIN
            )
        return token.form.lower() in ("i", "he", "she", "you") or (
            token.tag == "PROPN" or token.lemma in KIN
        )

    def is_kind(self, at: int) -> bool:
        """Whether it is "a nurse", with no clause on it, and no mere figure of speech."""
        tokens = self.sentence.tokens
        under = [tokens[c] for c in self.sentence.under[at]]
        article = any(t.label == "det" and t.lemma == "a" for t in under)
        return article and tokens[at].lemma not in _NO_KIND

    def is_role(self, at: int) -> bool:
        """Whether it is the only one of its kind: "the tech lead", "the minimum version"."""
        tokens = self.sentence.tokens
        under = [tokens[c] for c in self.sentence.under[at] if c < at]
        the = any(t.label == "det" and t.lemma == "the" for t in under)
        modified = any(t.label in ("compound", "amod") for t in under)
        whole = not any(
            tokens[c].label in ("acl", "acl:relcl", "advcl") for c in self.sentence.under[at]
        )
        judged = (
            tokens[at].lemma in _NOBODY
            or self.is_judged(at)
            or any(
                t.label == "amod" and (t.lemma in _RANKING or t.form.lower().endswith("est"))
                for t in under
            )
        )
        return tokens[at].tag == "NOUN" and the and modified and whole and not judged

    def is_modified(self, at: int) -> bool:
        """Whether it is a noun that is told more of: "an expired certificate"."""
        tokens = self.sentence.tokens
        modified = any(
            tokens[c].label in ("amod", "compound") and c < at for c in self.sentence.under[at]
        )
        return tokens[at].tag == "NOUN" and modified and not self.is_judged(at)

    def is_bare(self, at: int) -> bool:
        """Whether it is a noun of one that needs no article: "staging", "production"."""
        tokens = self.sentence.tokens
        return (
            tokens[at].tag == "NOUN"
            and not self.is_plural(at)
            and not any(
                tokens[c].label in ("det", "amod", "nummod", "nmod:poss")
                for c in self.sentence.under[at]
                if tokens[c].lemma not in _OF_NOW
            )
        )

    def is_role_name(self, at: int) -> bool:
        """Whether it may be what somebody is: "product owner"."""
        return at >= 0 and self.sentence.tokens[at].tag == "NOUN" and not self.is_judged(at)

    def is_we(self, at: int) -> bool:
        """Whether it is "we"."""
        return self.sentence.tokens[at].form.lower() == "we"

    def is_definite(self, at: int) -> bool:
        tokens = self.sentence.tokens
        return tokens[at].tag == "PROPN" or any(
            tokens[c].label in ("det", "nmod:poss")
            or (tokens[c].label == "compound" and c < at and self.is_definite(c))
            for c in self.sentence.under[at]
        )

    def is_measure(self, at: int) -> bool:
        """Whether a word is a number or a time, or is counted by one."""
        return self.is_time(at) or self.sentence.tokens[at].tag == "NUM" or self.has_number(at)

    def has_number(self, at: int) -> bool:
        tokens = self.sentence.tokens
        form = tokens[at].form
        if tokens[at].tag == "SYM" or form.lstrip("+-~<>$€£¥#v.")[:1].isdigit():
            return True
        if "=" in form:
            return True  # "max_connections=300"
        return any(
            tokens[c].tag == "NUM"
            and (
                tokens[c].label in ("nummod", "compound", "nmod")
                or (tokens[c].label == "flat" and tokens[at].tag == "NOUN")  # "firmware 3.8"
            )
            for c in self.sentence.under[at]
        )

    def is_numbered(self, at: int) -> bool:
        """Whether a number behind it tells which: "door 4"."""
        tokens = self.sentence.tokens
        return any(
            tokens[c].tag == "NUM" and tokens[c].label == "flat" for c in self.sentence.under[at]
        )

    def numbered(self, at: int) -> str:
        """What a number is of: the "plot" of "plot 17"; empty where it is of nothing."""
        token = self.sentence.tokens[at] if at >= 0 else None
        return token.lemma if token and token.tag == "NOUN" and self.is_numbered(at) else ""

    def is_mine(self, at: int) -> bool:
        """Whether it stands for what is somebody's: "mine"."""
        return self.sentence.tokens[at].form.lower() in _OWNED_BY

    def has_article(self, at: int) -> bool:
        """Whether "a" or "the" stands before it, as before no name of a person or a city."""
        tokens = self.sentence.tokens
        return any(tokens[child].label == "det" for child in self.sentence.under[at])

    def is_counted(self, at: int) -> bool:
        """Whether a number stands before it: "two kids"."""
        tokens = self.sentence.tokens
        return any(tokens[child].label == "nummod" for child in self.sentence.under[at])

    def has_proper(self, at: int) -> bool:
        """Whether a name belongs to it: "a Volvo estate"."""
        tokens = self.sentence.tokens
        return any(tokens[child].tag == "PROPN" for child in self.sentence.under[at])

    def is_thing(self, at: int) -> bool:
        """Whether a word can be what is said: no pronoun, no clause."""
        return self.sentence.tokens[at].tag in _NAMING

    def is_pointed_at(self, at: int) -> bool:
        """Whether only those who are there know which: "this one", "some of it", "your idea"."""
        tokens = self.sentence.tokens
        if tokens[at].tag == "PROPN" and self._has_some(at):
            return False  # "some Leon" is Leon
        return any(
            tokens[child].form.lower() in _POINTING
            for child in self.sentence.under[at]
            if tokens[child].label in ("det", "amod", "nmod:poss")
        )

    def _has_some(self, at: int) -> bool:
        return any(self.sentence.tokens[c].lemma == "some" for c in self.sentence.under[at])

    def is_title(self, at: int) -> bool:
        """Whether it is what somebody is, without an article: "lead pharmacist"."""
        tokens = self.sentence.tokens
        alone = not any(tokens[c].label in ("det", "nmod:poss") for c in self.sentence.under[at])
        return alone and self.is_modified(at) and not self.is_plural(at) and not self.is_time(at)

    def titles(self, at: int) -> list[int]:
        """The words before a name that belong to it: the "Mr" of "Mr Prosser"."""
        tokens, first = self.sentence.tokens, at
        while first and tokens[first - 1].tag == "PROPN" and tokens[first - 1].head == at:
            first -= 1
        return list(range(first, at))

    def is_date(self, at: int) -> bool:
        """Whether it is a day of a month: "15 December"."""
        tokens = self.sentence.tokens
        words = self.days.get(at, (at,))
        named = any(tokens[i].form.lower() in MONTH_NAMES for i in words)
        return named and any(c.isdigit() for i in words for c in tokens[i].form)

    def is_judged(self, at: int) -> bool:
        """Whether a complement is what somebody thinks of it: "the best thing", "my rock"."""
        tokens = self.sentence.tokens
        if tokens[at].lemma in _NO_KIND:
            return True
        return any(
            (tokens[child].label == "nmod:poss" and tokens[child].tag == "PRON")
            or (tokens[child].label == "amod" and tokens[child].lemma in _JUDGING)
            for child in self.sentence.under[at]
        )

    def hangs_on(self, at: int, other: int) -> bool:
        """Whether a word hangs, over whatever others, on another one."""
        tokens = self.sentence.tokens
        if at >= len(tokens):
            return False
        while at >= 0 and at != other:
            at = tokens[at].head
        return at == other

    def possessed(self) -> str:
        """The last thing of somebody's that the sentence names: the "budget" of "Ann's budget is
        3k, Bob's is 2k"."""
        tokens = self.sentence.tokens
        for at, token in enumerate(tokens):
            if self.is_mine(at) and (what := self.numbered(token.head)):
                return what
            if token.tag == "NOUN" and any(
                tokens[c].label == "nmod:poss" for c in self.sentence.under[at]
            ):
                return self.attribute(at)
        return self.within.possessed

    def is_genitive(self, at: int) -> bool:
        """Whether a name stands for what is somebody's: "Kwame's is 1.5k", "it is Tobi's"."""
        tokens = self.sentence.tokens
        after = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
        return tokens[at].tag == "PROPN" and after.form in ("'s", "’s") and after.tag == "PART"

    def spoken_of(self) -> None:
        """Remember whom and what later pronouns may mean."""
        tokens = self.sentence.tokens
        for at, token in enumerate(tokens):
            of_us = token.label == "obj" and token.lemma in KIN and self._is_indefinite(at)
            if of_us:  # "we got a cat": she is ours
                subject = next(
                    (c for c in self.sentence.under[token.head] if tokens[c].label == "nsubj"), -1
                )
                whose = self.pronoun(subject) if subject >= 0 else None
                self.spoken.person = f"{_genitive(whose)} {token.lemma}" if whose else ""
            if token.label not in ("nsubj", "nsubj:pass") or token.tag == "PRON":
                continue
            name = self.name(at)
            if name and (token.tag == "PROPN" or token.lemma in KIN):
                self.spoken.person = name
            elif name and token.tag == "NOUN":
                self.spoken.thing = name
            if self.is_plural(at) and token.lemma not in KIN:
                self.spoken.things = name or self.kind(at)


def _genitive(name: str) -> str:
    if name == "we":
        return "our"
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _words_of(sentence: Sentence, start: int, end: int) -> list[int]:
    """The words in a stretch of the sentence, counted from its begin."""
    return [
        at
        for at, token in enumerate(sentence.tokens)
        if start <= token.start - sentence.start < end
    ]


def _united(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches in order, those that overlap as one: "Friday 12 March" and "12 March 2027"."""
    begin = end = -1
    for one, other in sorted(spans):
        if one >= end:
            if end > begin:
                yield begin, end
            begin, end = one, other
        end = max(end, other)
    if end > begin:
        yield begin, end


def _listed(piece: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches in order, days of the week beside each other as one: "Mondays and Thursdays"."""
    begin = end = -1
    for one, other in spans:
        joined = end >= 0 and _AND.fullmatch(piece, end, one)
        if joined and _WEEKDAY.fullmatch(piece, one, other) and _WEEKDAY.search(piece, begin, end):
            end = other
            continue
        if end > begin:
            yield begin, end
        begin, end = one, other
    if end > begin:
        yield begin, end


def _is_part_of_name(sentence: Sentence, words: Sequence[int]) -> bool:
    """Whether what looks like a time is the number of a thing: "a 2012 Golf", "Ubuntu 22.04"."""
    tokens = sentence.tokens
    tops = [at for at in words if tokens[at].head not in words]
    if len(tops) != 1 or any(tokens[at].tag != "NUM" for at in words):
        return False
    top = tokens[tops[0]]
    named = top.head >= 0 and tokens[top.head].tag in ("PROPN", "X", "NOUN", "SYM")
    timely = top.head >= 0 and tokens[top.head].lemma.lower() in _NAMES_OF_TIMES | _CLOCK
    return named and not timely and top.label in ("nummod", "flat", "compound")
