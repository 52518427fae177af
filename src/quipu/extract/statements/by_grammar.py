"""Statements read off the parse of a text: of whom or what, which attribute, what, and since when.

Which wordings say the same is told by the table of attributes (`records/attributes.py`); what is
not in it is keyed by its own verb or noun. What cannot be read without doubt gives nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quipu.extract.grammar import Sentence, participle
from quipu.extract.grammar.clauses import Clause, clauses, is_stated, phrase, span_of
from quipu.extract.grammar.people import KIN
from quipu.extract.statements.changes import Changes, corrected, repaired
from quipu.extract.statements.fragments import Fragments, is_post
from quipu.extract.statements.general import General
from quipu.extract.statements.measured import Measured
from quipu.extract.statements.phrases import ANNOUNCING, Phrases, Utterance
from quipu.extract.statements.statement import (
    CHANGE,
    CONFIDENCE,
    RULE,
    Statement,
    clean,
    is_object,
    may_be_place,
    singular,
)
from quipu.records.attributes import (
    SEVERAL,
    SHIPPED,
    VALUE,
    AttributePhrase,
    Attributes,
    phrase_of,
    third_person,
)
from quipu.records.fact_likeness import value_kind
from quipu.when import TimeSpan, fact_dates

__all__ = ["GrammarReader", "last_single"]

REPORTED = 0.6
REPORT = "reported"
INSTRUCTS = "instructs"
_LONGEST_NOTED = 3
_ARGUMENTS = frozenset({"obj", "obl", "nmod"})
AGE = "age"
_LONGEST_VALUE = 14
_NOUNS = frozenset({"value", "age", "diet", "marital status", "status"})
_JOINING = frozenset({"join", "leave", "quit", "start", "begin"})
_OVER = frozenset({"lives in", "works for", "works as", "is married to", "runs on", "is owned by"})
_LASTING = frozenset({"learn", "study", "train", "work", "live"})
_ONGOING = frozenset(
    "read stay save prepare write build teach coach attend rent share meet take".split()
)
"""What is done for a while: "I'm reading Dune" tells of these days."""
_PARTICLES = frozenset("on up off out over back down in".split())
_APPOSED = frozenset({"appos", "conj", "parataxis", "list"})
_BEGINNING = frozenset("begin start kick open commence".split())
_PARTS_OF_A_DAY = frozenset("morning afternoon evening night".split())
_TIMELY = frozenset("moment present time minute point least most first last once".split())
_PASSIVE = ("aux:pass", "nsubj:pass")
_FROM_TO = frozenset({"from", "to"})
_SCALES = frozenset({"down", "up"})
_NAMES_IT = frozenset({"name", "call"})
_TURNING = frozenset({"go", "become", "turn"})
_GOING = frozenset({"go", "take"})
_IDIOMS = frozenset(
    "point time place hint opportunity chance blame lead liberty way extra bait "
    "rest same cake plunge".split()
)
_PASSING_BY = frozenset(
    "way fire edge time board fence point track vacation holiday phone train "
    "bus plane internet other side fan record top".split()
)
_PREPOSITIONS = (
    "in",
    "on",
    "at",
    "for",
    "with",
    "as",
    "to",
    "by",
    "from",
    "through",
    "via",
    "into",
    "under",
    "behind",
    "near",
    "within",
    "against",
    "after",
    "per",
    "over",
    "above",
    "below",
    "until",
)
_MEASURING = frozenset("after per over above below".split())
_OUTCOMES = frozenset("cause reason winner result verdict outcome culprit".split())
"""What was found once and holds since: "the cause was an expired certificate"."""
_IDLE = frozenset("take have make give hold".split())
"""Verbs that say little without their noun: "takes place in Vienna"."""
_PLACED = frozenset("in on at under behind near above below inside beside opposite".split())
_CHOOSING = frozenset({"choose", "pick", "drop", "adopt", "retire"})
_KEPT = frozenset(
    "kid child son daughter sister brother cat dog pet rabbit horse car bike house "
    "allergy diabetes asthma twin cousin".split()
)
_NAMED_BY = frozenset("favorite favourite default preferred main primary native current".split())
_COLOURS = frozenset(
    "color colour diet nationality status name size language type kind mode level state tier "
    "gender sign".split()
)
_PAST_ALIKE = frozenset("read put set cut hit let cost hurt quit shut spread beat bet cast".split())
"""Verbs whose past is written as their present: "I read a book" tells of no habit."""
_HAVING = frozenset({"have", "get", "adopt", "buy", "hire"})
_BEARING = frozenset({"stand", "bear"})
_ABLE = frozenset("eats drinks speaks plays drives supports uses attends".split())
"""What is told of somebody by what they can or cannot do."""
_LIGHT = frozenset(
    "be think know want see feel guess hope look seem sound make do get go come take let say tell "
    "call try mean find give show keep ask help put happen start need wish wonder believe suppose "
    "remember forget understand agree thank appreciate expect plan imagine bet doubt care matter "
    "hear notice appear become remain stay bring turn leave wait talk hate can will decide depend "
    "sit stand follow hit worry suggest recommend consider assume imply promise swear love like "
    "miss mind thank apologize apologise quit stop finish give".split()
)


_SEEMING = frozenset(
    "say tell show read suggest be do let seem look sound appear become happen help make need get "
    "matter mean want hope try depend worry remain stay turn quit stop finish give".split()
)
"""What is done by things without saying anything in particular of them."""
_HEARSAY = frozenset(
    "be do say think believe suppose expect know consider mean assume ask tell need force allow "
    "see find hope plan do get go impress excite interest surprise concern invite".split()
)


class GrammarReader:
    """Reads the sentences of one turn or text, in order."""

    def __init__(self, text: str, utterance: Utterance, attributes: Attributes = SHIPPED) -> None:
        """`utterance.before` knows whom and what was spoken of before."""
        self.here = Phrases(text, utterance)
        self.attributes = attributes
        self._last: Statement | None = None
        self._corrected: Statement | None = None

    def corrects(self, before: Statement) -> bool:
        """Whether what was read last takes back a statement of the same speaker right before."""
        return self._corrected == before

    def read_parts(self, clauses_: Sequence[Sentence]) -> list[Statement]:
        """What a sentence states that is given as the clauses of it that stand for themselves."""
        found: list[Statement] = []
        for place, each in enumerate(clauses_):
            self.here.goes_on = place > 0
            found += self.read(each)
        self.here.goes_on = False
        return list(dict.fromkeys(found))

    def read(self, sentence: Sentence) -> list[Statement]:
        """What one sentence states."""
        found = repaired(self.here, self._by_rule(sentence))
        self._corrected = None
        if not found and (found := corrected(self.here, self._told)):
            self._corrected = self._last
        self._last = last_single(found) or self._last
        self.here.spoken_of()
        return found

    def _told(self) -> Statement | None:
        """The last statement of one value, here or in a turn before."""
        before = self.here.utterance.before
        if self._last is None and before:
            self._last = before.statement()
        return self._last

    def hear(self, clauses_: Sequence[Sentence]) -> None:
        """Go on behind a sentence that states nothing: whom and what it speaks of."""
        for each in clauses_:
            self.here.turn_to(each)
            self.here.spoken_of()

    def _by_rule(self, sentence: Sentence) -> list[Statement]:
        """What the rules read of one sentence, before it corrects itself."""
        self.here.turn_to(sentence)
        self.here.complete()
        if posts := Fragments(self).posts():
            return posts
        found: list[Statement] = []
        for clause in clauses(self.here.sentence):
            if clause.way == "unreal" or (clause.future and not self._is_decided(clause)):
                continue
            for subject in self.here.each(clause.subject):
                found += self._of_clause(replace(clause, subject=subject))
                self.here.cut, self.here.floor = (), -1
        found += self._named_kin()
        found += self._come_from()
        found += self._forbidden()
        found += Fragments(self).read()
        found += [] if found else [*self._noted()] or Measured(self).noted()
        return list(dict.fromkeys(found))

    def _of_clause(self, clause: Clause) -> list[Statement]:
        """What a clause states by the first of the rules that reads it, and by how much beside."""
        general = General(self)
        if any(True for _ in clause.under("expl")):  # "there's a sale on Tuesdays"
            return general.read(clause)
        found = list(self._clause(clause))
        if clause.subject < 0:
            return found
        if found:
            found += [*general.further(clause, found), *general.dated(clause, found)]
        else:
            found = Measured(self).read(clause) or general.read(clause)
            found = found or general.dated(clause, found)
        return found + general.price(clause)

    def _is_decided(self, clause: Clause) -> bool:
        """Whether what will be is told as it stands already: on a day, or of what there is one of
        ("the roof will be slate")."""
        here = self.here
        dated = any(here.clause_of(at) == clause.predicate for at in here.days)
        return dated or (clause.copular and here.is_definite(clause.subject))

    def _time(self, value: Sequence[int]) -> TimeSpan | None:
        """The one time that is not the value itself."""
        spans = list(dict.fromkeys(s for at, s in self.here.times.items() if at not in value))
        return spans[0] if len(spans) == 1 else None

    def _dates(self, time: TimeSpan | None) -> tuple[str | None, str | None]:
        """From when and until when, by the time that a clause tells."""
        said_on = self.here.utterance.said_on
        if time is None:
            return said_on, None
        start, end = fact_dates(time)
        if time.kind == "date":
            end = None
        if start is None and end and said_on and end > said_on:
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
        year, month = int(now[:4]), int(now[5:7])
        return time.kind == "date" and time.interval.start.first >= 12 * (year - 1) + month - 1

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
        time = self._time(words)
        start, end = self._dates(time)
        if ended:
            start, end = None, end or start
            if end is None:
                return
        said_by = self.here.name(clause.said_by) if clause.said_by >= 0 else ""
        if clause.said_by >= 0 and not said_by:
            return
        if said_by:
            rule = REPORT
        yield Statement(
            subject,
            predicate,
            value,
            start,
            end,
            self.here.sentence.start,
            self.here.sentence.end,
            rule,
            REPORTED if said_by else CONFIDENCE,
            single=single,
            said_by=said_by,
            noun=noun,
            anew=self.here.is_anew(clause.predicate),
            thing=self.is_of_thing(clause),
            since=not ended and self._has_lasted(clause, time),
        )

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

    def _clause(self, clause: Clause) -> Iterator[Statement]:
        tokens = self.here.sentence.tokens
        if clause.way == "due":
            return
        if clause.subject < 0:  # "moved the call to ten": whoever did
            self.here.floor = clause.predicate
            yield from Changes(self).read(clause)
            return
        self.here.floor = (
            max((clause.predicate, *clause.leads))
            if not clause.copular
            else max(clause.under("cop", of=clause.predicate), default=-1)
        )
        if clause.copular:
            yield from self._copular(clause)
        elif tokens[clause.predicate].tag in ("VERB", "AUX"):
            changed = list(Changes(self).read(clause))
            yield from changed or self._verbal(clause)
            if changed and clause.subject >= 0 and self._is_when(changed[-1]):
                yield from self.beside(clause, self._called_so(clause))

    def _called_so(self, clause: Clause) -> str:
        return self.here.name(clause.subject) or self.here.kind(clause.subject)

    def _is_when(self, statement: Statement) -> bool:
        """Whether what is told is a day: where it is then, is told beside it."""
        days = self.here.days
        return any(self.here.sentence.tokens[at].form in statement.object.split() for at in days)

    def _ended(self, clause: Clause) -> bool:
        """No longer, not … any more."""
        tokens = self.here.sentence.tokens
        for child in self.here.sentence.under[clause.predicate]:
            low = tokens[child].form.lower()
            if low == "longer" and child and tokens[child - 1].form.lower() == "no":
                return True
            if low in ("anymore", "more") and (
                low == "anymore" or tokens[child - 1].form.lower() == "any"
            ):
                return True
        return False

    def _copular(self, clause: Clause) -> Iterator[Statement]:
        """X is Y."""
        outcome = self.here.sentence.tokens[clause.subject].lemma in _OUTCOMES
        ended = self._ended(clause) or (clause.past and not clause.perfect and not outcome)
        if clause.negated and not ended:
            yield from self._is_adjective(clause, negated=True)
            return
        if clause.past and not clause.perfect and not self.here.utterance.said_on:
            return
        if clause.subject > clause.predicate:
            return
        if self.here.is_mine(clause.subject):
            yield from self._is_mine(clause, ended)
            return
        found = (
            list(self._is_somebody(clause, ended))
            or list(self._of_subject(clause, ended))
            or list(self._of_another(clause, ended))
            or ([] if clause.future else list(self._is_adjective(clause, ended=ended)))
        )
        yield from found or self._is_role(clause, ended) or self._is_what(clause, ended)

    def _is_somebody(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """Who one is, at whose place: "I'm Ilse, a data engineer at Corvane"; and whose something
        is: "Kwame's is 2k", "the kitchen is Tobi's"."""
        here, at = self.here, clause.predicate
        tokens = here.sentence.tokens
        if here.is_genitive(clause.subject):
            name, what = here.plain(clause.subject), here.possessed()
            name = name.removesuffix("'s").removesuffix("’s")
            if what:
                yield from self.tell(clause, name, what, at, single=True, ended=ended, noun=True)
            return
        if here.is_genitive(at) and not here.case(at) and here.is_definite(clause.subject):
            owner = here.plain(at).removesuffix("'s").removesuffix("’s")
            yield from self.make(
                clause,
                here.name(clause.subject),
                "is owned by",
                owner,
                [at],
                single=True,
                ended=ended,
            )
            return
        if not here.is_person(clause.subject) or clause.negated:
            return
        own = tokens[clause.subject].form.lower() == "i" and tokens[at].tag == "PROPN"
        own = own and not here.case(at) and not here.has_article(at)
        roles = [
            c
            for c in (at, *here.sentence.under[at])
            if tokens[c].tag == "NOUN"
            and (c == at or tokens[c].label in _APPOSED)
            and (here.is_kind(c) or (c != at and here.is_modified(c)))
            and not here.is_judged(c)
        ]
        name = here.name(clause.subject)
        if own:
            yield from self.make(clause, name, "is called", here.names_from(at), [at], single=True)
        for role in roles if own or roles == [at] else []:
            firm = next((c for c in here.sentence.under[role] if self._is_firm(c)), -1)
            if firm < 0 and not own:
                continue
            here.cut = (firm,) if firm >= 0 else ()
            for value, words in here.values(role, split=False):
                yield from self.make(
                    clause, name, "works as", singular(value), words, ended=ended, single=True
                )
            here.cut = ()
            if firm >= 0:
                yield from self.tell(clause, name, "works for", firm, single=True, ended=ended)

    def _is_mine(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """As in "mine is plot 17", "mine's strontium", behind what somebody else has."""
        here, at = self.here, clause.predicate
        what = here.numbered(at) or here.possessed()
        owner = here.name(clause.subject)
        if what and owner and not here.case(at):
            yield from self.tell(clause, owner, what, at, single=True, ended=ended, noun=True)

    def _is_firm(self, at: int) -> bool:
        """Whether one is something "at Corvane"."""
        return self.here.sentence.tokens[at].tag == "PROPN" and (
            self.here.case(at) in ("at", "with") and not self.here.is_time(at)
        )

    def _is_role(self, clause: Clause, ended: bool) -> list[Statement]:
        """As in "Python 3.10 is the minimum version", "Nina is the tech lead": of nobody's."""
        at, here = clause.predicate, self.here
        subject = here.sentence.tokens[clause.subject]
        somebody = subject.form.lower() in ("i", "he", "she")
        posted = here.is_bare(at) and is_post(here.sentence.tokens[at].lemma)
        titled = somebody and (here.is_title(at) or posted)  # "I'm lead pharmacist"
        posted = posted and here.is_person(clause.subject)
        if here.case(at) or not (titled or posted or here.is_role(at)):
            return []
        name = here.name(clause.subject)
        if somebody:
            return list(self._is_titled(clause, name, ended=ended))
        if subject.tag not in ("PROPN", "X"):
            return []
        statements = self.make(
            clause,
            here.attribute(at),
            VALUE,
            name,
            [clause.subject],
            single=True,
            ended=ended,
            noun=True,
        )
        return list(statements)

    def _is_titled(self, clause: Clause, name: str, *, ended: bool) -> Iterator[Statement]:
        """As in "I'm sound designer in Lund": as what and where one works."""
        here, at = self.here, clause.predicate
        role = here.attribute(at)
        yield from self.make(clause, name, "works as", role, [at], single=True, ended=ended)
        for child in here.sentence.under[at]:
            case = here.case(child)
            named = here.sentence.tokens[child].tag == "PROPN" and not here.is_time(child)
            if named and child > at and case in ("in", "at", "with"):
                where = "works in" if case == "in" else "works for"
                yield from self.tell(clause, name, where, child, single=True, ended=ended)

    def _of_subject(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """As in "my budget is 5k", "Dana's manager is Greta", "the port of the ledger is 8080"."""
        at, subject = clause.predicate, clause.subject
        owned = self.here.owned(subject)
        timed = self.here.is_time(at)
        if not owned or (self.here.case(at) and not timed) or not self._says_what(at, owned[1]):
            return
        head = self.here.sentence.tokens[subject]
        last = owned[1].rpartition(" ")[2]  # of "the second one", what it is one of
        noun = head.lemma if head.form.lower() != "one" else last
        several = noun in SEVERAL or head.form.lower() not in (head.lemma, "one")
        if (named := self._named_behind(at)) >= 0:  # "our carer is a woman called Ann"
            name = self.here.names_from(named)
            yield from self.make(
                clause, *owned, name, [named], single=not several, ended=ended, noun=True
            )
            return
        yield from self.tell(clause, *owned, at, single=not several, ended=ended, noun=True)
        if timed:
            yield from self.beside(clause, self.here.name(subject), ended=ended)

    def _is_what(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """What is said of a subject that is nobody's: when, where, how much, or who it is."""
        at, here = clause.predicate, self.here
        name, case = here.name(clause.subject), here.case(at)
        if not name:
            return
        thing = not here.is_person(clause.subject)
        lower = here.sentence.tokens[clause.subject].form.islower()  # "bin day's Thursday"
        if (thing or (lower and not case)) and here.is_time(at):
            yield from self.tell(clause, name, VALUE, at, single=True, ended=ended, noun=True)
            yield from self.beside(clause, name, ended=ended)
        elif not case and here.sentence.tokens[at].lemma in _SCALES:
            yield from self._is_down_to(clause, name, thing=thing, ended=ended)
        elif not case and here.sentence.tokens[at].lemma == "back":
            yield from self._is_back(clause, name, thing=thing)
        elif not case and self._is_post(clause):
            yield from self.tell(clause, name, "is", at, single=True, ended=ended)
        elif not thing and (aged := self._age(clause)) >= 0:
            yield from self.tell(clause, name, AGE, aged, single=True, ended=ended, noun=True)
        elif case:
            yield from self._is_where(clause, name, case, thing=thing, ended=ended)
        elif thing:
            yield from self._is_thing(clause, name, ended=ended)
        elif here.sentence.tokens[at].tag == "NOUN" and here.is_kind(at) and not here.is_judged(at):
            for value, words in here.values(at, split=False):
                yield from self.make(clause, name, "is", _with_article(value), words, ended=ended)

    def _is_post(self, clause: Clause) -> bool:
        """Whether a name fills what is nobody's in particular: "the manager is Goran"."""
        tokens = self.here.sentence.tokens
        post = tokens[clause.subject].tag == "NOUN" and self.here.has_article(clause.subject)
        return post and tokens[clause.predicate].tag == "PROPN"

    def beside(self, clause: Clause, name: str, *, ended: bool = False) -> Iterator[Statement]:
        """As in "the fair is on 19 June in Bodmin", "is on Tuesdays at half past seven": where it
        is, and at what hour, behind the day."""
        here, tokens = self.here, self.here.sentence.tokens
        for at in range(clause.predicate + 1, len(tokens)):
            case, told = here.case(at), here.days.get(at, ())
            hour = at in told[:1] and clause.predicate not in told and here.is_recurring(at)
            named = tokens[at].tag == "PROPN" and not self._is_inner(at)
            named = named or (here.has_proper(at) and here.has_article(at))
            named = named and not here.is_time(at)
            placed = (named and case in ("in", "at")) or (hour and case == "at")
            if placed and here.clause_of(at) == clause.predicate:
                yield from self.tell(clause, name, f"is {case}", at, single=True, ended=ended)

    def _is_inner(self, at: int) -> bool:
        """Whether a name is only a part of another's: the "St" of "St Mary's"."""
        tokens = self.here.sentence.tokens
        above = tokens[at].head
        beside = above >= 0 and abs(above - at) == 1
        return beside and (tokens[above].tag == "PROPN" or tokens[at].label in ("amod", "compound"))

    def _is_thing(self, clause: Clause, name: str, *, ended: bool) -> Iterator[Statement]:
        """As in "the limit is 5", "the venue is the Old Mill"."""
        at, here = clause.predicate, self.here
        token, subject = here.sentence.tokens[at], clause.subject
        role = here.is_role(subject) and (here.is_bare(at) or here.is_modified(at))
        if token.tag == "NUM" or here.has_number(at) or role:
            yield from self.tell(clause, name, VALUE, at, single=True, ended=ended, noun=True)
        elif token.tag in ("PROPN", "X") and (here.is_definite(subject) or here.is_bare(subject)):
            yield from self.tell(clause, name, "is", at, single=True, ended=ended)

    def _is_down_to(
        self, clause: Clause, name: str, *, thing: bool, ended: bool
    ) -> Iterator[Statement]:
        """As in "the build is down to 9 minutes"."""
        here, at = self.here, clause.predicate
        predicate = VALUE if thing else f"is {here.sentence.tokens[at].lemma} to"
        for child in clause.under("obl", of=at):
            counted = here.has_number(child)
            if here.case(child) == "to" and (counted or thing):
                words = predicate if counted else f"is {here.sentence.tokens[at].lemma} to"
                yield from self.tell(
                    clause, name, words, child, single=True, ended=ended, noun=thing and counted
                )

    def _is_back(self, clause: Clause, name: str, *, thing: bool) -> Iterator[Statement]:
        """As in "the retention is back at 30 days", "we're back on Stripe"."""
        here, we = self.here, self.here.is_we(clause.subject)
        for at in clause.under("obl", of=clause.predicate):
            case = here.case(at)
            here.cut = tuple(c for c in here.sentence.under[at] if here.case(c) == "since")
            named = here.sentence.tokens[at].tag == "PROPN" and not here.is_time(at)
            if thing and case in ("at", "on", "to") and here.has_number(at):
                yield from self.tell(clause, name, VALUE, at, single=True, noun=True, rule=CHANGE)
            elif named and case in ("on", "to", "with"):
                uses = "runs on" if thing and not we else "uses"
                yield from self.tell(clause, name, uses, at, single=not we, rule=CHANGE)

    def _age(self, clause: Clause) -> int:
        """The word that tells how old somebody is; -1 where none does."""
        at, here = clause.predicate, self.here
        if here.is_age(at) and not here.is_time(at):
            return at
        old = here.sentence.tokens[at].lemma == "old"
        return next(clause.under("obl:unmarked", of=at), -1) if old else -1

    def _says_what(self, at: int, attribute: str) -> bool:
        """Whether a complement is the value of the attribute, not what somebody thinks of it."""
        tokens = self.here.sentence.tokens
        token = tokens[at]
        words = attribute.split()
        if (
            token.tag in ("PROPN", "NUM", "X", "SYM")
            or self.here.is_time(at)
            or self.here.has_number(at)
            or self.here.called_behind(at)
        ):
            return True
        if token.tag == "ADJ":
            return bool(set(words) & _NAMED_BY) or words[-1] in _COLOURS
        if token.tag != "NOUN" or self.here.is_judged(at):
            return False
        articles = [
            c
            for c in self.here.sentence.under[at]
            if tokens[c].label == "det" and tokens[c].lemma == "a"
        ]
        if not articles:
            return True
        return (self.here.has_proper(at) or bool(set(words) & _NAMED_BY)) and words[-1] not in KIN

    def _of_another(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """As in "Greta is my manager", "Postgres is the database of the ledger"."""
        at = clause.predicate
        owned = self.here.owned(at)
        if not owned or self.here.case(at):
            return
        tokens = self.here.sentence.tokens
        definite = not any(tokens[c].lemma == "a" for c in self.here.sentence.under[at])
        name = self.here.name(clause.subject)
        known = self.here.is_definite(clause.subject) or self.here.is_somebody(clause.subject)
        if not definite or not name or not known:
            return
        single = tokens[at].lemma not in SEVERAL
        yield from self.make(
            clause, *owned, name, [clause.subject], single=single, ended=ended, noun=True
        )

    def _is_adjective(
        self, clause: Clause, *, negated: bool = False, ended: bool = False
    ) -> Iterator[Statement]:
        """As in "allergic to nuts", "vegetarian", "deprecated"."""
        at = clause.predicate
        tokens = self.here.sentence.tokens
        name = self.here.name(clause.subject)
        if not name:
            return
        table = self.attributes
        no = "not " if negated else ""
        for label in ("obl", "nmod", "advcl"):
            for child in clause.under(label, of=at):
                entry = table.entry(
                    phrase_of(("be", tokens[at].lemma.lower(), self.here.case(child)))
                )
                if entry and entry.kind != "ends":
                    yield from self._of_entry(clause, name, entry, child, negated=no, ended=ended)
                    return
        scaled = tokens[at].lemma in _SCALES and any(
            self.here.case(c) == "to" for c in clause.under("obl", of=at)
        )
        if self.here.case(at) or scaled:
            return
        head = tokens[at].form.lower()
        for value, words in self.here.values(at, split=False):
            low = value.lower()
            for each in self.attributes.rows:
                low = head if head in each.values and tokens[at].tag == "ADJ" else low
                if low in each.values and tokens[at].tag in ("ADJ", "NOUN", "VERB", "PROPN"):
                    person = self.here.is_person(clause.subject)
                    if each.name == "status" and (person or self._has_hours(clause)):
                        continue
                    yield from self.make(
                        clause,
                        name,
                        f"{no}{each.name}",
                        low.removeprefix("a "),
                        words,
                        ended=ended,
                        noun=True,
                    )
                    return

    def _has_hours(self, clause: Clause) -> bool:
        """Whether what is said is said of hours: "we are open 8 till 6"."""
        here, at = self.here, clause.predicate
        return any(c > at and here.is_recurring(c) for c in here.sentence.under[at])

    def _is_where(
        self, clause: Clause, name: str, case: str, *, thing: bool, ended: bool
    ) -> Iterator[Statement]:
        at = clause.predicate
        entry = self.attributes.entry(f"be {case}")
        token = self.here.sentence.tokens[at]
        we = self.here.is_we(clause.subject)
        for child in clause.under("nmod", of=at):  # "in charge of payroll"
            phrase_ = phrase_of(("be", case, token.lemma, self.here.case(child)))
            if known := self.attributes.entry(phrase_):
                yield from self._of_entry(clause, name, known, child, negated="", ended=ended)
                return
        counted = case in ("on", "at") and self.here.has_number(at) and not self.here.is_time(at)
        named = self.here.pronoun(clause.subject) is None
        if (
            (thing or named) and counted and token.tag != "PROPN" and not we
        ):  # "is on firmware 3.8", "is at 40 mW"
            yield from self.tell(clause, name, VALUE, at, single=True, ended=ended, noun=True)
        elif case == "off" and token.tag == "PROPN" and (thing or we) and not self.here.is_time(at):
            predicate = "uses" if we else "runs on"
            yield from self.tell(clause, name, predicate, at, ended=True, rule=CHANGE)
        elif case == "on" and token.tag == "PROPN" and (thing or we) and not self.here.is_time(at):
            predicate = "uses" if we else "runs on"
            yield from self.tell(clause, name, predicate, at, single=not we, ended=ended)
        elif not thing and case == "on" and token.tag == "NOUN" and self._is_lasting(at):
            yield from self.tell(clause, name, "is on", at, ended=ended)
        elif case == "from" and self.here.sentence.tokens[at].tag == "PROPN":
            yield from self.tell(clause, name, "is from", at, ended=ended)
        elif not thing and case == "in" and self.here.is_coded(at):  # "I'm in B3"
            yield from self.tell(clause, name, "is in", at, single=True, ended=ended)
        elif thing and entry and self.here.sentence.tokens[at].tag in ("PROPN", "NUM"):
            yield from self._of_entry(clause, name, entry, at, negated="", ended=ended)
        elif thing and case in _PLACED and self.here.is_definite(at):
            yield from self.tell(clause, name, f"is {case}", at, single=True, ended=ended)

    def _is_lasting(self, at: int) -> bool:
        """Whether one can be "on" it for a while: "on call", "on the night shift"."""
        lemma = self.here.sentence.tokens[at].lemma
        return (
            lemma not in _PASSING_BY
            and not self.here.is_time(at)
            and not any(
                self.here.sentence.tokens[c].label == "nmod:poss"
                for c in self.here.sentence.under[at]
            )
        )

    def objects(self, clause: Clause) -> dict[str, int]:
        """What the verb has beside its subject, by preposition; its object by ""."""
        found: dict[str, int] = {}
        tokens = self.here.sentence.tokens
        for label in ("obj", "xcomp", "obl", "nmod"):
            for child in clause.under(label):
                key = "" if label == "xcomp" else self._preposition(child)
                none = any(tokens[c].lemma == "no" for c in self.here.sentence.under[child])
                none = none or self._is_fronted(clause, child) or self._is_within_time(child)
                if not none and self._is_argument(child, label, key):
                    found.setdefault(key, child)
        self._add_inner(found)
        for at in range(clause.predicate + 1, len(self.here.sentence.tokens)):
            key = self._preposition(at)  # "turned down from 40 to 25 mW", wherever they hang
            astray = key in _FROM_TO and key not in found and self.here.is_measure(at)
            astray = astray and self.here.days.get(at, (at,))[0] == at
            if astray and self.here.clause_of(at) == clause.predicate:
                found[key] = self._counted_by(at)
        for day in dict.fromkeys(self.here.days.values()):
            key = self._preposition(day[0])
            again = not key and self.here.is_recurring(day[0])
            often = again and not key and "" in found and self.here.is_often(day[0])
            if often:
                continue  # "eats fish twice a week" tells of the fish
            if self.here.clause_of(day[0]) == clause.predicate and (key or again):
                found.setdefault(key or "on", day[-1] if again else day[0])
        return found

    def _add_inner(self, found: dict[str, int]) -> None:
        """Add what hangs on an object: the "5" of "the retry limit to 5"."""
        sentence = self.here.sentence
        for at in list(found.values()):
            hour = self.here.days.get(at, ())  # "quarter to three" is one time
            for child in sentence.under[at]:
                inner = sentence.tokens[child].label in ("nmod", "obl") and child not in hour
                if inner and (key := self._preposition(child)):
                    found.setdefault(key, child)

    def _is_fronted(self, clause: Clause, at: int) -> bool:
        """Whether it stands before the subject as something said: "famous last words, I say"."""
        tokens = self.here.sentence.tokens
        comma = any(tokens[i].form == "," for i in range(at, clause.subject))
        return tokens[at].label == "obj" and at < clause.subject and comma

    def _is_within_time(self, at: int) -> bool:
        """Whether a word and its preposition only go on with a time: the "in the morning" of "at
        two in the morning"."""
        tokens, first = self.here.sentence.tokens, self.here.days.get(at, (at,))[0]
        cases = (c for c in self.here.sentence.under[at] if tokens[c].label == "case")
        return tokens[at].lemma in _PARTS_OF_A_DAY and any(c > first for c in cases)

    def _counted_by(self, at: int) -> int:
        """What a number right before it counts: the "mW" of "25 mW"."""
        token = self.here.sentence.tokens[at]
        return token.head if token.label == "nummod" and token.head == at + 1 else at

    def _preposition(self, at: int) -> str:
        case = self.here.case(at)
        return case if case == "instead of" else case.rpartition(" ")[2]

    def _is_argument(self, at: int, label: str, key: str) -> bool:
        tag = self.here.sentence.tokens[at].tag
        if label == "xcomp":
            return tag in ("NOUN", "PROPN", "ADJ")
        if label == "obj":
            return True
        if not key and self.here.is_loose(at):
            return False  # the "a month" of "stays at 25 invoices a month"
        if key == "at" and self.here.sentence.tokens[at].lemma in _TIMELY:
            return False  # "at the moment"
        if at in self.here.times:
            return key in ("to", "until", "for", "on", "by")
        return bool(key) or at not in self.here.days

    def verb(self, clause: Clause) -> str:
        tokens = self.here.sentence.tokens
        at = clause.predicate
        particle = next(
            (
                tokens[c].lemma.lower()
                for label in ("compound:prt", "advmod")
                for c in clause.under(label, of=at)
                if label != "advmod" or (c == at + 1 and tokens[c].lemma.lower() in _PARTICLES)
            ),
            "",
        )
        done = any(True for label in _PASSIVE for _ in clause.under(label, of=at))
        passive = "be" if done else ""
        return phrase_of((passive, tokens[at].lemma, particle))

    def _verbal(self, clause: Clause) -> Iterator[Statement]:
        subject = self.here.name(clause.subject)
        verb, objects = self.verb(clause), self.objects(clause)
        if not subject:
            yield from self._of_kind(clause, verb, objects)
            return
        ended = self._ended(clause) or clause.way in ("ends", "past")
        if clause.way in ("likes", "dislikes", "prefers"):
            yield from self._liked(clause, subject)
            return
        if clause.way == "able" and verb in _BEARING:
            at = objects.get("", -1)
            yield from self.tell(clause, subject, "not likes", at) if clause.negated else ()
            return
        if verb in _NAMES_IT:
            yield from self._names_it(clause, objects.get("", -1))
        if verb in _HAVING:
            yield from self._called(clause, subject, objects.get("", -1))
        if self._turned(clause, objects):
            yield from self._became(clause, subject, objects[""])
            return
        known = self._by_table(clause, subject, verb, objects, ended=ended)
        if known is not None:
            yield from known
        elif clause.way != "able":
            yield from self._plainly(clause, subject, verb, objects, ended=ended)

    def _turned(self, clause: Clause, objects: dict[str, int]) -> bool:
        """Whether somebody "went vegan"."""
        here = self.here
        lemma = here.sentence.tokens[clause.predicate].lemma
        return (
            lemma in _TURNING
            and "" in objects
            and not clause.negated
            and any(
                here.sentence.tokens[objects[""]].form.lower() in each.values
                for each in self.attributes.rows
            )
        )

    def _became(self, clause: Clause, subject: str, at: int) -> Iterator[Statement]:
        low = self.here.sentence.tokens[at].form.lower()
        name = next(each.name for each in self.attributes.rows if low in each.values)
        yield from self.make(clause, subject, name, low, [at], single=True, noun=True)

    def _by_table(
        self, clause: Clause, subject: str, verb: str, objects: dict[str, int], *, ended: bool
    ) -> Iterator[Statement] | None:
        """What entries of the table say of it; None where the table does not know it."""
        found: list[Statement] = []
        known = False
        for key, at in sorted(objects.items(), key=lambda pair: (not pair[0], pair[1])):
            entry = self._entry(clause, verb, key, objects)
            if entry and key == "in" and self.here.is_time(at):  # "born in 1991" as "on 4 May"
                entry = self._entry(clause, verb, "on", objects)
            done = self.attributes.entry(phrase_of(("be", verb, key)))
            if entry is None and done and key and "" in objects:
                of_theme = self._of_theme(clause, objects[""], done, at, ended=ended)
                if of_theme:
                    return iter((*found, *of_theme))
            if entry is None or not self._fits(clause, entry, verb, at):
                continue
            if clause.way == "able" and entry.attribute.name not in _ABLE:
                break
            # "works at Acme as a nurse" tells of two things, "uses X for Y" of one
            if (known and not entry.attribute.functional) or not self._holds(clause, entry, ended):
                continue
            past = entry.kind == "verbs" and clause.past and not clause.perfect
            over = ended or (past and clause.way != "begins")
            no = "not " if clause.negated and not over else ""
            known = True
            found += self._of_entry(
                clause, subject, entry, at, negated=no, ended=over or entry.kind == "ends"
            )
        return iter(found) if known else None

    def _entry(
        self, clause: Clause, verb: str, key: str, objects: dict[str, int]
    ) -> AttributePhrase | None:
        """The entry of a verb with one of its objects; what is done may be written as it is said:
        "be stationed in" for "be station in"."""
        written = self.here.sentence.tokens[clause.predicate].form.lower()
        entry = self.attributes.entry(phrase_of((verb, key)))
        if entry is None and verb.startswith("be "):
            entry = self.attributes.entry(phrase_of(("be", written, key)))
        if not key or "" not in objects:
            return entry
        if entry and entry.kind != "verbs":
            entry = None  # "takes notes on it" does not take it on
        noun = self.here.sentence.tokens[objects[""]].lemma.lower()
        return entry or self.attributes.entry(phrase_of((verb, noun, key)))

    def _holds(self, clause: Clause, entry: AttributePhrase, ended: bool) -> bool:
        """Whether a clause tells of a state by an entry, one that holds or has ended."""
        if entry.kind != "verbs":
            return not (clause.negated or ended)
        past = clause.past and not clause.perfect
        if past and clause.way == "holds" and entry.attribute.name not in _OVER and not ended:
            return False  # "we played games": what was done, no state that has ended
        over = ended or (past and clause.way != "begins")
        return not (clause.negated and over and clause.way == "past")

    def _of_theme(
        self, clause: Clause, theme: int, done: AttributePhrase, at: int, *, ended: bool
    ) -> list[Statement]:
        """As in "we host the site on Fly": the site is hosted there."""
        name = self.here.name(theme) or self.here.kind(theme)
        past = clause.past and not clause.perfect and done.kind == "verbs"
        if not name or past or clause.negated:
            return []
        return list(self._of_entry(clause, name, done, at, negated="", ended=ended))

    def _names_it(self, clause: Clause, at: int) -> Iterator[Statement]:
        """As in "we named the puppy Waffles"."""
        tokens = self.here.sentence.tokens
        if at < 0 or tokens[at].tag != "PROPN":
            return
        for child in self.here.sentence.under[at]:
            if tokens[child].label == "compound" and tokens[child].tag == "NOUN":
                what = self.here.attribute(child)
                yield from self.make(
                    clause, what, "is called", self.here.names_from(at), [at], single=True
                )

    def _called(self, clause: Clause, subject: str, at: int) -> Iterator[Statement]:
        """As in "we have a new landlord, Mrs Lind", "we adopted a puppy called Biscuit"."""
        here = self.here
        tokens = here.sentence.tokens
        if at < 0 or tokens[at].tag != "NOUN":
            return
        named = next(
            (
                c
                for c in here.sentence.under[at]
                if c > at and tokens[c].label == "appos" and tokens[c].tag == "PROPN"
            ),
            -1,
        )
        if named < 0:
            named = self._named_behind(at)
        if named >= 0:
            yield from self.make(
                clause,
                subject,
                here.attribute(at),
                here.names_from(named),
                [named],
                single=tokens[at].lemma not in SEVERAL,
                noun=True,
            )

    def _named_behind(self, at: int) -> int:
        """The name of "a woman called Ann"; -1 without one."""
        tokens = self.here.sentence.tokens
        behind = at + 2 < len(tokens) and tokens[at + 1].lemma in ("call", "name")
        return at + 2 if behind and tokens[at + 2].tag == "PROPN" else -1

    def _of_kind(self, clause: Clause, verb: str, objects: dict[str, int]) -> Iterator[Statement]:
        """What holds of things of one kind, if it is something in particular: "logs are kept for
        14 days"."""
        kind = self.here.kind(clause.subject)
        if kind and any(self.here.is_specific(at) for at in objects.values()):
            yield from self._plainly(clause, kind, verb, objects, ended=self._ended(clause))

    def _fits(self, clause: Clause, entry: AttributePhrase, verb: str, at: int) -> bool:
        """Whether the words of an entry mean it here: what they are said of is of its kind."""
        here = self.here
        low = here.sentence.tokens[clause.subject].form.lower()
        token, name = here.sentence.tokens[at], entry.attribute.name
        person = here.is_person(clause.subject)
        somebody = person or low == "we"
        proper, timely = token.tag == "PROPN", here.is_time(at)
        event = entry.kind != "verbs"
        rules = {
            "lives in": (somebody or verb.startswith("be"))
            and (not event or (proper and may_be_place(here.words(at)))),
            "works for": somebody
            and not timely
            and not here.is_judged(at)
            and (proper and low != "we" if event and verb in _JOINING else True),
            "works as": somebody and not timely and (verb != "become" or here.is_kind(at)),
            "has": entry.kind == "ends" or self._may_have(clause, verb, at),
            "does": person
            and here.is_definite(at)
            and token.tag == "NOUN"
            and not here.is_judged(at),
            VALUE: not person and (timely or here.has_number(at)),
            "leads": person and here.is_definite(at),
            "dates": person and verb != "see",
            "attends": person,
            "plays for": person,
            "reports to": person,
            "runs on": not timely and (proper and (not somebody or here.has_number(at)))
            if verb == "run"
            else (not timely and not person) or here.sentence.tokens[clause.subject].tag == "PROPN",
            "drives": proper or here.has_proper(at),
            "requires": not person if verb == "need" else True,
            "uses": proper and low in ("we", "i") if verb in _CHOOSING else not timely,
            AGE: person and here.is_age(at),
            "eats": person,
            "drinks": person,
            "is called": not timely,
            "is written in": not timely,
        }
        return rules.get(name, True)

    def _may_have(self, clause: Clause, verb: str, at: int) -> bool:
        """Whether something is had for long: "two kids", "a peanut allergy", "a ThinkPad"."""
        here = self.here
        kept = here.sentence.tokens[at].lemma in _KEPT or self._is_one_thing(at)
        only = len(self.objects(clause)) == 1 and here.is_person(clause.subject)
        kept = kept or (only and self._is_it(at))
        if verb == "have" or (verb == "get" and clause.perfect):
            return kept or here.is_counted(at)
        named = here.sentence.tokens[at].tag == "PROPN" and here.is_definite(at)
        return kept or (named and here.has_article(at))

    def _is_one_thing(self, at: int) -> bool:
        """Whether there is one of it, which somebody has or not: "the shed key"."""
        here = self.here
        return here.is_role(at) and here.sentence.tokens[at].tag == "NOUN"

    def _is_it(self, at: int) -> bool:
        """Whether it is "it" and something known, as in "Ann has it now"."""
        return self.here.sentence.tokens[at].form.lower() == "it" and bool(self.here.pronoun(at))

    def _of_entry(
        self,
        clause: Clause,
        subject: str,
        entry: AttributePhrase,
        at: int,
        *,
        negated: str,
        ended: bool,
    ) -> Iterator[Statement]:
        each, name = entry.attribute, entry.attribute.name
        lemma = self.here.sentence.tokens[clause.predicate].lemma
        if name == VALUE and not clause.copular and lemma in _BEGINNING:
            verb, case = self.verb(clause).split(), self.here.case(at)
            name = phrase_of((third_person(verb[0]), *verb[1:], case))
        owned = self.here.owned(clause.subject) if each.name == "is called" else None
        if owned:  # "my dog is called Rex"
            yield from self.tell(clause, *owned, at, single=True, ended=ended, noun=True)
            return
        rule = CHANGE if entry.kind == "ends" else RULE
        if each.name == "has" and (self._is_one_thing(at) or self._is_it(at)) and not negated:
            yield from self.make(
                clause,
                self.here.name(at),
                "is held by",
                subject,
                [at],
                single=True,
                ended=ended,
                rule=rule,
            )
            return
        known = self.here.pronoun(at)
        turned = each.inverse and (self.here.is_definite(at) if known is None else bool(known))
        if turned:
            name = self.here.name(at)
            yield from self.make(
                clause,
                name,
                f"{negated}{each.inverse}",
                subject,
                [at],
                single=True,
                ended=ended,
                rule=rule,
            )
            return
        if not self.here.is_thing(at) or self.here.is_pointed_at(at):
            return
        for value, words in self.here.values(at, split=not each.functional):
            yield from self.make(
                clause,
                subject,
                f"{negated}{name}".replace("not not ", ""),
                singular(value),
                words,
                ended=ended,
                single=bool(each.functional),
                noun=name in _NOUNS,
                rule=rule,
            )
        yield from self._instead(clause, subject, each.name)

    def _instead(self, clause: Clause, subject: str, predicate: str) -> Iterator[Statement]:
        """What something is "instead of" has ended."""
        objects = self.objects(clause)
        for case in ("instead of",):
            if case in objects:
                yield from self.tell(
                    clause, subject, predicate, objects[case], ended=True, rule=CHANGE
                )

    def _liked(self, clause: Clause, subject: str) -> Iterator[Statement]:
        words = [
            w
            for w in span_of(self.here.sentence, clause.predicate)
            if w > clause.leads[-1]
            and w not in self.here.times
            and self.here.sentence.tokens[w].label != "mark"
        ]
        value = clean(phrase(self.here.text, self.here.sentence, words))
        predicate = {"likes": "likes", "dislikes": "not likes", "prefers": "prefers"}[clause.way]
        if clause.negated:
            predicate = {"likes": "not likes", "not likes": "likes"}.get(predicate, "")
        pointing = any(self.here.is_pointed_at(w) for w in words)
        if value and len(value.split()) <= _LONGEST_VALUE and not pointing:
            yield from self.make(clause, subject, predicate, value, words)

    def _plainly(
        self, clause: Clause, subject: str, verb: str, objects: dict[str, int], *, ended: bool
    ) -> Iterator[Statement]:
        """A verb that no entry knows, in the present: keyed by itself."""
        here, passive = self.here, verb.startswith("be ")
        if passive and not objects:
            here.floor = clause.predicate - 1
            yield from self._is_adjective(clause, negated=clause.negated, ended=ended)
        if not self._is_habit(clause, ended=ended, passive=passive):
            return
        no = "not " if clause.negated and not ended else ""
        person = here.is_person(clause.subject)
        keys = [k for k in ("", *_PREPOSITIONS) if k in objects]
        if here.is_we(clause.subject) and self._is_placed(objects):
            keys.remove("")  # "we store images in S3" tells of the images
        theme, stated = objects.get("", -1), False
        token = here.sentence.tokens[clause.predicate]
        for key in keys:
            at = objects[key]
            once = person and not here.is_recurring(at) and not here.is_date(at)
            timed = here.is_time(at) and (key == "from" or once)
            idle = not key and token.lemma in _IDLE and here.is_bare(at)
            idle = idle or (clause.negated and here.is_judged(at))  # "not picks up his phone"
            if timed or idle or here.pronoun(at) is not None or (passive and not key):
                continue
            if key in _MEASURING and not here.has_number(at):
                continue
            with_theme = key and theme >= 0
            if with_theme and (stated or here.is_nothing(theme)):
                break
            if (with_theme or passive) and not (here.is_specific(at) or here.is_definite(at)):
                continue
            if with_theme and (here.is_time(at) or not here.is_specific(at)):
                continue
            theme_phrase = here.attribute(theme) if with_theme and not here.is_recurring(at) else ""
            words = self._said_of(clause, verb, theme_phrase, key)
            of_theme = (
                with_theme and here.is_we(clause.subject) and (here.name(theme) or here.kind(theme))
            )
            if of_theme:  # "we keep logs for 30 days": they are kept
                done = participle(token.lemma)
                subject, words = of_theme, phrase_of(("is", done, key))
            single = not person and (here.is_time(at) or here.has_number(at)) and verb != "have"
            yield from self.tell(clause, subject, f"{no}{words}", at, ended=ended, single=single)
            stated = bool(with_theme)

    def _is_placed(self, objects: dict[str, int]) -> bool:
        """Whether something in particular is done to what has a name."""
        at = objects.get("", -1)
        named = at >= 0 and bool(self.here.name(at) or self.here.kind(at))
        return named and any(k and self.here.is_specific(o) for k, o in objects.items())

    def predicate_of(self, clause: Clause) -> str:
        """The verb of a clause as a predicate: "closes", "is kept"."""
        verb, token = self.verb(clause), self.here.sentence.tokens[clause.predicate]
        own = any(True for label in ("nsubj", "nsubj:pass", "aux") for _ in clause.under(label))
        done = token.form.lower() == participle(token.lemma) != token.lemma
        if token.label == "conj" and done and not own:  # "run at 2, kept for 30 days"
            verb = f"be {verb}"
        return self._said_of(clause, verb, "", "")

    def _said_of(self, clause: Clause, verb: str, theme: str, key: str) -> str:
        """The predicate of a verb, with what it is done to where that is not what is told."""
        first, *rest = verb.split()
        if first == "be":
            done = self.here.sentence.tokens[clause.predicate].form.lower()
            return phrase_of(("is", done, *rest[1:], key))
        return phrase_of((third_person(first), *rest, theme, key))

    def _is_habit(self, clause: Clause, *, ended: bool, passive: bool) -> bool:
        """Whether a verb says what somebody or something in particular does, again and again."""
        here, governed = self.here, bool(clause.leads)
        token, subject = here.sentence.tokens[clause.predicate], clause.subject
        form, said = token.form.lower(), here.sentence.tokens[subject]
        somebody = here.is_person(subject) or here.is_we(subject)
        placing = here.is_we(subject) and any(
            key and here.is_specific(at) for key, at in self.objects(clause).items()
        )
        light = _HEARSAY if passive or placing else _LIGHT if somebody else _SEEMING
        if token.lemma in light and not self._is_measured(clause):
            return token.lemma in _GOING and somebody and self._is_going(clause)
        known = here.is_definite(subject) or somebody or here.kind(subject)
        if not known and not (here.is_bare(subject) and self._is_of_something(clause)):
            return False
        if governed or ended:
            return True
        if passive:
            return not (clause.past or clause.perfect or clause.future)
        third = said.tag in ("PROPN", "NOUN") and not here.is_plural(subject)
        if third and form == token.lemma and not clause.negated:
            return False  # a verb of several, or one whose lemma nobody knows
        going = form.endswith("ing") and not (
            token.lemma in _LASTING or (token.lemma in _ONGOING and self._is_of_something(clause))
        )
        passing = form in _PAST_ALIKE or going
        return not (clause.past or clause.perfect or clause.future or passing)

    def _is_of_something(self, clause: Clause) -> bool:
        objects = self.objects(clause).values()
        return any(self.here.is_specific(at) or self.here.is_definite(at) for at in objects)

    def _is_going(self, clause: Clause) -> bool:
        """Whether what somebody goes to or takes is what they always do: "the train"."""
        here, form = self.here, self.here.sentence.tokens[clause.predicate].form.lower()
        objects = self.objects(clause)
        at = objects.get("", objects.get("to", -1))
        known = at >= 0 and not here.is_time(at) and here.is_definite(at) and not here.is_judged(at)
        habit = not (clause.past or clause.perfect or clause.future or form.endswith("ing"))
        named = known and (here.sentence.tokens[at].tag == "PROPN" or here.has_article(at))
        return named and habit and here.sentence.tokens[at].lemma not in _IDIOMS

    def _is_measured(self, clause: Clause) -> bool:
        """Whether what it takes is counted: "takes 25 minutes"."""
        at = next(clause.under("obj"), -1)
        lemma = self.here.sentence.tokens[clause.predicate].lemma
        return lemma == "take" and at >= 0 and self.here.is_counted(at)

    def _forbidden(self) -> Iterator[Statement]:
        """What one is told never to do: "don't deploy on Fridays"."""
        sentence = self.here.sentence
        root = sentence.tokens[sentence.root]
        under = [sentence.tokens[c] for c in sentence.under[sentence.root]]
        ordered = root.tag == "VERB" and root.form.lower() == root.lemma
        arguments = [
            c for c in sentence.under[sentence.root] if sentence.tokens[c].label in _ARGUMENTS
        ]
        if (
            ordered
            and root.lemma not in _LIGHT
            and any(t.label == "aux" and t.lemma == "do" for t in under)
            and any(t.lemma in ("not", "n't", "n’t", "never") for t in under)
            and not any(t.label.startswith("nsubj") for t in under)
            and any(self.here.is_specific(c) or self.here.is_definite(c) for c in arguments)
            and sentence.tokens[-1].form != "?"
        ):
            words = [w for w in span_of(sentence, sentence.root) if w >= sentence.root]
            value = f"do not {clean(phrase(self.here.text, sentence, words))}"
            yield self.here.state(self.here.utterance.speaker or "user", INSTRUCTS, value)

    def _noted(self) -> Iterator[Statement]:
        """As in "Kafka retention: 3 days", "dentist: 4 February, 8:40": a note of one thing."""
        sentence, here = self.here.sentence, self.here
        tokens = sentence.tokens
        mark = next((at for at, t in enumerate(tokens) if t.form == ":"), -1)
        clause = any(t.tag in ("VERB", "AUX") for t in tokens)
        heads = [at for at in range(mark) if tokens[at].tag in ("NOUN", "PROPN")]
        if clause or not heads or mark + 1 >= len(tokens):
            return
        at = heads[-1]
        before = [i for i in range(at) if tokens[i].tag not in ("INTJ", "CCONJ", "PUNCT", "ADV")]
        first = mark + 1
        said = here.is_time(first) or tokens[first].tag in ("NUM", "SYM", "PROPN")
        if (
            not said
            or at != mark - 1
            or len(before) > _LONGEST_NOTED
            or (tokens[at].lemma in ANNOUNCING)
        ):
            return
        mark = max((i for i in range(at) if tokens[i].form == ","), default=-1)
        before = [i for i in before if i > mark]  # "next, the door code: 4471"
        before = [i for i in before if i not in here.of_now(at)]
        subject = here.lowered(
            at, here.proper(singular(phrase(here.text, sentence, [*before, at])))
        )
        end = next(
            (i for i in range(first, len(tokens)) if tokens[i].form in (",", ";", "(")), len(tokens)
        )
        value = clean(phrase(here.text, sentence, range(first, end)))
        named = tokens[first].tag == "PROPN" and not here.is_time(first)
        listed = named and end + 1 < len(tokens) and tokens[end + 1].tag == "PROPN"
        told = any(tokens[i].tag == "PRON" for i in range(first, end))
        owner = here.possessor(at)
        subject, predicate = here.owned(at) or (subject, VALUE) if owner else (subject, VALUE)
        if subject and is_object(value) and not (listed or told):
            yield self.here.state(
                subject, predicate, value, single=True, noun=True, thing=owner is None
            )

    def _come_from(self) -> Iterator[Statement]:
        """Where somebody who is named is from: "Prof. Abara from Durham", "Lone from the port
        authority"."""
        here, sentence = self.here, self.here.sentence
        tokens = sentence.tokens
        for case in range(1, len(tokens) - 1):
            name, end = case - (tokens[case - 1].form == ","), case + 1
            while end < len(tokens) and tokens[end].tag in ("DET", "ADJ", "NOUN", "PROPN"):
                end += 1
            named = name and tokens[name - 1].tag == "PROPN" and here.is_person(name - 1)
            place = tokens[case].lemma == "from" and tokens[end - 1].tag in ("NOUN", "PROPN")
            if not (named and place) or here.is_time(end - 1) or not is_stated(sentence):
                continue
            begin = name
            while begin and tokens[begin - 1].tag == "PROPN":
                begin -= 1
            subject = here.proper(phrase(here.text, sentence, range(begin, name)))
            value = singular(phrase(here.text, sentence, range(case + 1, end)))
            if subject and value:
                yield self.here.state(subject, "is from", value)

    def _named_kin(self) -> Iterator[Statement]:
        tokens = self.here.sentence.tokens
        for at, token in enumerate(tokens):
            if token.tag != "NOUN" or token.lemma not in KIN:
                continue
            owner = self.here.possessor(at)
            named = self.here.appositive(at)
            if owner and owner[0] and named >= 0:
                value = self.here.names_from(named)
                if value:
                    yield self.here.state(
                        owner[0],
                        self.here.attribute(at),
                        value,
                        single=token.lemma not in SEVERAL,
                        noun=True,
                    )


def last_single(found: Sequence[Statement]) -> Statement | None:
    """The last of some statements that leaves room for one value, or counts something, and has not
    ended."""
    told = (each for each in reversed(found) if not each.valid_to)
    return next((each for each in told if each.single or value_kind(each.object).unit), None)


def _with_article(value: str) -> str:
    if value.lower().startswith(("a ", "an ")):
        return value
    return f"{'an' if value[:1].lower() in 'aeiou' else 'a'} {value}"
