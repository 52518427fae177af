"""Statements of plain declarative sentences: somebody or something, a verb, and what is said.

    The checkout service is owned by Team Blue.      Imre moved from Szeged to Graz.
    Ann Lee was the chair of Acme from 2006 to 2015. The retry limit of the router is now 7.

Which verbs state something is told by the table of attributes (`facts/attributes.py`). Anything
else states nothing: questions, conditions, wishes, hedges, reports, pronouns other than "I" and
"we".
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from quipu.extract.statements.statement import (
    CHANGE,
    CONFIDENCE,
    RULE,
    Statement,
    clean,
    is_name,
    is_object,
    lowered,
    may_be_place,
    singular,
)
from quipu.facts.attributes import VALUE, Attribute, AttributePhrase, Attributes
from quipu.when import TimeSpan, fact_dates, find_partial, find_spans, without

__all__ = ["Saying", "plain_statements"]


class Saying(NamedTuple):
    """Who says a sentence (empty: nobody known), on which day (ISO; None: nobody knows), and the
    instant from which its relative times are seen. In what is not `personal`, a page or a manual,
    only what a sentence dates itself is a statement."""

    speaker: str = ""
    day: str | None = None
    now: str | None = None
    personal: bool = True


_DOUBT = re.compile(
    r"\b(?:may|(?i:if|whether|maybe|perhaps|probably|might|could|would|should|will|can|cannot|must|"
    r"considering|thinking|thinks?|says?|said|told|wish(?:es)?|hopes?|hoping|unless|pretend|"
    r"plan(?:s|ned|ning)? to(?! the)|going to|wants?|wanted|nobody|neither|nor))\b|['’]ll\b"
)
_CLAUSES = re.compile(r",? (?:and|but) (?=(?:i|i'm|my|we|our)\b)", re.IGNORECASE)
_CONTRACTED = (
    (re.compile(r"(?i)\b(is|are|was|were|do|does|did|has|have|had)n['’]t\b"), r"\1 not"),
    (re.compile(r"(?i)\b(i)['’]m\b"), r"\1 am"),
    (re.compile(r"(?i)\b(i|we|they|you)['’]ve\b"), r"\1 have"),
    (re.compile(r"(?i)\b(we|they|you)['’]re\b"), r"\1 are"),
)
_END = re.compile(
    r",? \b(?:because|since|so that|so|but|although|though|when|while|which|who|where|before|after|"
    r"and then|and (?:i|we|it|he|she|they))\b|, (?:(?![A-Z0-9])|(?=I\b))|[;!?]|\. "
)
_LAST = re.compile(r"(?i),? (?:now|again|instead|these days|any ?more|any longer)$")
_FROM_TO = re.compile(r"(?i)(?:over )?from (?P<old>.+?) to (?P<new>.+)")
_TO = re.compile(r"(?i)to (?P<new>.+)")
_SET_TO = re.compile(r"(?i)(?P<what>.+?) (?:to|at) (?P<new>.+)")
_CHANGED = re.compile(r"(?i)(?P<what>.+?) (?:over )?from (?P<old>.+?) to (?P<new>.+)")
_REPLACED = re.compile(r"(?i)(?P<old>.+?) (?:with|by) (?P<new>.+)")
_ROLE_OF = re.compile(
    r"(?:(?:the|a|an) )?(?P<role>[a-z][\w -]{1,40}?"
    r"(?: of (?:the )?(?:government|state|board|team))?) (?:of|for|at) (?P<of>.+)",
    re.IGNORECASE,
)
_OWNED = (
    re.compile(r"(?P<of>my) (?P<what>[\w -]{2,40})", re.IGNORECASE),
    re.compile(r"(?i:the |our |my )?(?P<what>[a-z][\w -]{1,40}?) (?:of|for|on|in) (?P<of>.+)"),
    re.compile(r"(?P<of>.+?)(?:['’]s|(?<=s)['’]) (?P<what>[\w -]{2,40})"),
)
_BESIDE = re.compile(r" as (?:an? |the )?[a-z]| and [a-z]")
"""What stands behind the one value of an attribute: "at Acme as a tester"."""
_TOWARDS = re.compile(r"^(?:(?:back|down|up|set|about|around|at|to) )+(?=[\d$€£])")
_GOES_ON = re.compile(r"\s{0,2}(?:to|until|till|-|–)\s{0,2}\d")
_PARTICULAR = re.compile(r"\d|^(?:the )?[A-Z]")
_TIMELY = re.compile(r"\d|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)")
_WORD = re.compile(r"[^\s,]+")

_BE = frozenset("is are am was were be been being".split())
_PAST = frozenset("was were did had".split())
_ADVERBS = frozenset(
    "now still also currently just recently already officially finally all always both usually "
    "mainly really again initially primarily has have had do does did got not never".split()
)
_ARTICLES = frozenset({"a", "an", "the"})
_STOPPING, _STARTING = frozenset({"stopped", "quit"}), frozenset({"started", "began"})
_MOVING = frozenset("move switch migrate change transition convert".split())
_SETTING = frozenset(
    "move raise lower increase reduce change set push postpone extend decrease drop reschedule "
    "delay bump cut".split()
)
_NEEDS_A_NAME = frozenset("run join leave quit choose pick drop adopt retire cancel ditch".split())
"""Verbs that state something only of what has a name: "runs Postgres", not "runs fast"."""
_UNSAID = "has"
"""The attribute whose verbs say too many other things: "got"."""
_ROLES = frozenset(
    "chair chairman chairwoman chairperson head president leader ceo cto cfo owner director "
    "manager coach captain capital mayor governor minister editor king queen pope bishop "
    "chancellor rector principal dean founder maintainer secretary treasurer commander "
    "ambassador speaker lead home host sponsor author".split()
)
_BESIDE_THE_TABLE = {
    "hold position of": "holds the position of",
    "be member of": "is a member of",
    "teach at": "teaches at",
    "represent": "represents",
    "work on": "works on",
    "end on": "ends on",
}
_LEMMAS = {
    "held": "hold",
    "led": "lead",
    "left": "leave",
    "ran": "run",
    "taught": "teach",
    "became": "become",
    "sat": "sit",
    "stood": "stand",
    "took": "take",
    "taken": "take",
    "drove": "drive",
    "ate": "eat",
    "drank": "drink",
    "spoke": "speak",
    "built": "build",
    "written": "write",
    "born": "bear",
    "chose": "choose",
    "made": "make",
    "came": "come",
}
_ENDINGS = ("", "s", "es", "d", "ed")
_LONGEST_SUBJECT = 14
"""The most words before a verb; the other lengths are in words too."""
_LONGEST_VERB, _LONGEST_ROLE, _LONGEST_OWNER = 5, 4, 8


class _Verb(NamedTuple):
    """The verb of a clause: its lemma, the words behind which its object stands, what the table
    says of it (None: a form of "be", or a change), and how it is said."""

    lemma: str
    rest: str
    phrase: AttributePhrase | None
    predicate: str = ""
    be: bool = False
    past: bool = False
    perfect: bool = False
    denied: bool = False
    ended: bool = False


def plain_statements(
    sentence: str, offset: int, saying: Saying, attributes: Attributes
) -> Iterator[Statement]:
    """What one sentence states, or each "and I …" of it. A time that it names is when that is so,
    unless it is all that is said: "the deadline is 4 May 2027"."""
    if sentence.rstrip().endswith("?") or _DOUBT.search(sentence):
        return
    spans = [s for s in find_spans(sentence, now=saying.now) if s.dated]
    if not spans and saying.now:
        spans = find_partial(sentence, now=saying.now)
    if any(s.interval.backwards or _GOES_ON.match(sentence, s.end) for s in spans):
        return
    ranges = [span for span in spans if span.kind == "range"]
    one = ranges if len(ranges) == 1 else spans
    reader = _Reader(offset, offset + len(sentence), saying, attributes)
    if len(one) == 1:
        found = list(reader.read(without(sentence, one), one[0]))
        yield from found or reader.read(sentence, None)
    elif not spans or saying.personal:
        clauses = _CLAUSES.split(sentence) if not spans else [sentence]
        for clause in clauses:
            yield from reader.read(clause, None)


class _Reader(NamedTuple):
    """Reads the clauses of a sentence that stands at `start` to `end` of its text."""

    start: int
    end: int
    saying: Saying
    attributes: Attributes

    def read(self, clause: str, span: TimeSpan | None) -> Iterator[Statement]:
        """The statements of the first verb that states any. `span` is the time that was taken
        out of the clause."""
        if span is None and not self.saying.personal:
            return
        for pattern, plain in _CONTRACTED:
            clause = pattern.sub(plain, clause)
        words = list(_WORD.finditer(clause))
        for at in range(1, min(len(words), _LONGEST_SUBJECT)):
            subject = clause[: words[at].start()]
            found = list(self._of(subject, self._verbs(clause, words[at:]), span))
            if found:
                yield from found
                return

    def _verbs(self, clause: str, words: list[re.Match[str]]) -> Iterator[_Verb]:
        """What the words may begin with, the longest verb first."""
        low = [word.group().lower() for word in words]
        at = len(list(takewhile(lambda word: word in _ADVERBS or word in _BE, low)))
        ended = low[at : at + 2] in (["no", "longer"], ["used", "to"])
        at += 2 * ended
        at += sum(1 for _ in takewhile(lambda word: word in _ADVERBS or word in _BE, low[at:]))
        before, main = set(low[:at]), low[at : at + 1]
        stops = bool(_STOPPING & {*main}) and low[at + 1 : at + 2] != []
        if (stops or _STARTING & {*main}) and low[at + 1 : at + 2] and low[at + 1].endswith("ing"):
            ended |= stops
            at += 1
        if not low[at:]:
            return
        be = bool(before & _BE)
        doing = be or ended or bool(_STARTING & set(low[:at]))
        for phrase, lemma, predicate, size in self._phrases(low[at:], be=be, doing=doing):
            rest = clause[words[at + size - 1].end() :].strip(" ,.!")
            denied = bool(before & {"not", "never"})
            gone = ended or (denied and re.search(r" any ?more$| any longer$", rest) is not None)
            yield _Verb(
                lemma,
                _LAST.sub("", rest),
                phrase,
                predicate,
                be=be,
                past=bool(before & _PAST)
                or (not be and (low[at].endswith("ed") or low[at] in _LEMMAS)),
                perfect=bool(before & {"has", "have", "been"}),
                denied=denied and not gone,
                ended=gone,
            )
        if be:
            rest = clause[words[at].start() :].rstrip(" .!")
            past = bool(before & _PAST)
            yield _Verb(
                "be", _LAST.sub("", rest), None, be=True, past=past,
                denied=bool(before & {"not", "never"}), ended=ended,
            )  # fmt: skip

    def _phrases(
        self, low: list[str], *, be: bool, doing: bool
    ) -> Iterator[tuple[AttributePhrase | None, str, str, int]]:
        """What the table says of the first words, with the lemma, a predicate that the table does
        not have, and how many words that is."""
        skipped = int(be and low[0] in _ARTICLES)  # "is a member of"
        low = low[skipped:] or low
        for size in range(min(_LONGEST_VERB, len(low)), 0, -1):
            rest = low[1:size]
            bare = [word for word in rest if word not in _ARTICLES]
            for lemma in _lemmas(low[0], doing=doing):
                for words in ([lemma, *rest], [lemma, *bare]):
                    said = " ".join(words)
                    for full in (f"be {said}", f"be a {said}", said) if be else (said,):
                        if full in _BESIDE_THE_TABLE:
                            yield None, lemma, _BESIDE_THE_TABLE[full], size + skipped
                        elif phrase := self.attributes.entry(full):
                            yield phrase, lemma, "", size + skipped
        if be and low[1:2] == ["on"] and (low[0].endswith("ed") or low[0] in _LEMMAS):
            yield None, low[0], f"was {low[0]} on", 2
        for lemma in _lemmas(low[0], doing=doing):
            if lemma in _MOVING | _SETTING or lemma == "replace":
                yield None, lemma, "", 1

    def _of(
        self, before: str, verbs: Iterator[_Verb], span: TimeSpan | None
    ) -> Iterator[Statement]:
        subject = self._subject(before)
        if not subject and not _owned(before):
            return
        for verb in verbs:
            rest = _END.split(verb.rest)[0]
            if not clean(rest) or (span is None and verb.past and self._is_over(verb)):
                continue
            found: list[Statement] = []
            if verb.phrase is None and verb.be and verb.lemma == "be":
                found = list(self._being(before, subject, verb, rest, span))
            elif subject and verb.predicate:
                if verb.be and verb.predicate.startswith("was ") and not _TIMELY.search(rest):
                    continue
                found = list(self._made(subject, verb.predicate, rest, verb, span))
            elif subject and verb.phrase is None:
                found = list(self._changed(subject, verb, rest, span))
            elif subject and verb.phrase and self._fits(verb, verb.phrase, subject, rest):
                found = list(self._stated(subject, verb, verb.phrase, rest, span))
            if found:
                yield from found
                return

    def _is_over(self, verb: _Verb) -> bool:
        """Whether it tells of what was, so that it needs a time: "was the chair", "we used X"."""
        if verb.perfect or verb.ended:
            return False
        if verb.phrase is None:
            return verb.lemma == "be" or (bool(verb.predicate) and not verb.be)
        return verb.phrase.kind == "verbs"

    def _subject(self, written: str) -> str:
        """Of whom or what it is said: empty where that is no name."""
        name = clean(written)
        low = lowered(name)
        if low == "i":
            return self.saying.speaker or "user"
        if low == "we":
            return "we"
        subject = singular(name)
        if low.startswith("my ") or not is_name(subject):
            return ""
        return "user" if subject == "User" else subject

    def _being(
        self, before: str, subject: str, verb: _Verb, rest: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What a form of "be" says: a role of something, a value, or one of the known states."""
        value = singular(rest)
        if verb.denied or not is_object(value):
            return
        state = next((row for row in self.attributes.rows if value.lower() in row.values), None)
        role = _ROLE_OF.fullmatch(clean(rest))
        if subject and state:
            yield from self._made(subject, state.name, value, verb, span, noun=True, single=True)
        elif subject and role and self._is_role(role["role"]) and before.strip()[:1].isupper():
            whose = singular(role["of"])
            if is_name(whose) or (whose[:1].isupper() and is_object(whose)):
                noun = role["role"].lower()
                yield from self._made(whose, noun, subject, verb, span, noun=True, single=True)
        elif owned := _owned(before):
            of, what = owned
            own = self.saying.speaker or "user"
            of = f"{own}'s {of[3:]}" if of.startswith("my ") else own if of == "my" else of
            known = self.attributes.named_by(what) or self._is_role(what)
            if is_name(of, longest=_LONGEST_OWNER) and (known or _PARTICULAR.search(rest)):
                yield from self._made(of, what, value, verb, span, noun=True, single=True)
        elif subject and subject[0].islower() and _PARTICULAR.search(rest):
            yield from self._made(subject, VALUE, value, verb, span, noun=True, single=True)

    def _is_role(self, noun: str) -> bool:
        words = noun.lower().split()
        known = words[-1] in _ROLES or words[0] in _ROLES or noun.lower().startswith("favo")
        return len(words) <= _LONGEST_ROLE and (
            known or bool(self.attributes.named_by(noun)) or self.attributes.is_functional(noun)
        )

    def _changed(
        self, subject: str, verb: _Verb, rest: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What something was changed from, and to: the subject, or what it is done to."""
        match = _FROM_TO.fullmatch(rest) or _TO.fullmatch(rest)
        what, how = subject, verb
        if match is None and not verb.be:
            pattern = _REPLACED if verb.lemma == "replace" else _SET_TO
            match = _CHANGED.fullmatch(rest) or pattern.fullmatch(rest)
            if match and verb.lemma != "replace":
                what, how = singular(match["what"]), verb._replace(be=True)
        if match is None or not (what == subject or is_name(what)):
            return
        old, new = match.groupdict().get("old") or "", match["new"]
        person = what in ("we", "user", self.saying.speaker) or what[0].isupper()
        if verb.lemma in _SETTING and _TIMELY.search(new) and (how.be or not (old and person)):
            yield from self._value(what, old, new, how, span)
        elif old and (verb.lemma in _MOVING or verb.lemma == "replace"):
            yield from self._switched(what, how, old, new, span)

    def _value(
        self, subject: str, old: str, new: str, verb: _Verb, span: TimeSpan | None
    ) -> Iterator[Statement]:
        for value, ended in ((old, True), (new, False)):
            if value:
                how = verb._replace(ended=ended)
                yield from self._made(
                    subject, VALUE, value, how, span, noun=True, single=True, rule=CHANGE
                )

    def _switched(
        self, subject: str, verb: _Verb, old: str, new: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What was left, and what took its place: one person who moves from place to place lives
        there, what is moved is there or runs on it, and anything else is used."""
        home = verb.lemma == "move" and (subject == "user" or subject[0].isupper())
        placed = all(may_be_place(clean(place)) for place in (old, new))
        predicate = "lives in" if home and placed else "uses"
        if verb.be:
            predicate = "is located in" if verb.lemma == "move" and placed else "runs on"
        single = predicate != "uses"
        for value, ended in ((old, True), (new, False)):
            if is_name(singular(value)):
                how = verb._replace(ended=ended)
                yield from self._made(
                    subject, predicate, value, how, span, single=single, rule=CHANGE
                )

    def _fits(self, verb: _Verb, phrase: AttributePhrase, subject: str, rest: str) -> bool:
        """Whether the verb means its attribute here."""
        name, event = phrase.attribute.name, phrase.kind != "verbs"
        value = singular(rest)
        if name == _UNSAID or value.lower().startswith(("of ", "is ", "that ", "to ")):
            return False
        if name == VALUE or (verb.be and verb.lemma == "move"):
            return (name == VALUE) == (_TIMELY.search(rest) is not None)
        if name == "lives in" and event:
            return (subject == "user" or subject[0].isupper()) and may_be_place(value)
        if verb.lemma in _NEEDS_A_NAME and " " not in phrase.attribute.name.strip():
            return value[:1].isupper()
        return not (verb.lemma in _NEEDS_A_NAME and not value[:1].isupper())

    def _stated(
        self, subject: str, verb: _Verb, phrase: AttributePhrase, rest: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What an attribute of the table says, of what stands on its other side if it is so
        declared."""
        row = phrase.attribute
        ends = phrase.kind == "ends"
        how = verb._replace(ended=verb.ended or ends)
        rule = CHANGE if phrase.kind == "ends" else RULE
        single = bool(row.functional)
        if row.inverse:
            thing = singular(rest.partition(" from ")[0])
            if is_name(thing):
                yield from self._made(
                    thing, row.inverse, subject, how, span, single=True, rule=rule
                )
            return
        value, purpose = rest, ""
        if ends or row.name == "uses":
            value, _, purpose = rest.partition(" for ")
        if ends and purpose:  # "left Acme for Globex"
            yield from self._made(
                subject, row.name, purpose, verb, span, single=single, rule=CHANGE
            )
            purpose = ""
        value = _BESIDE.split(value)[0] if single else value
        for part in [value] if single else _parts(value):
            yield from self._made(
                subject, row.name, part, how, span,
                single=single, rule=rule, purpose=clean(purpose), noun=row.name in _nouns(row),
            )  # fmt: skip

    def _made(
        self,
        subject: str,
        predicate: str,
        value: str,
        verb: _Verb,
        span: TimeSpan | None,
        *,
        noun: bool = False,
        single: bool = False,
        rule: str = RULE,
        purpose: str = "",
    ) -> Iterator[Statement]:
        value = _TOWARDS.sub("", singular(value))
        begin, end = self._dates(span)
        if verb.ended:
            begin, end = None, begin or end
        elif not verb.past:
            begin = begin or self.saying.day
        if not is_object(value) or (verb.ended and end is None) or subject == value:
            return
        yield Statement(
            subject,
            f"not {predicate}" if verb.denied else predicate,
            value,
            begin,
            end,
            self.start,
            self.end,
            rule,
            CONFIDENCE,
            single=single and not verb.denied,
            noun=noun,
            since=span is not None and not verb.ended and self._is_recent(span, begin),
            purpose=purpose,
        )

    def _is_recent(self, span: TimeSpan, begin: str | None) -> bool:
        """Whether what began then is told to be so still: "since May", or within the last year."""
        day = self.saying.day
        if span.kind == "since" or not begin or not day:
            return span.kind == "since"
        return f"{int(day[:4]) - 1:04}{day[4:]}"[: len(begin)] <= begin

    def _dates(self, span: TimeSpan | None) -> tuple[str | None, str | None]:
        if span is None:
            return self.saying.day, None
        begin, end = fact_dates(span)
        return (begin, None) if span.kind == "date" else (begin, end)


def _nouns(row: Attribute) -> frozenset[str]:
    return frozenset({row.name}) if row.nouns and not row.verbs else frozenset()


def _parts(value: str) -> list[str]:
    """Each of several names: "Kafka and Redis"."""
    parts = re.split(r",? and |, ", value)
    return parts if all(part[:1].isupper() for part in parts) else [value]


def _owned(written: str) -> tuple[str, str] | None:
    """Whose it is, and what: "the port of the ledger", "Ann's budget", "my name"."""
    name = clean(written)
    for pattern in _OWNED:
        if match := pattern.fullmatch(name):
            of = match["of"]
            of = f"my{of[2:]}" if of[:3].lower().strip() == "my" else singular(of)
            return of, match["what"].lower().removeprefix("new ")
    return None


def _lemmas(word: str, *, doing: bool) -> Iterator[str]:
    """What a word may be a form of; of one in "-ing" only where that may be what is done."""
    if word in _LEMMAS:
        yield _LEMMAS[word]
    for ending in (*_ENDINGS, "ing") if doing else _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word or not ending:
            yield stem
            if ending in ("ed", "ing"):
                yield f"{stem}e"
                if stem[-1:] == stem[-2:-1]:
                    yield stem[:-1]
            if ending in ("es", "ed") and stem.endswith("i"):
                yield f"{stem[:-1]}y"
