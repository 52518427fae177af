"""What any clause says in particular, whatever its verb: a name, a number or a time is stated of
who or what it is about, so no table of verbs is needed. It is asked last, where no other rule reads
anything of a clause, and less sure than what a rule of its own reads."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quipu.extract.grammar import participle
from quipu.extract.grammar.clauses import Clause
from quipu.extract.statements.statement import CHANGE, RULE, Statement
from quipu.records.attributes import VALUE, phrase_of, third_person

if TYPE_CHECKING:
    from quipu.extract.statements.by_grammar import GrammarReader

__all__ = ["General"]

_CONFIDENCE = 0.6
_HAVE = "has"
_PRESENT = frozenset({"are", "is", "'s", "’s", "'re", "’re"})
_PASSIVE = ("aux:pass", "nsubj:pass")
_TELLING = frozenset(
    "say tell mean speak talk ask think know guess hope believe suppose remember imagine wonder "
    "hear try thank call write reply answer forget agree promise swear joke wish like love hate "
    "look let be".split()
)
"""What one says, thinks or feels says nothing in particular of what it is about."""
_WANTING = frozenset({"need", "want"})


class General:
    """Reads it for one reader."""

    def __init__(self, reading: "GrammarReader") -> None:
        self.reading = reading

    def read(self, clause: Clause) -> list[Statement]:
        """What the clause says in particular."""
        return [each._replace(confidence=_CONFIDENCE) for each in self._read(clause)]

    def _read(self, clause: Clause) -> Iterator[Statement]:
        usual = clause.way in ("holds", "begins") and not (clause.negated or clause.future)
        if not usual or clause.subject < 0:
            return
        if clause.subject > clause.predicate:
            yield from self._there_is(clause)
        elif clause.copular:
            yield from self._is(clause)
        elif clause.sentence.tokens[clause.predicate].tag == "VERB":
            yield from self._does(clause)

    def _there_is(self, clause: Clause) -> Iterator[Statement]:
        """As in "there are 41 people on the waiting list": the list has them."""
        here = self.reading.here
        counted = here.is_counted(clause.subject)
        present = clause.sentence.tokens[clause.predicate].form.lower() in _PRESENT
        if not (counted and present) or not any(True for _ in clause.under("expl")):
            return
        where = [
            child
            for top in (clause.subject, clause.predicate)
            for child in clause.sentence.under[top]
            if child > clause.subject
            and here.case(child) in ("in", "on", "at")
            and here.is_definite(child)
            and not here.is_time(child)
        ]
        for at in where[:1]:
            here.cut = (at,)
            name = here.name(at)
            yield from self.reading.tell(clause, name, _HAVE, clause.subject)

    def _is(self, clause: Clause) -> Iterator[Statement]:
        """As in "the release manager is Goran", "hay is at £38", "she is off to Glasgow"."""
        here, at = self.reading.here, clause.predicate
        name = self._name(clause.subject)
        if not name or clause.past or here.is_judged(at):
            return
        case = here.case_behind(at)
        thing = self.reading.is_of_thing(clause)
        if not thing and not case and clause.sentence.tokens[at].tag not in ("ADJ", "ADV"):
            return  # who somebody is, other rules read
        one = thing and not case and self._is_one(clause.subject) and self._is_one(at)
        if one or self._is_particular(at, case):
            predicate = VALUE if thing and not case else phrase_of(("is", case))
            yield from self.reading.tell(
                clause, name, predicate, at, single=thing, noun=predicate == VALUE
            )
            return
        if clause.sentence.tokens[at].tag in ("ADJ", "ADV"):
            yield from self._is_so(clause, name)

    def _is_one(self, at: int) -> bool:
        """Whether there is one of it, told from others: "the cheese scone"."""
        here = self.reading.here
        return (
            here.has_article(at)
            and here.is_definite(at)
            and here.is_modified(at)
            and not here.is_kind(at)
        )

    def _is_so(self, clause: Clause, name: str) -> Iterator[Statement]:
        """As in "she is off to Glasgow": what belongs to an adjective or adverb."""
        here, at = self.reading.here, clause.predicate
        for child in clause.sentence.under[at]:
            case = here.case(child)
            if child > at and case and self._is_particular(child, case):
                said = phrase_of(("is", clause.sentence.tokens[at].form.lower(), case))
                yield from self.reading.tell(clause, name, said, child)
                return

    def _does(self, clause: Clause) -> Iterator[Statement]:
        """As in "she left in 2022", "hotfixes need two approvals": the first of its arguments that
        is something in particular."""
        here, name = self.reading.here, self._name(clause.subject)
        if not name or self._says_nothing(clause):
            return
        thing, objects = self.reading.is_of_thing(clause), self._objects(clause)
        for key, at, theme in self._arguments(objects):
            here.cut = tuple(other for other in objects.values() if other != at)
            if self._is_particular(at, key):
                words = phrase_of((self._verb(clause), theme, key))
                single = thing and here.is_measure(at)
                rule = CHANGE if self._is_change(clause, key, at) else RULE
                yield from self.reading.tell(clause, name, words, at, single=single, rule=rule)
                return
            if not key and self._is_kept(clause, at):
                yield from self._done_by(clause, name, at)
                return

    def _says_nothing(self, clause: Clause) -> bool:
        """Whether its verb tells of what is said, thought or wished, or of what was had once."""
        lemma = clause.sentence.tokens[clause.predicate].lemma
        wishes = lemma in _WANTING and not self.reading.is_of_thing(clause)
        return lemma in _TELLING or wishes or (lemma == "have" and clause.past)

    def _objects(self, clause: Clause) -> dict[str, int]:
        """What the verb has beside its subject; how long it lasts where it has nothing else:
        "messages live 7 days"."""
        here, objects = self.reading.here, self.reading.objects(clause)
        lasting = [
            at
            for at in clause.under("obl:unmarked")
            if here.is_counted(at) and not here.is_recurring(at)
        ]
        return {"": lasting[-1]} if lasting and not objects else objects

    def _arguments(self, objects: dict[str, int]) -> Iterator[tuple[str, int, str]]:
        """Each with its preposition and with what is done, where that is something in particular:
        ("in", "1:49", "half marathon")."""
        theme = objects.get("", -1)
        for key, at in objects.items():
            done = self._theme(theme) if key and theme >= 0 else ""
            if done or not key or theme < 0:
                yield key, at, done

    def _done_by(self, clause: Clause, name: str, at: int) -> Iterator[Statement]:
        """As in "Joan keeps the books": they are kept by her."""
        here = self.reading.here
        done = participle(here.sentence.tokens[clause.predicate].lemma)
        yield from self.reading.make(
            clause, here.name(at), f"is {done} by", name, [clause.subject], single=True
        )

    def _is_kept(self, clause: Clause, at: int) -> bool:
        """Whether somebody who is named always does it with what there is one of: "Joan keeps the
        books"."""
        here, form = self.reading.here, clause.sentence.tokens[clause.predicate].form
        usual = form.endswith("s") and not (clause.past or clause.perfect)
        named = clause.sentence.tokens[clause.subject].tag == "PROPN"
        return (
            usual
            and named
            and here.has_article(at)
            and here.is_definite(at)
            and not (here.is_judged(at) or here.is_kind(at))
        )

    def _is_change(self, clause: Clause, key: str, at: int) -> bool:
        """Whether it got from somewhere to what is told: "got down to 5 kilos"."""
        done = clause.past or clause.perfect
        return done and key == "to" and self.reading.here.is_measure(at)

    def _theme(self, at: int) -> str:
        """What a verb is done to, where that is something in particular: "the half marathon"."""
        here = self.reading.here
        noun = here.sentence.tokens[at].tag == "NOUN" and here.pronoun(at) is None
        return here.attribute(at) if noun and here.is_definite(at) else ""

    def _verb(self, clause: Clause) -> str:
        """The verb as a predicate: "keeps", "left", "has moved", "was repaired"."""
        here = self.reading.here
        form = here.sentence.tokens[clause.predicate].form.lower()
        first, *rest = self.reading.verb(clause).split()
        if first == "be":
            being = "was" if clause.past else "has been" if clause.perfect else "is"
            return phrase_of((being, form, *rest[1:]))
        if clause.perfect or clause.past:
            return phrase_of(("has" if clause.perfect else "", form, *rest))
        return phrase_of((third_person(first), *rest))

    def _name(self, at: int) -> str:
        here = self.reading.here
        known = here.pronoun(at)
        return known if known is not None else here.name(at) or here.kind(at)

    def _is_particular(self, at: int, case: str) -> bool:
        """Whether it is a name, a number or a time that somebody may ask for."""
        here = self.reading.here
        token = here.sentence.tokens[at]
        if here.pronoun(at) is not None or token.tag not in ("NOUN", "PROPN", "X", "SYM", "NUM"):
            return False
        if here.is_time(at):
            return bool(case) and case not in ("from", "of", "like")
        named = token.tag in ("PROPN", "X") or here.is_coded(at)
        return named or here.is_measure(at)
