"""What a verb says by the table of attributes (`records/attributes.py`): which entry it states, and
whether its words mean that entry here."""

from collections.abc import Iterator

from quipu.extract.grammar.clauses import Clause
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import CHANGE, RULE, Statement, may_be_place, singular
from quipu.records.attributes import VALUE, Attribute, AttributePhrase, phrase_of, third_person

__all__ = ["AGE", "Tabled"]

AGE = "age"
_NOUNS = frozenset({"value", "age", "diet", "marital status", "status"})
_JOINING = frozenset({"join", "leave", "quit", "start", "begin"})
_OVER = frozenset({"lives in", "works for", "works as", "is married to", "runs on", "is owned by"})
_BEGINNING = frozenset("begin start kick open commence".split())
_CHOOSING = frozenset({"choose", "pick", "drop", "adopt", "retire"})
_KEPT = frozenset(
    "kid child son daughter sister brother cat dog pet rabbit horse car bike house "
    "allergy diabetes asthma twin cousin".split()
)
_ABLE = frozenset("eats drinks speaks plays drives supports uses attends".split())
"""What is told of somebody by what they can or cannot do."""

_PAIR, _WITH = 2, ("with", "to", "from")
_SCHOOLS = frozenset("school kindergarten nursery primary preschool college university uni".split())


class Tabled:
    """Reads verbs that the table knows, for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.here = reading, reading.here

    def read(
        self, clause: Clause, subject: str, verb: str, objects: dict[str, int], *, ended: bool
    ) -> Iterator[Statement] | None:
        """What entries of the table say of it; None where the table does not know it."""
        found: list[Statement] = []
        known = False
        for key, at in sorted(objects.items(), key=lambda pair: (not pair[0], pair[1])):
            entry = self._entry(clause, verb, key, objects)
            if entry and key == "in" and self.here.is_time(at):  # "born in 1991" as "on 4 May"
                entry = self._entry(clause, verb, "on", objects)
            done = self.reading.attributes.entry(phrase_of(("be", verb, key)))
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
            found += self.of_entry(
                clause, subject, entry, at, negated=no, ended=over or entry.kind == "ends"
            )
        found += [] if known else self._each_other(clause, subject, verb)
        return iter(found) if known or found else None

    def _each_other(self, clause: Clause, subject: str, verb: str) -> list[Statement]:
        """What two do with one another: "Rosa and I split up" as "I split up with Rosa"."""
        tokens, own = self.here.sentence.tokens, clause.subject
        both = self.here.each(own if tokens[own].label.startswith("nsubj") else tokens[own].head)
        other = next((at for at in both if at != own), -1)
        if len(both) != _PAIR or own not in both or clause.negated:
            return []
        entries = (self.reading.attributes.entry(phrase_of((verb, key))) for key in _WITH)
        entry = next((e for e in entries if e and e.kind != "verbs"), None)
        if entry is None or not self.here.is_person(other):
            return []
        made = self.reading.make(
            clause,
            subject,
            entry.attribute.name,
            self.here.name(other),
            [other],
            ended=entry.kind == "ends",
            single=bool(entry.attribute.functional),
            rule=CHANGE,
        )
        return list(made)

    def _entry(
        self, clause: Clause, verb: str, key: str, objects: dict[str, int]
    ) -> AttributePhrase | None:
        """The entry of a verb with one of its objects; what is done may be written as it is said:
        "be stationed in" for "be station in"."""
        written = self.here.sentence.tokens[clause.predicate].form.lower()
        entry = self.reading.attributes.entry(phrase_of((verb, key)))
        if entry is None and verb.startswith("be "):
            entry = self.reading.attributes.entry(phrase_of(("be", written, key)))
        if not key or "" not in objects:
            return entry
        if entry and entry.kind != "verbs":
            entry = None  # "takes notes on it" does not take it on
        noun = self.here.sentence.tokens[objects[""]].lemma.lower()
        return entry or self.reading.attributes.entry(phrase_of((verb, noun, key)))

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
        return list(self.of_entry(clause, name, done, at, negated="", ended=ended))

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
            and (not event or (proper and low != "we" and may_be_place(here.words(at)))),
            "works for": somebody
            and not timely
            and not here.is_judged(at)
            and (proper and low != "we" if event and verb in _JOINING else True)
            and not (event and token.lemma.lower() in _SCHOOLS),
            "works as": somebody
            and not timely
            and (verb != "become" or here.is_kind(at) or here.is_bare(at)),  # "become chair"
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
            "is called": not timely and at > clause.predicate,  # not "I've got a dog called Rex"
            "is written in": not timely,
        }
        return rules.get(name, True)

    def _may_have(self, clause: Clause, verb: str, at: int) -> bool:
        """Whether something is had for long: "two kids", "a peanut allergy", "a ThinkPad"."""
        here = self.here
        kept = here.sentence.tokens[at].lemma in _KEPT or self._is_one_thing(at)
        only = len(self.reading.arguments.objects(clause)) == 1 and here.is_person(clause.subject)
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

    def of_entry(
        self,
        clause: Clause,
        subject: str,
        entry: AttributePhrase,
        at: int,
        *,
        negated: str,
        ended: bool,
    ) -> Iterator[Statement]:
        """What an entry says with the value at a word, of the subject or of what stands there."""
        each, name = entry.attribute, entry.attribute.name
        lemma = self.here.sentence.tokens[clause.predicate].lemma
        if name == VALUE and not clause.copular and lemma in _BEGINNING:
            verb, case = self.reading.arguments.verb(clause).split(), self.here.case(at)
            name = phrase_of((third_person(verb[0]), *verb[1:], case))
        owned = self.here.owned(clause.subject) if each.name == "is called" else None
        if owned:  # "my dog is called Rex"
            yield from self.reading.tell(clause, *owned, at, single=True, ended=ended, noun=True)
            return
        rule = CHANGE if entry.kind == "ends" else RULE
        if predicate := self._turned(each, at, negated):
            yield from self.reading.make(
                clause,
                self.here.name(at),
                predicate,
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
            yield from self.reading.make(
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

    def _turned(self, each: Attribute, at: int, negated: str) -> str:
        """What is said of the object instead, where that is what it is told of: "is owned by", of
        the ledger that Ann owns; empty where the subject is."""
        if each.name == "has" and (self._is_one_thing(at) or self._is_it(at)) and not negated:
            return "is held by"
        known = self.here.pronoun(at)
        turned = each.inverse and (self.here.is_definite(at) if known is None else bool(known))
        return f"{negated}{each.inverse}" if turned else ""

    def _instead(self, clause: Clause, subject: str, predicate: str) -> Iterator[Statement]:
        """What something is "instead of" has ended."""
        at = self.reading.arguments.objects(clause).get("instead of", -1)
        if at >= 0:
            yield from self.reading.tell(clause, subject, predicate, at, ended=True, rule=CHANGE)
