"""What the rules of grammar share: the sentence that is read, what stands beside its verbs, and how
a statement is made with its time."""

from collections.abc import Iterator, Sequence

from quipu.extract.grammar.clauses import Clause
from quipu.extract.statements.arguments import Arguments
from quipu.extract.statements.phrases import Phrases, Utterance
from quipu.extract.statements.statement import CONFIDENCE, RULE, Statement, is_object
from quipu.records.attributes import SHIPPED, Attributes
from quipu.when import TimeSpan, fact_dates
from quipu.when.intervals import read_iso

__all__ = ["REPORT", "Reading"]

_REPORTED = 0.6
REPORT = "reported"
_A_YEAR = 12
_BESIDE = frozenset({"also", "too"})


class Reading:
    """The reading of one text: `here` is at one of its sentences."""

    def __init__(self, text: str, utterance: Utterance, attributes: Attributes = SHIPPED) -> None:
        """`utterance.before` knows whom and what was spoken of before."""
        self.here = Phrases(text, utterance)
        self.arguments = Arguments(self.here)
        self.attributes = attributes

    def _time(self, clause: Clause, value: Sequence[int]) -> TimeSpan | None:
        """The one time that is told beside the value: the test that "is on 5 October 2026" is so
        since that was said. What was, was so from the day that is its value ("was born in
        1991")."""
        times, said_on = self.here.times, self.here.utterance.said_on
        told = dict.fromkeys(times[at] for at in value if at in times)
        if clause.past and len(told) == 1 and said_on:
            (span,) = told
            begun = fact_dates(span)[0] if span.kind == "date" else None
            if begun and begun <= said_on:
                return span
        spans = [span for span in dict.fromkeys(times.values()) if span not in told]
        return spans[0] if len(spans) == 1 else None

    def _dates(self, time: TimeSpan | None) -> tuple[str | None, str | None]:
        """From when and until when, by the time that a clause tells."""
        said_on = self.here.utterance.said_on
        if time is None:
            return said_on, None
        start, end = fact_dates(time)
        if time.kind == "date":
            end = None
        if start is None and end and said_on and end >= said_on[: len(end)]:
            start = said_on
        return start, end

    def _has_lasted(self, clause: Clause, time: TimeSpan | None) -> bool:
        """Whether what is told with a time has been so since, when it is told: "since 2019", or
        begun within the year ("moved to Oslo in May")."""
        now = self.here.utterance.now
        if time is None or now is None or time.interval.start is None:
            return False
        if time.kind == "since":
            return not clause.past
        told = read_iso(now)
        within = told is not None and time.interval.start.first >= told.first - _A_YEAR
        return time.kind == "date" and within

    def has_ended(self, clause: Clause) -> bool:
        """Whether a clause tells until when something was so: "used Nginx until May"."""
        kinds = {span.kind for span in self.here.times.values()}
        return clause.past and not clause.negated and kinds in ({"until"}, {"range"})

    def make(
        self,
        clause: Clause,
        subject: str,
        predicate: str,
        value: str,
        words: Sequence[int],
        *,
        ended: bool = False,
        single: bool = False,
        noun: bool = False,
        rule: str = RULE,
    ) -> Iterator[Statement]:
        """The statement, unless something of it is nobody or nothing."""
        if not subject or not predicate or not value or not is_object(value):
            return
        if subject.casefold() == value.casefold():
            return
        time = self._time(clause, words)
        start, end = self._dates(time)
        if ended:
            within = start if time is not None and time.kind == "range" else None
            start, end = within, end or start
            if end is None:
                return
        said_by = self.here.name(clause.said_by) if clause.said_by >= 0 else ""
        if clause.said_by >= 0 and not said_by:
            return
        if said_by:
            rule = REPORT
        purpose = self._used_for(clause, words) if predicate == "uses" and words else ""
        value = value.removesuffix(f" for {purpose}") if purpose else value
        yield Statement(
            subject,
            predicate,
            value,
            start,
            end,
            self.here.sentence.start,
            self.here.sentence.end,
            rule,
            _REPORTED if said_by else CONFIDENCE,
            single=single,
            said_by=said_by,
            noun=noun,
            anew=self.here.is_anew(clause.predicate),
            thing=self.is_of_thing(clause),
            since=not ended and self._has_lasted(clause, time),
            purpose=purpose,
        )

    def _used_for(self, clause: Clause, words: Sequence[int]) -> str:
        """For what a thing, it alone, is used: the "caching" of "we use Redis for caching"; empty
        where that is not told."""
        here, tokens = self.here, self.here.sentence.tokens
        doing = (c for c in here.sentence.under[clause.predicate] if self._is_for_doing(c))
        at = self.arguments.objects(clause).get("for", next(doing, -1))
        told = at > words[0] and tokens[at].tag != "NUM" and not here.is_time(at)
        beside = any(tokens[c].lemma in _BESIDE for c in clause.under("advmod"))
        several = any(tokens[c].label == "conj" for w in words for c in here.sentence.under[w])
        several = several or any(tokens[w].label == "conj" for w in words)
        return here.attribute(at) if told and not (beside or several) else ""

    def _is_for_doing(self, at: int) -> bool:
        """Whether it is the "caching" of "for caching", done to nothing in particular."""
        token, under = self.here.sentence.tokens[at], self.here.sentence.under[at]
        bare = not any(self.here.sentence.tokens[c].label == "obj" for c in under)
        return token.form.endswith("ing") and bare and self.here.case(at) == "for"

    def is_of_thing(self, clause: Clause) -> bool:
        """Whether what it is said of is a thing: "the ledger", no person."""
        at, here = clause.subject, self.here
        if at < 0 or here.is_person(at):
            return False
        tag = here.sentence.tokens[at].tag
        return tag == "NOUN" or (tag == "PROPN" and here.has_article(at))

    def tell(
        self,
        clause: Clause,
        subject: str,
        predicate: str,
        at: int,
        *,
        single: bool = False,
        ended: bool = False,
        noun: bool = False,
        rule: str = RULE,
    ) -> Iterator[Statement]:
        """A statement for each value at a word, if that can be one."""
        if not self.here.is_thing(at) or self.here.is_pointed_at(at) or self.here.is_nothing(at):
            return
        for value, words in self.here.values(at, split=not single):
            if any(self.here.sentence.tokens[w].lemma in ("not", "n't") for w in words):
                continue  # "14 partitions, not 12" corrects what nobody names
            yield from self.make(
                clause,
                subject,
                predicate,
                value,
                words,
                ended=ended,
                single=single,
                noun=noun,
                rule=rule,
            )
