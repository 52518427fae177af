"""What something is: whose it is, who, where, when, how much, how old, as what one works."""

from collections.abc import Iterator

from quipu.extract.grammar.clauses import Clause
from quipu.extract.grammar.people import KIN
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import CHANGE, Statement, singular
from quipu.extract.statements.tabled import AGE, Tabled
from quipu.records.attributes import SEVERAL, VALUE, phrase_of

__all__ = ["Copular"]

_APPOSED = frozenset({"appos", "conj", "parataxis", "list"})
_SCALES = frozenset({"down", "up"})
_PASSING_BY = frozenset(
    "way fire edge time board fence point track vacation holiday phone train "
    "bus plane internet other side fan record top".split()
)
_OUTCOMES = frozenset("cause reason winner result verdict outcome culprit".split())
"""What was found once and holds since: "the cause was an expired certificate"."""
_PLACED = frozenset("in on at under behind near above below inside beside opposite".split())
_NAMED_BY = frozenset("favorite favourite default preferred main primary native current".split())
_COLOURS = frozenset(
    "color colour diet nationality status name size language type kind mode level state tier "
    "gender sign".split()
)

_POSTS = ("er", "or", "ist", "ian", "man", "woman", "person", "lead", "chief", "head", "captain")
_NO_POSTS = (
    *("ater", "aper", "ower", "lver", "tter", "ther", "nner", "pper", "mber", "bber", "lder"),
    *("wder", "nger", "ister", "under", "ever", "over", "summer", "uter", "order", "corner"),
    *("colour", "color", "floor", "door", "motor", "tractor", "error", "human", "german", "van"),
)
_PEOPLE = frozenset(
    "physio vet gp doctor nurse landlord landlady student coach chef guide host tenant consultant "
    "accountant assistant solicitor minister president agent lodger midwife".split()
)


def _is_post_noun(lemma: str) -> bool:
    """Whether a noun is what somebody may be without an article: "treasurer"."""
    if lemma in _PEOPLE:
        return True
    return lemma.endswith(_POSTS) and not lemma.endswith(_NO_POSTS) and lemma not in KIN


class Copular:
    """Reads "X is Y" for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.here = reading, reading.here

    def read(self, clause: Clause) -> Iterator[Statement]:
        """X is Y."""
        outcome = self.here.sentence.tokens[clause.subject].lemma in _OUTCOMES
        ended = clause.over or (clause.past and not clause.perfect and not outcome)
        if clause.negated and not ended:
            yield from self.adjective(clause, negated=True)
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
            or ([] if clause.future else list(self.adjective(clause, ended=ended)))
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
                yield from self.reading.tell(
                    clause, name, what, at, single=True, ended=ended, noun=True
                )
            return
        whose = here.is_definite(clause.subject) or here.is_bare(clause.subject)
        if here.is_genitive(at) and not here.case(at) and whose:
            owner = here.plain(at).removesuffix("'s").removesuffix("’s")
            yield from self.reading.make(
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
            yield from self.reading.make(
                clause, name, "is called", here.names_from(at), [at], single=True
            )
        for role in roles if own or roles == [at] else []:
            firm = next((c for c in here.sentence.under[role] if self._is_firm(c)), -1)
            if firm < 0 and not own:
                continue
            here.cut = (firm,) if firm >= 0 else ()
            for value, words in here.values(role, split=False):
                yield from self.reading.make(
                    clause, name, "works as", singular(value), words, ended=ended, single=True
                )
            here.cut = ()
            if firm >= 0:
                yield from self.reading.tell(
                    clause, name, "works for", firm, single=True, ended=ended
                )

    def _is_mine(self, clause: Clause, ended: bool) -> Iterator[Statement]:
        """As in "mine is plot 17", "mine's strontium", behind what somebody else has."""
        here, at = self.here, clause.predicate
        what = here.numbered(at) or here.possessed()
        owner = here.name(clause.subject)
        if what and owner and not here.case(at):
            yield from self.reading.tell(
                clause, owner, what, at, single=True, ended=ended, noun=True
            )

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
        posted = here.is_bare(at) and _is_post_noun(here.sentence.tokens[at].lemma)
        titled = somebody and (here.is_title(at) or posted)  # "I'm lead pharmacist"
        posted = posted and here.is_person(clause.subject)
        if here.case(at) or not (titled or posted or here.is_role(at)):
            return []
        name = here.name(clause.subject)
        if somebody:
            return list(self._is_titled(clause, name, ended=ended))
        if subject.tag not in ("PROPN", "X"):
            return []
        statements = self.reading.make(
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
        yield from self.reading.make(clause, name, "works as", role, [at], single=True, ended=ended)
        for child in here.sentence.under[at]:
            case = here.case(child)
            named = here.sentence.tokens[child].tag == "PROPN" and not here.is_time(child)
            if named and child > at and case in ("in", "at", "with"):
                where = "works in" if case == "in" else "works for"
                yield from self.reading.tell(clause, name, where, child, single=True, ended=ended)

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
        if (named := self.here.named_behind(at)) >= 0:  # "our carer is a woman called Ann"
            name = self.here.names_from(named)
            yield from self.reading.make(
                clause, *owned, name, [named], single=not several, ended=ended, noun=True
            )
            return
        yield from self.reading.tell(clause, *owned, at, single=not several, ended=ended, noun=True)
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
            yield from self.reading.tell(
                clause, name, VALUE, at, single=True, ended=ended, noun=True
            )
            yield from self.beside(clause, name, ended=ended)
        elif not case and here.sentence.tokens[at].lemma in _SCALES:
            yield from self._is_down_to(clause, name, thing=thing, ended=ended)
        elif not case and here.sentence.tokens[at].lemma == "back":
            yield from self._is_back(clause, name, thing=thing)
        elif not case and self._is_post(clause):
            yield from self.reading.tell(clause, name, "is", at, single=True, ended=ended)
        elif not thing and (aged := self._age(clause)) >= 0:
            yield from self.reading.tell(
                clause, name, AGE, aged, single=True, ended=ended, noun=True
            )
        elif case:
            yield from self._is_where(clause, name, case, thing=thing, ended=ended)
        elif thing:
            yield from self._is_thing(clause, name, ended=ended)
        elif here.sentence.tokens[at].tag == "NOUN" and here.is_kind(at) and not here.is_judged(at):
            for value, words in here.values(at, split=False):
                yield from self.reading.make(
                    clause, name, "is", _with_article(value), words, ended=ended
                )

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
                yield from self.reading.tell(
                    clause, name, f"is {case}", at, single=True, ended=ended
                )

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
            yield from self.reading.tell(
                clause, name, VALUE, at, single=True, ended=ended, noun=True
            )
        elif token.tag in ("PROPN", "X") and (here.is_definite(subject) or here.is_bare(subject)):
            yield from self.reading.tell(clause, name, "is", at, single=True, ended=ended)

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
                yield from self.reading.tell(
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
                yield from self.reading.tell(
                    clause, name, VALUE, at, single=True, noun=True, rule=CHANGE
                )
            elif named and case in ("on", "to", "with"):
                uses = "runs on" if thing and not we else "uses"
                yield from self.reading.tell(clause, name, uses, at, single=not we, rule=CHANGE)

    def _age(self, clause: Clause) -> int:
        """The word that tells how old somebody is; -1 where none does."""
        at, here = clause.predicate, self.here
        own = here.sentence.tokens[clause.subject].head == at  # not "I'm down to two, was five"
        if own and here.is_age(at) and not here.is_time(at):
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
        yield from self.reading.make(
            clause, *owned, name, [clause.subject], single=single, ended=ended, noun=True
        )

    def adjective(
        self, clause: Clause, *, negated: bool = False, ended: bool = False
    ) -> Iterator[Statement]:
        """As in "allergic to nuts", "vegetarian", "deprecated"."""
        at = clause.predicate
        tokens = self.here.sentence.tokens
        name = self.here.name(clause.subject)
        if not name:
            return
        table = self.reading.attributes
        no = "not " if negated else ""
        for label in ("obl", "nmod", "advcl"):
            for child in clause.under(label, of=at):
                entry = table.entry(
                    phrase_of(("be", tokens[at].lemma.lower(), self.here.case(child)))
                )
                if entry and entry.kind != "ends":
                    yield from Tabled(self.reading).of_entry(
                        clause, name, entry, child, negated=no, ended=ended
                    )
                    return
        scaled = tokens[at].lemma in _SCALES and any(
            self.here.case(c) == "to" for c in clause.under("obl", of=at)
        )
        if self.here.case(at) or scaled:
            return
        head = tokens[at].form.lower()
        for value, words in self.here.values(at, split=False):
            low = value.lower()
            for each in self.reading.attributes.rows:
                low = head if head in each.values and tokens[at].tag == "ADJ" else low
                if low in each.values and tokens[at].tag in ("ADJ", "NOUN", "VERB", "PROPN"):
                    person = self.here.is_person(clause.subject)
                    if each.name == "status" and (person or self._has_hours(clause)):
                        continue
                    yield from self.reading.make(
                        clause,
                        name,
                        f"{no}{each.name}",
                        low.removeprefix("a "),
                        [at] if low == head else words,
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
        entry = self.reading.attributes.entry(f"be {case}")
        token = self.here.sentence.tokens[at]
        we = self.here.is_we(clause.subject)
        for child in clause.under("nmod", of=at):  # "in charge of payroll"
            phrase_ = phrase_of(("be", case, token.lemma, self.here.case(child)))
            if known := self.reading.attributes.entry(phrase_):
                yield from Tabled(self.reading).of_entry(
                    clause, name, known, child, negated="", ended=ended
                )
                return
        counted = case in ("on", "at") and self.here.has_number(at) and not self.here.is_time(at)
        named = self.here.pronoun(clause.subject) is None
        if (
            (thing or named) and counted and token.tag != "PROPN" and not we
        ):  # "is on firmware 3.8", "is at 40 mW"
            yield from self.reading.tell(
                clause, name, VALUE, at, single=True, ended=ended, noun=True
            )
        elif case == "off" and token.tag == "PROPN" and (thing or we) and not self.here.is_time(at):
            predicate = "uses" if we else "runs on"
            yield from self.reading.tell(clause, name, predicate, at, ended=True, rule=CHANGE)
        elif case == "on" and token.tag == "PROPN" and (thing or we) and not self.here.is_time(at):
            predicate = "uses" if we else "runs on"
            yield from self.reading.tell(clause, name, predicate, at, single=not we, ended=ended)
        elif not thing and case == "on" and token.tag == "NOUN" and self._is_lasting(at):
            yield from self.reading.tell(clause, name, "is on", at, ended=ended)
        elif case == "from" and self.here.sentence.tokens[at].tag == "PROPN":
            yield from self.reading.tell(clause, name, "is from", at, ended=ended)
        elif not thing and case == "in" and self.here.is_coded(at):  # "I'm in B3"
            yield from self.reading.tell(clause, name, "is in", at, single=True, ended=ended)
        elif thing and entry and self.here.sentence.tokens[at].tag in ("PROPN", "NUM"):
            yield from Tabled(self.reading).of_entry(
                clause, name, entry, at, negated="", ended=ended
            )
        elif thing and case in _PLACED and self.here.is_definite(at):
            yield from self.reading.tell(clause, name, f"is {case}", at, single=True, ended=ended)

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


def _with_article(value: str) -> str:
    if value.lower().startswith(("a ", "an ")):
        return value
    return f"{'an' if value[:1].lower() in 'aeiou' else 'a'} {value}"
