"""The phrases of a parsed sentence: what a subject is called, whose something is, what is said,
and which words tell a time."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from quipu.extract.grammar import Sentence
from quipu.extract.grammar.clauses import Clause, clauses, is_predicate, phrase, span_of
from quipu.extract.grammar.people import GENDERS, HUMAN, KIN, TITLES, Gender, genitive
from quipu.extract.statements.mentions import Mention, Recalled, Sought, mentions_of
from quipu.extract.statements.statement import (
    CONFIDENCE,
    RULE,
    Statement,
    clean,
    is_object,
    singular,
)
from quipu.when import TimeSpan, find_lasting, find_partial, find_spans
from quipu.when.dates import MONTH, MONTH_NAMES
from quipu.when.intervals import Interval

__all__ = ["ANNOUNCING", "JUDGING", "NO_KIND", "Phrases", "Utterance"]

_LONGEST_VALUE, _LONGEST_NAME = 14, 7
_INDEFINITE = frozenset(
    "a an any some every no each another all most many few several either neither both half what "
    "which whatever whichever such".split()
)
ANNOUNCING = frozenset(
    "note question update decision edit ps example tip warning option answer correction "
    "reminder news thought plan point idea step re topic subject quote fact".split()
)
"""What only says that something is told: "Note: …"."""
_POINTING = frozenset("this that these those such some any same your yours another which".split())
_NOTHING_NAMED = frozenset({"thing", "stuff"})
_SIGNS = frozenset("£$€")
_MONEY = frozenset(
    "euro euros eur pound pounds quid gbp dollar dollars buck bucks usd cent cents pence krona "
    "kronor krone kroner franc francs zloty rupee rupees".split()
)
_RANKING = frozenset("first second third last next only same other right wrong one".split())
_OLDEST = 130
_BOUNDS = frozenset({"least", "most", "little", "many"})
_NOW = frozenset("now nowadays instead henceforth onwards again back".split())
_SINCE = frozenset({"since", "from"})
_QUOTES = frozenset({'"', "“", "‘"})
_SPELLS = frozenset("today yesterday tomorrow tonight night week month year".split())
_PER = frozenset({"a", "an", "per", "each", "every"})
_MOMENTS = frozenset("then noon midnight lunch".split()) | _SPELLS
_GLUE = frozenset("-–/_.:@#+")
_CLOCK = frozenset("am pm a.m. p.m. o'clock clock hour".split())
_NAMES_OF_TIMES = MONTH_NAMES | frozenset(
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
_PARTS_OF_DAYS = frozenset("mornings afternoons evenings nights weekends".split())
_EVERY = ("every", "each")
_QUARTERS = ("half", "quarter", "till", "until")
_OFTEN = ("once", "twice", "times")
_STAYING = frozenset("i we he she they".split())
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_PART_OF_DAY = "(?:in the (?:morning|afternoon|evening)|at night)"
_BEHIND_DAY = "at|in|and|to|for|from|until|till|so|with|by|on|but"
_NTH = "(?:first|second|third|fourth|last|1st|2nd|3rd|4th)"
_DAY = re.compile(
    rf"\b(?:every |each )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"(?:,? (?=\d|the \d|{MONTH}))?)?"
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}\b"
    rf"|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b)"
    rf"|\b(?:the )?{_NTH} (?:(?:and|,) (?:the )?{_NTH} )?(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"(?: (?:of|in) (?:the|each|every) month\b|s?\b)"
    r"|\b(?:(?:every|each) (?:other |second )?)?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"(?: (?:mornings|afternoons|evenings|nights))?)\b"
    r"|\b(?:every|each) (?:other |second )?(?:morning|evening|night|day|week|month|quarter)\b"
    r"(?: at \d{1,2}(?:[:.]\d\d)?(?: ?[ap]m)?)?"
    r"|\b(?:once|twice|\d+ times|several times) (?:an?|per|every) \w+\b"
    rf"|\b(?:(?:half|quarter) (?:past|to) )?(?:\d{{1,2}}(?:[:.]\d\d)?|{_HOURS}) {_PART_OF_DAY}\b"
    r"|\b\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]m\b"
    rf"|\bthe \d{{1,2}}(?:st|nd|rd|th)\b(?! (?!(?:{_BEHIND_DAY})\b)\w)"
    rf"|\b(?:half|quarter) (?:past|to) (?:\d{{1,2}}|{_HOURS})\b"
    rf"|\b(?:\d{{1,2}}(?:[:.]\d\d)?|{_HOURS}) (?:till|until) (?:\d{{1,2}}(?:[:.]\d\d)?|{_HOURS})\b",
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
    "he": frozenset("he him his himself".split()),
    "she": frozenset("she her hers herself".split()),
    "it": frozenset("it its".split()),
    "they": frozenset("they them their".split()),
}
_OWNED_BY = frozenset({"mine", "yours", "ours"})
_SUBJECTS = ("nsubj", "nsubj:pass")
_NAMING = frozenset({"NOUN", "PROPN", "X", "SYM", "NUM", "ADJ"})
_NOT_TELLING = frozenset({"new", "current", "old", "present", "own", "latest", "actual"})
_OF_NOW = frozenset({"new", "current", "latest", "present"})
_BEFORE_CASE = frozenset({"case", "mark", "cc", "punct", "nsubj"})
JUDGING = frozenset(
    "great good nice lovely amazing awesome best worst bad better worse wonderful terrible cool "
    "fun perfect beautiful true real big huge important such fantastic incredible".split()
)
"""What only says what somebody thinks of a thing."""
NO_KIND = frozenset(
    "bit lot fan mess bunch way thing little while problem idea joke nightmare fool wreck person "
    "member pain kind type sort part reason fact bargain steal disaster treat shame relief "
    "surprise mistake failure hero legend saviour chaos".split()
)


class Utterance(NamedTuple):
    """Who says a text, to whom, and when: `speaker` is the first person and `addressee` the
    second, where they are known. `said_on` is the day (ISO) or None, `now` the instant."""

    speaker: str = ""
    addressee: str = ""
    said_on: str | None = None
    now: str | None = None


@dataclass(slots=True)
class Phrases:
    """Those of one sentence after another of one text. `cut` are words that belong to no phrase
    for now, and what is said stands behind `floor`."""

    text: str
    utterance: Utterance
    sentence: Sentence = field(init=False)
    times: dict[int, TimeSpan] = field(init=False)
    days: dict[int, tuple[int, ...]] = field(init=False)
    cut: tuple[int, ...] = ()
    floor: int = -1
    goes_on: bool = False
    """Whether what comes next is a clause of the same sentence."""
    possessed_before: str = ""
    """The last thing of somebody's that the clauses before of the same sentence name."""
    mentioned: list[list[Mention]] = field(default_factory=list[list[Mention]])
    """Whom and what each clause before mentions."""
    _meaning: dict[int, str] = field(default_factory=dict[int, str])

    def turn_to(self, sentence: Sentence) -> None:
        """Go on with another sentence, or with another clause of the same."""
        self.possessed_before = self.possessed() if self.goes_on else ""
        self.sentence = sentence
        self.times = self._times(sentence)
        self.days = self._days(sentence)
        self.cut, self.floor = (), -1
        self._meaning = {}

    def topic(self) -> str:
        """What the next clause is announced to be of: "Robot: it was repaired"."""
        tokens = self.sentence.tokens
        at = len(tokens) - 2
        announced = at >= 0 and tokens[-1].form == ":" and self.sentence.root == at
        named = announced and tokens[at].tag in ("NOUN", "PROPN", "X")
        if not named or tokens[at].lemma in ANNOUNCING:
            return ""
        return self.name(at)

    def announces(self, at: int) -> bool:
        """Whether it only says that something is told: "news", "heads up"."""
        tokens = self.sentence.tokens
        after = tokens[at + 1].form.lower() if at + 1 < len(tokens) else ""
        heads_up = tokens[at].lemma == "head" and after == "up"
        return heads_up or tokens[at].lemma in ANNOUNCING

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
        for span in (*self._partial(sentence, piece), *find_spans(piece, now=self.utterance.now)):
            if span.interval.backwards:
                continue
            own = _words_of(sentence, span.start, span.end)
            if not _is_part_of_name(sentence, own):
                found.update(dict.fromkeys(own, span))
        return found

    def _partial(self, sentence: Sentence, piece: str) -> Iterator[TimeSpan]:
        """The times, of which a part is left out, that tell when what is said is so: on or in one
        of what is past, for so long of what has been so."""
        now = self.utterance.now
        found = find_partial(piece, now=now) if now else []
        stated = clauses(sentence) if found else []
        for span in found:
            if span.kind == "range" and any(clause.perfect for clause in stated):
                yield span._replace(kind="since", interval=Interval(span.interval.start, None))
            elif span.kind != "range" and (span.kind != "date" or any(c.past for c in stated)):
                yield span
        if now and any(self._is_staying(clause) for clause in stated):
            yield from find_lasting(piece, now=now)

    def _is_staying(self, clause: Clause) -> bool:
        """Whether somebody is told to be somewhere now: "I'm in Vienna for two weeks"."""
        here, at = clause.copular and clause.subject >= 0, clause.subject
        low = clause.sentence.tokens[at].form.lower()
        somebody = low in _STAYING or clause.sentence.tokens[at].tag == "PROPN"
        return here and somebody and not (clause.past or clause.perfect or clause.negated)

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
            case "he" | "she":
                return self._somebody(first, at)
            case "they":
                return self._something("things", at)
            case _:
                return self._thing_before(at) or self._something("thing", at)

    def _somebody(self, gender: Gender, at: int) -> str:
        """Whom "he" or "she" means: somebody of this sentence or of one before; nobody of whom the
        other pronoun is used."""
        found = self._named_before(at, gender) or Sought(gender).among(self.mentioned)
        self._meaning[at] = found or ""
        return found or ""

    def _something(self, kind: str, at: int) -> str:
        """What "it" or "they" mean of what was mentioned before."""
        found = _latest(kind, self.mentioned)
        self._meaning[at] = found or ""
        return found or ""

    def several(self) -> str:
        """What things were last spoken of: what "they" would mean."""
        return self._something("things", -1)

    def meaning(self, at: int) -> str:
        """Whom or what a pronoun was found to mean, or means of what this text mentions."""
        return self._meaning[at] if at in self._meaning else self.pronoun(at) or ""

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
            and token.lemma not in HUMAN
            and token.form.lower() != "one"
            and not self._is_indefinite(at)
            and (self.is_definite(at) or self.is_bare(at))
        )

    def gender(self, name: str) -> Gender:
        """By which pronoun somebody is spoken of in this text; empty where it does not tell."""
        told: list[Gender] = [
            m.gender for each in self.mentioned for m in each if m.name == name and m.gender
        ]
        return told[0] if told else ""

    def _named_before(self, at: int, gender: Gender) -> str | None:
        """Who the sentence itself speaks of before a pronoun: "Rosa changed her surname", "my boss
        is Sanjay, he …"; None where it speaks of nobody who may be meant."""
        tokens = self.sentence.tokens
        if (titled := self._titled_before(at, gender)) or (titled := self._topical(at)):
            return titled
        for before in range(at - 1, -1, -1):
            if tokens[before].label in _SUBJECTS and tokens[before].tag != "PRON":
                if self.hangs_on(at, before):
                    return None
                if name := self._person_at(before, at, gender):
                    return name
        return None

    def _person_at(self, before: int, at: int, gender: Gender) -> str:
        """Who a subject is, if a pronoun at `at` may mean them; empty where it is nobody."""
        tokens = self.sentence.tokens
        if tokens[before].lemma in KIN and not self._is_indefinite(before):
            suits = GENDERS.get(tokens[before].lemma, gender) == gender
            return self.name(before) if suits else ""
        if tokens[before].tag == "NOUN":
            said = tokens[before].head
            named = 0 <= said < at and tokens[said].tag == "PROPN"
            before = said if named else -1
        if before < 0 or tokens[before].tag != "PROPN" or not self.is_person(before):
            return ""
        name = self.plain(before)
        return name if name and self.gender(name) in ("", gender) else ""

    def _topical(self, at: int) -> str:
        """The name that the sentence begins with where "he" or "she" takes it up: "Lotte Brandsma,
        she's from …"."""
        tokens = self.sentence.tokens
        end = next((i for i in range(at) if tokens[i].tag != "PROPN"), at)
        taken_up = 0 < end == at - 1 and tokens[end].form in (",", "-", "–", "—", ":")
        return self.names_from(0) if taken_up else ""

    def _titled_before(self, at: int, gender: Gender) -> str:
        """The last name with a title before a word: "talk to Ms Lie, she …"."""
        tokens = self.sentence.tokens
        for before in range(at - 1, 0, -1):
            title = tokens[before - 1].form.rstrip(".").lower()
            if tokens[before].tag == "PROPN" and title in TITLES:
                suits = GENDERS.get(title, gender) == gender
                return self.names_from(before - 1) if suits else ""
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
        none = tokens[at].tag not in _NAMING or self._is_indefinite(at) or self._is_called(at)
        if none or (tokens[at].tag == "PROPN" and at in self.days | self.times):
            return ""  # no name is "September", in "From September I am at Acme"
        if tokens[at].lemma in KIN and (appositive := self.appositive(at)) >= 0:
            return self.names_from(appositive)
        if tokens[at].tag == "PROPN" and at and tokens[at - 1].lemma in KIN:
            return self.names_from(at)
        owner = self.possessor(at)
        if owner is None:
            return self.lowered(at, self.proper(self.words(at, without=self.of_now(at))))
        return self._of_owner(at, *owner)

    def of_now(self, at: int) -> list[int]:
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
        return "" if several else self.lowered(at, self.plain(at))

    def lowered(self, at: int, name: str) -> str:
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
        return self.proper(f"{genitive(whose)} {rest}")

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

    def attribute_of(self, at: int, *, without: Sequence[int]) -> str:
        """The noun with what stands before it but some words of that: "tests" of "112 tests"."""
        words = [w for w in span_of(self.sentence, at, without=without) if w <= at]
        return self.lowered(at, self.proper(singular(phrase(self.text, self.sentence, words))))

    def state(
        self,
        subject: str,
        predicate: str,
        value: str,
        *,
        confidence: float = CONFIDENCE,
        single: bool = False,
        noun: bool = False,
        thing: bool = False,
    ) -> Statement:
        """What the sentence as a whole states, without a clause that says so: from its day on."""
        return Statement(
            subject,
            predicate,
            value,
            self.utterance.said_on,
            None,
            self.sentence.start,
            self.sentence.end,
            RULE,
            confidence,
            single=single,
            noun=noun,
            thing=thing,
        )

    def is_capitalized(self) -> bool:
        """Whether the text is written with a capital somewhere, as chats often are not."""
        return any(character.isupper() for character in self.text)

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
        if last >= 0 and self._is_rate(last) and any(self._is_numeral(i) for i in whole):
            whole.update((last + 1, last + 2))
        return sorted(whole)

    def _is_numeral(self, at: int) -> bool:
        return self.sentence.tokens[at].tag in ("NUM", "SYM")

    def _is_rate(self, at: int) -> bool:
        """Whether "a minute", "per head" follows, which is what an amount is for."""
        tokens = self.sentence.tokens
        if at + 2 >= len(tokens) or tokens[at + 2].tag != "NOUN":
            return False
        per, each = tokens[at + 1].form.lower(), tokens[at + 2]
        alone = each.form.lower() == each.lemma and not any(
            tokens[c].label in ("amod", "compound") for c in self.sentence.under[at + 2]
        )
        return per in _PER and alone and not self._is_glued(at + 1)

    def _goes_on(self, at: int) -> bool:
        """Whether a number of several groups goes on behind a word."""
        tokens = self.sentence.tokens
        after = tokens[at + 1].form if at + 1 < len(tokens) else ""
        grouped = tokens[at].form.replace("-", "").replace("/", "").isdigit()
        return grouped and after.isdigit() and not self.is_time(at)

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
        if not any(tokens[g].label == "cc" for c in others for g in self.sentence.under[c]):
            others = [c for c in others if tokens[c].tag == tokens[at].tag]
        apart = [c for c in others if tokens[c].tag == "NUM" != tokens[at].tag]
        others = [c for c in others if c not in apart]  # "on weekdays and 9 on Sundays"
        heads = [at, *others] if split else [at]
        found: list[tuple[str, list[int]]] = []
        if at in self.days:
            words = list(self.days[at])
            piece = self.text[tokens[words[0]].start : tokens[words[-1]].end]
            return [(clean(piece), words)] if len(piece.split()) <= _LONGEST_VALUE else []
        for head in heads:
            leave = [*apart, *(c for c in others if head == at)] if split else apart[:]
            leave += self._denied()
            leave += [t for t in (*self.days, *self.times, *self.cut) if t != head]
            leave += [c for c in self.sentence.under[head] if self._is_outside(head, c)]
            if named := self.called_behind(head):
                found.append(named)
                continue
            floor = max(self.floor, self._case_before(head)[0] - 1)
            if head < self.floor:
                floor = -1
            words = self._whole(
                [w for w in span_of(self.sentence, head, without=leave) if w > floor]
            )
            words = self._unbroken(words, head)
            said = clean(phrase(self.text, self.sentence, words))
            if is_object(said) and len(said.split()) <= _LONGEST_VALUE:
                found.append((said, words))
        return found

    def _denied(self) -> list[int]:
        """What a value is said not to be: the "Piet" of "is Ayla, not Piet"."""
        tokens = self.sentence.tokens
        return [
            at
            for at, token in enumerate(tokens)
            if token.label == "conj"
            and any(tokens[c].lemma == "not" and c < at for c in self.sentence.under[at])
        ]

    def _unbroken(self, words: Sequence[int], head: int) -> list[int]:
        """The words around a head up to where another clause stands between: of "82 kilos, coach
        wants 78" the first two."""
        runs: list[list[int]] = [[]]
        for at in words:
            between = self.sentence.tokens[runs[-1][-1] + 1 : at] if runs[-1] else ()
            tags = {token.tag for token in between}
            if {"PUNCT", "VERB"} <= tags:
                runs.append([])
            runs[-1].append(at)
        return next((run for run in runs if head in run), list(words))

    def called_behind(self, at: int) -> tuple[str, list[int]] | None:
        """The name of "a woman called Agnieszka", and its words."""
        tokens, behind = self.sentence.tokens, at + 2
        called = behind < len(tokens) and tokens[at + 1].form.lower() in ("called", "named")
        if not called or tokens[at].lemma not in HUMAN or tokens[behind].tag != "PROPN":
            return None
        name = self.names_from(behind)
        return (name, [*range(behind, behind + len(name.split()))]) if name else None

    def named_behind(self, at: int) -> int:
        """Where the name of "a woman called Ann" begins; -1 without one."""
        tokens = self.sentence.tokens
        behind = at + 2 < len(tokens) and tokens[at + 1].lemma in ("call", "name")
        return at + 2 if behind and tokens[at + 2].tag == "PROPN" else -1

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

    def is_named_time(self, at: int) -> bool:
        """Whether it is a day by its name, a date or a clock: "Thursday", "10:15"."""
        form = self.sentence.tokens[at].form.lower()
        return at in self.days and (form in _NAMES_OF_TIMES or any(c.isdigit() for c in form))

    def is_recurring(self, at: int) -> bool:
        """Whether it is a time that comes again: "Wednesdays", "every night", "7:30"."""
        tokens = self.sentence.tokens
        words = self.days.get(at, (at,))
        lows = [tokens[i].form.lower() for i in range(words[0], words[-1] + 1)]
        return any(
            low in _EVERY
            or low in _OFTEN
            or ":" in low
            or low in _QUARTERS
            or (low.endswith("days") and low[:-1] in _NAMES_OF_TIMES)
            or low in _PARTS_OF_DAYS
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
            named = (low, after) == ("instead", "of")  # which says itself what is no more
            sign = (low in _NOW and not named) or (low == "these" and after == "days")
            newly = low == "new" and token.label == "amod"
            begun = low in _SINCE and token.tag in ("ADP", "SCONJ") and self._is_date_behind(at)
            if (sign or newly or begun) and self.clause_of(at) == predicate:
                return True
        return False

    def _is_date_behind(self, at: int) -> bool:
        """Whether a word leads a time: "since today", "from next month", "since last night"."""
        dated, tokens = self.times | self.days, self.sentence.tokens
        behind = range(at + 1, min(at + 3, len(tokens)))
        return any(i in dated or tokens[i].form.lower() in _MOMENTS for i in behind)

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
        return article and tokens[at].lemma not in NO_KIND

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

    def is_money(self, at: int) -> bool:
        """Whether it is an amount of money: "480 euros", "£4"."""
        tokens = self.sentence.tokens
        form = tokens[at].form.lower()
        signed = form[:1] in _SIGNS and (len(form) > 1 or at + 1 < len(tokens))
        return signed or (tokens[at].lemma in _MONEY and self.has_number(at))

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

    def is_nothing(self, at: int) -> bool:
        """Whether a word only stands for what nobody names: "the thing", "stuff"."""
        token = self.sentence.tokens[at]
        return token.lemma in _NOTHING_NAMED and not self.is_modified(at)

    def _has_some(self, at: int) -> bool:
        return any(self.sentence.tokens[c].lemma == "some" for c in self.sentence.under[at])

    def is_title(self, at: int) -> bool:
        """Whether it is what somebody is, without an article: "lead pharmacist"."""
        tokens = self.sentence.tokens
        alone = not any(tokens[c].label in ("det", "nmod:poss") for c in self.sentence.under[at])
        return alone and self.is_modified(at) and not self.is_plural(at) and not self.is_time(at)

    def is_date(self, at: int) -> bool:
        """Whether it is a day of a month: "15 December"."""
        tokens = self.sentence.tokens
        words = self.days.get(at, (at,))
        named = any(tokens[i].form.lower() in MONTH_NAMES for i in words)
        named = named or tokens[words[0]].form.lower().endswith(("st", "nd", "rd", "th"))
        return named and any(c.isdigit() for i in words for c in tokens[i].form)

    def is_judged(self, at: int) -> bool:
        """Whether a complement is what somebody thinks of it: "the best thing", "my rock"."""
        tokens = self.sentence.tokens
        if tokens[at].lemma in NO_KIND:
            return True
        return any(
            (tokens[child].label == "nmod:poss" and tokens[child].tag == "PRON")
            or (tokens[child].label == "amod" and tokens[child].lemma in JUDGING)
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
        return self.possessed_before

    def is_genitive(self, at: int) -> bool:
        """Whether a name stands for what is somebody's: "Kwame's is 1.5k", "it is Tobi's"."""
        tokens = self.sentence.tokens
        after = tokens[at + 1] if at + 1 < len(tokens) else tokens[at]
        return tokens[at].tag == "PROPN" and after.form in ("'s", "’s") and after.tag == "PART"

    def spoken_of(self) -> None:
        """Remember whom and what later pronouns may mean."""
        self.mentioned.append(mentions_of(self))


def _latest(kind: str, recalled: Recalled) -> str | None:
    """The last of a kind that clauses mention; empty where it has no name, None without one."""
    found = (m.name for each in reversed(recalled) for m in reversed(each) if m.kind == kind)
    return next(found, None)


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
