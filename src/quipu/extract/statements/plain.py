"""Statements of plain declarative sentences: somebody or something, a verb, and what is said.

    The checkout service is owned by Team Blue.      Imre moved from Szeged to Graz.
    Ann Lee was the chair of Acme from 2006 to 2015. The retry limit of the router is now 7.

Which verbs state something is told by the table of attributes (`facts/attributes.py`). Anything
else states nothing: questions, conditions, wishes, hedges, reports, pronouns other than "I" and
"we".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.extract.statements.statement import (
    CHANGE,
    CONFIDENCE,
    RULE,
    WORDS,
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
_NOT = re.compile(r"(?i)\b(is|are|was|were|do|does|did|has|have|had)n['’]t\b")
_HELPED = re.compile(r"(?i)(?<=[a-z])['’](m|ve|re)\b")
_HELPERS = {"m": " am", "ve": " have", "re": " are"}
_END = re.compile(
    r",? \b(?:because|since|so that|so|but|although|though|when|while|which|who|where|before|after|"
    r"and then|and (?:i|we|it|he|she|they))\b|, (?:(?![A-Z0-9])|(?=I\b))|[;!?]|\. "
)
_LAST = re.compile(r"(?i),? (?:now|again|instead|these days|any ?more|any longer)$")
_CHANGED = re.compile(
    r"(?i)(?:(?P<what>(?!over |from |to ).+?) )?(?:(?:over )?from (?P<old>.+?) )?to (?P<new>.+)"
)
_REPLACED = re.compile(r"(?i)(?P<old>.+?) (?:with|by) (?P<new>.+)")
_ROLE_OF = re.compile(
    r"(?i)(?:(?:the|a|an) )?(?P<role>[a-z][\w -]{1,40}?(?: of (?:the )?(?:government|state))?) "
    r"(?:of|for|at) (?P<of>.+)"
)
_OWNED = (
    re.compile(r"(?P<of>my) (?P<what>[\w -]{2,40})", re.IGNORECASE),
    re.compile(r"(?i:the |our |my )?(?P<what>[a-z][\w -]{1,40}?) (?:of|for|on|in) (?P<of>.+)"),
    re.compile(r"(?P<of>.+?)(?:['’]s|(?<=s)['’]) (?P<what>[\w -]{2,40})"),
)
_BESIDE = re.compile(r" as (?:an? |the )?[a-z]| and [a-z]")
"""What stands behind the one value of an attribute: "at Acme as a tester"."""
_GOES_ON = re.compile(r"\s{0,2}(?:to|until|till|-|–)\s{0,2}\d")
_PARTICULAR = re.compile(r"\d|^(?:the )?[A-Z]")
_TIMELY = re.compile(r"\d|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day)")
_WORD = re.compile(r"[^\s,]+")

_NO_MORE = (["no", "longer"], ["used", "to"])
_ARTICLES = frozenset({"a", "an", "the"})
_UNSAID = "has"
"""The attribute whose verbs say too many other things: "got"."""
_BESIDE_THE_TABLE = {
    verb: AttributePhrase(Attribute(name), "verbs") for verb, name in WORDS.attributes.items()
}
_ENDINGS = ("", "s", "es", "d", "ed")
_LONGEST_SUBJECT = 14
"""The most words before a verb; the other lengths are in words too."""
_LONGEST_VERB, _LONGEST_ROLE, _LONGEST_OWNER = 5, 4, 8


class _Verb(NamedTuple):
    """The verb of a clause, the words behind it, what the table says of it (None: a form of "be",
    or a change), and how it is said."""

    lemma: str
    rest: str
    phrase: AttributePhrase | None
    be: bool
    past: bool
    denied: bool
    ended: bool


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
        for clause in [sentence] if spans else _CLAUSES.split(sentence):
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
        clause = _HELPED.sub(lambda match: _HELPERS[match[1].lower()], _NOT.sub(r"\1 not", clause))
        words = list(_WORD.finditer(clause))
        for at in range(1, min(len(words), _LONGEST_SUBJECT)):
            before = clause[: words[at].start()]
            subject = self._subject(before)
            if not subject and not _owned(before):
                continue
            for verb in self._verbs(clause, words[at:]):
                found = list(self._of(before, subject, verb, span))
                if found:
                    yield from found
                    return

    def _verbs(self, clause: str, words: list[re.Match[str]]) -> Iterator[_Verb]:
        """What the words may begin with, the longest verb first."""
        low = [word.group().lower() for word in words]
        at, ended = 0, False
        while low[at : at + 1] and (low[at] in WORDS.helping or low[at : at + 2] in _NO_MORE):
            ended |= low[at] not in WORDS.helping
            at += 1 if low[at] in WORDS.helping else 2
        if (
            low[at : at + 1]
            and low[at] in WORDS.stopping | WORDS.starting
            and _is_doing(low[at + 1 :])
        ):
            ended |= low[at] in WORDS.stopping
            at += 1
        if not low[at:]:
            return
        before, verb = set(low[:at]), low[at]
        be, denied = bool(before & WORDS.be), bool(before & {"not", "never"})
        past = bool(before & {"was", "were", "did"})
        past |= not be and (verb.endswith("ed") or verb in WORDS.lemmas)
        past &= not before & {"has", "have", "been"}
        doing = be or ended or bool(before & WORDS.starting)
        for phrase, lemma, size in self._phrases(low[at:], be=be, doing=doing):
            rest = clause[words[at + size - 1].end() if size else words[at].start() :]
            gone = ended or (denied and re.search(r" any ?(?:more|longer)\W*$", rest) is not None)
            rest = _LAST.sub("", rest.strip(" ,.!"))
            yield _Verb(lemma, rest, phrase, be, past, denied and not gone, gone)

    def _phrases(
        self, low: list[str], *, be: bool, doing: bool
    ) -> Iterator[tuple[AttributePhrase | None, str, int]]:
        """What the table says of the first words, with the lemma and how many words that is."""
        skipped = int(be and low[0] in _ARTICLES)  # "is a member of"
        low = low[skipped:] or low
        lemmas = list(_lemmas(low[0], doing=doing))
        for size in range(min(_LONGEST_VERB, len(low)), 0, -1):
            bare = [word for word in low[1:size] if word not in _ARTICLES]
            for lemma in lemmas:
                for said in (" ".join([lemma, *low[1:size]]), " ".join([lemma, *bare])):
                    for full in (f"be {said}", f"be a {said}", said) if be else (said,):
                        if phrase := _BESIDE_THE_TABLE.get(full) or self.attributes.entry(full):
                            yield phrase, lemma, size + skipped
        if be and low[1:2] == ["on"] and (low[0].endswith("ed") or low[0] in WORDS.lemmas):
            yield AttributePhrase(Attribute(f"was {low[0]} on"), "begins"), low[0], 2
        for lemma in lemmas:
            if lemma in WORDS.moving | WORDS.setting:
                yield None, lemma, 1
        if be:
            yield None, "be", 0

    def _of(
        self, before: str, subject: str, verb: _Verb, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What a verb says of what stands before it. What was so, as "was the chair" tells, needs
        a time."""
        rest = _END.split(verb.rest)[0]
        state = verb.phrase.kind == "verbs" if verb.phrase else verb.lemma == "be"
        if not clean(rest) or (span is None and state and verb.past and not verb.ended):
            return
        if verb.phrase is None and verb.lemma == "be":
            yield from self._being(before, subject, verb, rest, span)
        elif subject and verb.phrase is None:
            yield from self._changed(subject, verb, rest, span)
        elif subject and verb.phrase and self._fits(verb, verb.phrase, subject, rest):
            yield from self._stated(subject, verb, verb.phrase, rest, span)

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
        if verb.denied:
            return
        said = ("", "", "")
        state = next((row for row in self.attributes.rows if value.lower() in row.values), None)
        role = _ROLE_OF.fullmatch(clean(rest))
        if subject and state:
            said = subject, state.name, value
        elif subject and role and self._is_role(role["role"]) and before.strip()[:1].isupper():
            whose = singular(role["of"])
            if is_name(whose) or whose[:1].isupper():
                said = whose, role["role"].lower(), subject
        elif owned := _owned(before):
            of, what = owned
            own = self.saying.speaker or "user"
            of = f"{own}'s {of[3:]}" if of.startswith("my ") else own if of == "my" else of
            known = self.attributes.named_by(what) or self._is_role(what)
            if is_name(of, longest=_LONGEST_OWNER) and (known or _PARTICULAR.search(rest)):
                said = of, what, value
        elif subject and subject[0].islower() and _PARTICULAR.search(rest):
            said = subject, VALUE, value
        if said[0]:
            yield from self._made(*said, verb, span, noun=True, single=True)

    def _is_role(self, noun: str) -> bool:
        words = noun.lower().split()
        return len(words) <= _LONGEST_ROLE and (
            bool(WORDS.roles & {words[0], words[-1]})
            or noun.lower().startswith("favo")
            or bool(self.attributes.named_by(noun))
            or self.attributes.is_functional(noun)
        )

    def _changed(
        self, subject: str, verb: _Verb, rest: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What something was changed from, and to: the subject, or what it is done to."""
        match = (_REPLACED if verb.lemma == "replace" else _CHANGED).fullmatch(rest)
        if match is None:
            return
        old, new, what = match["old"] or "", match["new"], match.groupdict().get("what")
        if what:
            subject, verb = singular(what), verb._replace(be=True)
            if not is_name(subject):
                return
        named = subject in ("we", "user", self.saying.speaker) or subject[0].isupper()
        if verb.lemma in WORDS.setting and _TIMELY.search(new) and (verb.be or not (old and named)):
            predicate = VALUE
        elif old and verb.lemma in WORDS.moving:
            predicate = self._switched(subject, verb, (old, new))
        else:
            return
        for value, ended in ((old, True), (new, False)):
            if value and (predicate == VALUE or is_name(singular(value))):
                yield from self._made(
                    subject, predicate, value, verb._replace(ended=ended), span,
                    noun=predicate == VALUE, single=predicate != "uses", rule=CHANGE,
                )  # fmt: skip

    def _switched(self, subject: str, verb: _Verb, values: tuple[str, str]) -> str:
        """How what was left and what took its place are said: one person who moves from place to
        place lives there, what is moved is there or runs on it, and anything else is used."""
        placed = verb.lemma == "move" and all(may_be_place(clean(place)) for place in values)
        if verb.be:
            return "is located in" if placed else "runs on"
        return "lives in" if placed and (subject == "user" or subject[0].isupper()) else "uses"

    def _fits(self, verb: _Verb, phrase: AttributePhrase, subject: str, rest: str) -> bool:
        """Whether the verb means its attribute here."""
        name, value = phrase.attribute.name, singular(rest)
        if name == _UNSAID or value.lower().startswith(("of ", "is ", "that ", "to ")):
            return False
        if name == VALUE or name.startswith("was ") or (verb.be and verb.lemma == "move"):
            return (name == VALUE or name[:4] == "was ") == bool(_TIMELY.search(rest))
        if name == "lives in" and phrase.kind != "verbs":
            return (subject == "user" or subject[0].isupper()) and may_be_place(value)
        return verb.lemma not in WORDS.needs_a_name or value[:1].isupper()

    def _stated(
        self, subject: str, verb: _Verb, phrase: AttributePhrase, rest: str, span: TimeSpan | None
    ) -> Iterator[Statement]:
        """What an attribute of the table says, of what stands on its other side if it is so
        declared."""
        row, ends = phrase.attribute, phrase.kind == "ends"
        how = verb._replace(ended=verb.ended or ends)
        rule, single = CHANGE if ends else RULE, bool(row.functional)
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
        value = _BESIDE.split(value)[0] if single else value
        for part in _parts(value) if row.verbs and not single else [value]:
            yield from self._made(
                subject, row.name, part, how, span, single=single, rule=rule,
                purpose="" if ends else clean(purpose), noun=bool(row.nouns) and not row.verbs,
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
        value = singular(value)
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


def _is_doing(low: list[str]) -> bool:
    return bool(low) and low[0].endswith("ing")


def _parts(value: str) -> list[str]:
    """Each of several names: "Ann and Bo"."""
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
    if word in WORDS.lemmas:
        yield WORDS.lemmas[word]
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
