"""What is said by a number, a time or a version, whatever the verb: a thing "sits at 40 mW", "was
put on 3 degrees", "timeout 15s". The kind of the value tells that something is stated, so no list
of verbs is needed."""

from collections.abc import Iterator, Sequence

from quipu.extract.grammar.clauses import Clause, is_stated, phrase
from quipu.extract.statements.phrases import ANNOUNCING
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import (
    CHANGE,
    RULE,
    Statement,
    clean,
    is_object,
    singular,
)
from quipu.records.attributes import VALUE

__all__ = ["Measured"]

_AT = ("at", "on", "to", "by", "for", "in", "until")
_SET = ("to", "at", "on")
_PLACED = frozenset("under behind into onto".split())
_PUTTING = frozenset({"put", "place", "set", "move"})
_WISHING = frozenset("want need like expect hope wish ask suggest propose prefer".split())
_BREAKS = frozenset(",;.!?()")
_JOINS = frozenset({":", "=", "is", "at", "of"})
_ARROWS = frozenset({"->", "-->", "→", "⇒"})
_OVER = frozenset("this so now already today after before since until till".split())
"""What stands behind a measure and is no part of it."""
_NONE = frozenset({"no", "not", "never"})
_LONGEST_NAME = 4
_SEVERAL = 2

_DOSES = frozenset("mg mcg µg g ml unit iu drop tablet pill puff capsule".split())


class Measured:
    """Reads them for one reader, where its other rules read nothing of a clause."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def read(self, clause: Clause) -> list[Statement]:
        """What the clause says by a number, a time or a version."""
        if clause.negated:
            return []
        if clause.way == "due":
            return list(self._due(clause))
        usual = clause.way in ("holds", "begins") and not clause.copular
        return list(self._asserted(clause)) if usual else []

    def doses(self, clause: Clause) -> list[Statement]:
        """How much of something somebody takes, as in "I take 5 mg of ramipril", "I'm on 50 mg of
        sertraline": of that there is so much, which may be changed."""
        here, tokens = self.reading.here, clause.sentence.tokens
        name = here.name(clause.subject) if clause.subject >= 0 else ""
        past = clause.negated or clause.past or clause.perfect or clause.future
        if past or clause.way in ("able", "due") or not name or not here.is_person(clause.subject):
            return []
        found: list[Statement] = []
        for at, token in enumerate(tokens):
            of = [c for c in clause.sentence.under[at] if here.case(c) == "of" and c > at]
            dosed = token.lemma.lower() in _DOSES and here.is_counted(at) and of
            bare = of and not here.has_article(of[0]) and here.possessor(of[0]) is None
            if dosed and bare and here.clause_of(at) == clause.predicate:
                here.cut = tuple(of)
                what = here.attribute(of[0])
                found += self.reading.tell(clause, name, what, at, single=True, noun=True)
        return found

    def _due(self, clause: Clause) -> Iterator[Statement]:
        """What something must do or be, by when, where or how much: "must be in by 11:00"."""
        here = self.reading.here
        name = self._thing(clause.subject)
        if not name:
            return
        objects = self.reading.arguments.objects(clause)
        for case in _AT:
            at = objects.get(case, -1)
            if at >= 0 and here.is_measure(at):
                here.cut = (at,)
                words = f"must {self._infinitive(clause)} {case}"
                yield from self.reading.tell(clause, name, words, at, single=True, rule=RULE)
                return

    def _infinitive(self, clause: Clause) -> str:
        if not clause.copular:
            return self.reading.arguments.verb(clause)
        token = self.reading.here.sentence.tokens[clause.predicate]
        return f"be {token.form.lower()}"

    def _asserted(self, clause: Clause) -> Iterator[Statement]:
        here, objects = self.reading.here, self.reading.arguments.objects(clause)
        theme = objects.get("", -1)
        passive = any(True for _ in clause.under("aux:pass", of=clause.predicate))
        if theme >= 0 and not passive:
            if here.sentence.tokens[clause.predicate].lemma not in _WISHING:
                yield from self._set(clause, theme, objects)
            yield from self._again(clause, theme, objects)
            yield from self._placed(clause, theme, objects)
            return
        name = self._thing(clause.subject)
        if not name:
            return
        person, over = here.is_person(clause.subject), clause.past or clause.perfect
        for case in _AT:
            at = objects.get(case, -1)
            timed = at >= 0 and here.is_time(at) and case != "until"
            if at < 0 or not here.is_measure(at) or (over and (timed or person)):
                continue
            if person and timed:
                continue
            here.cut = (at,)
            words = f"{self.reading.arguments.predicate_of(clause)} {case}"
            yield from self.reading.tell(clause, name, words, at, single=True, rule=RULE)
            return

    def _set(self, clause: Clause, theme: int, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "we have put the cold room on 3 degrees": it is at that."""
        here = self.reading.here
        for case in _SET:
            at = objects.get(case, -1)
            known = here.is_definite(theme) or bool(here.pronoun(theme))
            if at < 0 or not known or here.is_time(at) or not here.is_measure(at):
                continue
            here.cut = (at,)
            name = here.name(theme)
            yield from self.reading.tell(
                clause, name, VALUE, at, single=True, noun=True, rule=CHANGE
            )
            return

    def _placed(self, clause: Clause, theme: int, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "we've put the top field under clover": it is under that now."""
        here = self.reading.here
        lemma = here.sentence.tokens[clause.predicate].lemma
        key = next((k for k in objects if k in _PLACED), "")
        if lemma not in _PUTTING or not key or not here.is_definite(theme):
            return
        here.cut = (objects[key],)
        name = here.name(theme)
        yield from self.reading.tell(
            clause, name, f"is {key}", objects[key], single=True, rule=CHANGE
        )

    def _again(self, clause: Clause, theme: int, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "Ann has piano on Tuesdays": when it is, again and again."""
        here, at = self.reading.here, objects.get("on", -1)
        usual = here.is_bare(theme) and not (clause.past or clause.perfect or clause.future)
        name = here.name(clause.subject)
        if usual and name and at >= 0 and here.is_recurring(at):
            words = f"{self.reading.arguments.predicate_of(clause)} {here.attribute(theme)} on"
            yield from self.reading.tell(clause, name, words, at, single=True, rule=RULE)

    def _thing(self, at: int) -> str:
        """What a thing is called, with an article or without: "the cold room", "hay"."""
        here = self.reading.here
        token = here.sentence.tokens[at]
        if here.pronoun(at) is not None or token.tag not in ("NOUN", "PROPN", "X"):
            return here.pronoun(at) or ""
        return here.name(at) or here.kind(at) or here.plain(at)

    def noted(self) -> Iterator[Statement]:
        """As in "upstream timeout 15s, hit rate 91%": stretches without a verb that name a thing
        and its measure."""
        here = self.reading.here
        if not is_stated(here.sentence):
            return
        stretches = list(self._stretches())
        listed = sum(self._is_listed(words) for words in stretches) >= _SEVERAL
        for words in stretches:
            yield from self._of_stretch(words, listed=listed and self._is_listed(words))

    def _stretches(self) -> Iterator[range]:
        tokens = self.reading.here.sentence.tokens
        start = 0
        for at in range(len(tokens) + 1):
            if at == len(tokens) or tokens[at].form in _BREAKS or self._is_announced(at):
                yield range(start, at)
                start = at + 1

    def _is_announced(self, at: int) -> bool:
        """Whether a colon stands behind what only says that something is told: "Done: …"."""
        tokens = self.reading.here.sentence.tokens
        if tokens[at].form != ":" or not at:
            return False
        before = tokens[at - 1]
        return before.tag in ("VERB", "ADJ", "ADV", "INTJ") or before.lemma in ANNOUNCING

    def _is_listed(self, words: range) -> bool:
        """Whether it is a name and its number, as others beside it: "Ann 600, Bo 450"."""
        tokens = self.reading.here.sentence.tokens
        pair = [tokens[i] for i in words]
        return len(pair) == _SEVERAL and pair[0].tag == "PROPN" and pair[1].tag == "NUM"

    def _is_clausal(self, at: int) -> bool:
        token = self.reading.here.sentence.tokens[at]
        modifies = token.label in ("compound", "amod")  # the "hit" of "hit rate"
        return token.tag == "PRON" or (token.tag == "VERB" and not modifies)

    def _of_stretch(self, words: Sequence[int], *, listed: bool = False) -> Iterator[Statement]:
        here = self.reading.here
        tokens = here.sentence.tokens
        first = next((i for i in words if _has_digit(tokens[i].form) or here.is_named_time(i)), -1)
        none = any(tokens[i].form.lower() in _NONE for i in words)  # "no class Monday"
        if first < 0 or none or any(self._is_clausal(i) for i in words):
            return
        name = [i for i in words if i < first]
        while name and (tokens[name[-1]].form in _JOINS or tokens[name[-1]].tag == "SYM"):
            name.pop()
        value = [i for i in words if not name or i > name[-1]]
        while value and tokens[value[0]].form in _JOINS:
            value.pop(0)
        turned = next((i for i in value if tokens[i].form in _ARROWS), -1)
        value = [i for i in value if i > turned]
        over = next((i for i in value[1:] if tokens[i].lemma in _OVER), len(tokens))
        value = [i for i in value if i < over]
        while name and tokens[name[0]].tag in ("DET", "CCONJ", "INTJ", "ADV", "SCONJ"):
            name.pop(0)
        named = name and all(
            tokens[i].tag in ("NOUN", "PROPN", "ADJ", "X", "NUM", "VERB") for i in name
        )
        whole = len(name) <= _LONGEST_NAME and len(value) <= _LONGEST_NAME
        if not named or not whole or tokens[name[-1]].tag == "ADJ" or here.is_time(name[-1]):
            return
        counted = all(tokens[i].tag in ("NUM", "SYM", "NOUN") for i in value)
        event = here.is_named_time(first) and tokens[name[-1]].tag == "NOUN"  # "dentist Friday"
        idle = here.is_judged(name[-1]) or tokens[name[-1]].lemma in ANNOUNCING
        several = event or (
            len(name) == 1 and here.is_plural(name[-1]) and counted
        )  # "takings 1580"
        labelled = tokens[name[-1]].tag == "PROPN" or (len(name) == 1 and not several)
        if event and idle:
            return  # "great news Monday"
        if labelled and name[-1] + 1 == first and not (listed or here.goes_on):
            return  # "Postgres 16" and "door 4" are names
        subject = here.proper(singular(phrase(here.text, here.sentence, name)))
        subject = here.lowered(name[-1], subject)
        said = clean(phrase(here.text, here.sentence, value))
        if not subject or not is_object(said):
            return
        if turned >= 0:
            unit = said.partition(" ")[2]
            old = f"{tokens[first].form} {unit}".strip()
            yield self._note(subject, old)._replace(
                valid_from=None, valid_to=here.utterance.said_on, rule=CHANGE
            )
        yield self._note(subject, said)._replace(rule=CHANGE if turned >= 0 else RULE)

    def _note(self, subject: str, value: str) -> Statement:
        return self.reading.here.state(subject, VALUE, value, single=True, noun=True, thing=True)


def _has_digit(form: str) -> bool:
    return any(c.isdigit() for c in form)
