"""Clauses that tell of a change: what was moved, switched, raised, replaced or handed over, and
from what to what. One table of verbs, with which of their arguments is old and which is new.

And what a speaker takes back in the same breath, or another corrects: "31, sorry, 32", "I mean
4417", "no, 4". The correction names only the new value; what it is of was said right before.
"""

from collections.abc import Iterator

from quipu.extract.grammar.clauses import Clause
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import CHANGE, Statement, may_be_place, singular
from quipu.records.attributes import VALUE

__all__ = ["Changes"]

_OLD, _NEW = ("from",), ("to", "until", "till", "onto", "into")
_SETTING = frozenset(
    "raise increase lower reduce decrease cut bump drop extend postpone push reschedule shift "
    "delay adjust update set reset revise grow rise fall slip change move bring correct double "
    "shorten lengthen shrink expand cap limit fix bump put".split()
)
_SWITCHING = frozenset(
    "move relocate switch migrate change convert transition upgrade downgrade go".split()
)


_MOVING = frozenset({"move", "relocate"})
_HOMES = frozenset("flat apartment house cottage bungalow studio condo loft houseboat".split())
_SCALES = ("up", "down", "back")
_STEPPING = frozenset({"step in", "come in", "fill in", "start", "act"})
_TRADING = frozenset({"trade", "swap", "exchange"})
_DROPPING = frozenset({"drop", "ditch", "abandon", "scrap"})
_GIVING = frozenset({"hand", "give", "pass", "sell"})
_RETURNING = frozenset({"go", "switch", "move", "revert", "return", "change"})
_VERBAL = frozenset({"runs on", "uses", "lives in", "works for", "is located in", "has"})
"""What is no noun, of what changes."""


class Changes:
    """Reads them for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def read(self, clause: Clause) -> list[Statement]:
        """What the clause says has changed; nothing where it tells of no change."""
        lemma = self.reading.here.sentence.tokens[clause.predicate].lemma
        nobody = clause.subject < 0 and lemma not in _SETTING | _SWITCHING | {"rename"}
        if nobody or clause.negated or clause.way in ("ends", "past", "able"):
            return []
        return list(self._by_verb(clause, lemma))

    def _by_verb(self, clause: Clause, lemma: str) -> Iterator[Statement]:
        verb, objects = self.reading.arguments.verb(clause), self.reading.arguments.objects(clause)
        passive, here = verb.startswith("be "), self.reading.here
        theme = objects.get("", -1)
        if passive and theme < 0:  # else "I got the budget raised to 1,200"
            theme = clause.subject
        given_for = clause.subject >= 0 and {"", "for"} <= objects.keys()
        if lemma == "replace":
            yield from self._replaced(clause, objects, passive=passive)
        elif not passive and (lemma == "take" or lemma in _GIVING):
            yield from self._handed(clause, lemma, verb, objects)
        elif lemma in _RETURNING and (to := self._returned_to(clause, objects)) >= 0:
            yield from self._returned(clause, to)
        elif verb in _STEPPING and here.is_role_name(objects.get("as", -1)):
            yield from self._became(clause, objects["as"], -1)
        elif lemma == "leave" and given_for:
            yield from self._left(clause, objects)
        elif lemma in _TRADING and given_for:
            yield from self._traded(clause, objects)
        elif lemma in _DROPPING and given_for:
            yield from self._dropped(clause, objects)
        elif lemma == "become" and clause.subject >= 0:
            yield from self._filled(clause)
        elif lemma == "rename" and "to" in objects and theme >= 0:
            yield from self._renamed(clause, theme, objects["to"])
        elif lemma == "change" and not objects and (said := self._said_behind(clause)) >= 0:
            yield from self._moved(clause, lemma, said, -1)
        else:
            yield from self._to_another(clause, lemma, objects, theme)

    def _said_behind(self, clause: Clause) -> int:
        """The value behind "the number changed: 0733"; -1 without one."""
        here, mark = self.reading.here, clause.predicate + 1
        tokens = here.sentence.tokens
        marked = mark + 1 < len(tokens) and tokens[mark].form in (":", "-", "–")
        said = next(
            (c for c in here.sentence.under[clause.predicate] if c > mark and here.is_measure(c)),
            -1,
        )
        return said if marked else -1

    def _filled(self, clause: Clause) -> Iterator[Statement]:
        """As in "Spain becomes the launch market": that is Spain now."""
        here = self.reading.here
        tokens = here.sentence.tokens
        complements = [
            c for label in ("xcomp", "obj") for c in clause.under(label) if tokens[c].tag == "NOUN"
        ]
        if not complements or tokens[clause.subject].tag not in ("PROPN", "X"):
            return
        owned = here.owned(complements[0])
        if not owned and not here.is_role(complements[0]):
            return
        yield from self.reading.make(
            clause,
            *(owned or (here.attribute(complements[0]), VALUE)),
            here.name(clause.subject),
            [clause.subject],
            single=True,
            noun=True,
            rule=CHANGE,
        )

    def _renamed(self, clause: Clause, theme: int, new: int) -> Iterator[Statement]:
        """As in "renamed Atlas to Orion", "renamed the default branch to main"."""
        here = self.reading.here
        here.cut = (new,)
        role = here.is_role(theme)
        yield from self.reading.tell(
            clause,
            here.name(theme),
            VALUE if role else "is called",
            new,
            single=True,
            noun=role,
            rule=CHANGE,
        )

    def _left(self, clause: Clause, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "Tara left Deloitte for KPMG", "we left Rome for Milan"."""
        here = self.reading.here
        old, new = objects[""], objects["for"]
        named = all(here.sentence.tokens[at].tag == "PROPN" for at in (old, new))
        if not named or not (here.is_person(clause.subject) or here.is_we(clause.subject)):
            return
        here.cut = (old, new)
        places = all(may_be_place(here.words(at)) for at in (old, new))
        predicate = "lives in" if places else "works for"
        yield from self._pair(clause, here.name(clause.subject), predicate, new, old, single=True)

    def _to_another(
        self, clause: Clause, lemma: str, objects: dict[str, int], theme: int
    ) -> Iterator[Statement]:
        new = next((objects[p] for p in _NEW if p in objects), -1)
        old = next((objects[p] for p in _OLD if p in objects), -1)
        here = self.reading.here
        if old >= 0 and new >= 0 and here.is_time(old) != here.is_time(new):
            old = -1  # "goes to 40 from May"
        scaled = any(p in self.reading.arguments.verb(clause).split() for p in _SCALES)
        measured = (old >= 0 or scaled) and new >= 0 and here.is_measure(new)
        measured = measured and (old < 0 or here.is_measure(old))
        if lemma == "go" and old < 0 and not scaled and new >= 0 and here.is_numbered(new):
            return  # "goes to door 4"
        if new < 0 or not (measured or lemma in _SETTING | _SWITCHING):
            return
        self.reading.here.cut = tuple(at for at in (new, old) if at >= 0)
        home = lemma in _MOVING and here.sentence.tokens[new].lemma in _HOMES
        if theme >= 0:
            yield from self._set(clause, theme, new, old)
        elif home:
            yield from self._moved_home(clause, objects)
        elif clause.subject >= 0:
            yield from self._moved(clause, lemma, new, old)

    def _handed(
        self, clause: Clause, lemma: str, verb: str, objects: dict[str, int]
    ) -> Iterator[Statement]:
        """As in "took X over from Y", "handed X over to Y"."""
        here = self.reading.here
        over = verb.endswith("over") or "over" in objects
        if lemma == "take" and over and "as" in objects and here.is_role_name(objects["as"]):
            yield from self._became(clause, objects["as"], objects.get("from", -1))
            return
        if lemma == "take" and over:
            theme = objects.get("over", objects.get("", -1))
            if theme >= 0:
                yield from self._takes_over(clause, theme, objects.get("from", -1))
        if lemma in _GIVING and "to" in objects and "" in objects:
            here.cut = (objects["to"],)
            if here.is_definite(objects[""]) and self._is_given(clause, lemma, objects):
                name = here.name(objects[""])
                yield from self.reading.make(
                    clause,
                    name,
                    "is owned by",
                    here.name(clause.subject),
                    [clause.subject],
                    single=True,
                    ended=True,
                    rule=CHANGE,
                )
                yield from self.reading.tell(
                    clause, name, "is owned by", objects["to"], single=True, rule=CHANGE
                )

    def _is_given(self, clause: Clause, lemma: str, objects: dict[str, int]) -> bool:
        """Whether what had one holder has another: what "gave a talk to them" does not tell."""
        if lemma == "hand":
            return True
        done = clause.past or clause.perfect
        return done and self.reading.here.sentence.tokens[objects["to"]].tag == "PROPN"

    def _returned_to(self, clause: Clause, objects: dict[str, int]) -> int:
        """What we are back to: the "Postgres" of "we went back to Postgres"; -1 without it, and
        where it may as well be a place that somebody is back in."""
        tokens = self.reading.here.sentence.tokens
        back = any(tokens[c].lemma == "back" for c in clause.sentence.under[clause.predicate])
        lemma = tokens[clause.predicate].lemma
        to = objects.get("to", -1)
        if to < 0 or tokens[to].tag not in ("PROPN", "X") or self.reading.here.is_time(to):
            return -1
        if not (back or lemma in ("revert", "return")) or clause.subject < 0:
            return -1
        settled = bool(clause.leads) or not may_be_place(self.reading.here.words(to))
        return to if settled or self.reading.here.is_we(clause.subject) else -1

    def _returned(self, clause: Clause, to: int) -> Iterator[Statement]:
        """As in "we decided to go back to Postgres"."""
        here = self.reading.here
        thing = self.reading.is_of_thing(clause)
        name = here.name(clause.subject)
        predicate = "runs on" if thing else "uses"
        yield from self.reading.tell(clause, name, predicate, to, single=thing, rule=CHANGE)

    def _dropped(self, clause: Clause, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "we dropped Redis for Valkey"."""
        here = self.reading.here
        old, new = objects[""], objects["for"]
        if all(here.sentence.tokens[at].tag in ("PROPN", "X") for at in (old, new)):
            here.cut = (old, new)
            name = here.name(clause.subject)
            yield from self._pair(clause, name, "uses", new, old, single=False)

    def _set(self, clause: Clause, theme: int, new: int, old: int) -> Iterator[Statement]:
        """As in "raised the limit from 3 to 5": the limit is 5."""
        tokens = self.reading.here.sentence.tokens
        owned = self.reading.here.owned(theme)
        kind = self.reading.here.kind(theme) if old >= 0 else ""
        measured = self.reading.here.is_measure(new)
        if owned and tokens[theme].tag == "NOUN":
            subject, predicate = owned
        else:
            subject, predicate = self.reading.here.name(theme) or kind, VALUE
            if not measured:
                lemma = clause.sentence.tokens[clause.predicate].lemma
                moved = lemma in _SWITCHING - {"change"}
                predicate = "runs on" if tokens[new].tag == "PROPN" and moved else VALUE
                if old >= 0 and lemma in _MOVING and self._are_places(new, old):
                    predicate = "is located in"
        here = self.reading.here
        known = kind or here.is_definite(theme) or here.is_bare(theme) or here.pronoun(theme)
        if not known or self.reading.here.is_pointed_at(theme):
            return
        yield from self._pair(clause, subject, predicate, new, old, single=True)

    def _moved(self, clause: Clause, lemma: str, new: int, old: int) -> Iterator[Statement]:
        here = self.reading.here
        tokens = here.sentence.tokens
        subject = here.name(clause.subject) or here.kind(clause.subject)
        measured = here.is_measure(new)
        low = tokens[clause.subject].form.lower()
        person = here.is_person(clause.subject)
        if tokens[clause.subject].tag == "PROPN" and here.is_time(new):
            person = False  # "Choir has moved to Tuesday"
        if measured and not person and low != "we":
            owned = here.owned(clause.subject)
            subject, predicate = owned or (subject, VALUE)
            yield from self._pair(clause, subject, predicate, new, old, single=True)
            return
        if lemma not in _SWITCHING or measured or tokens[new].tag not in ("PROPN", "NOUN", "X"):
            return
        places = self._are_places(new, old)
        whole = here.sentence.tokens[new].tag == "NOUN" and here.is_modified(new)
        if whole and old < 0 and here.has_article(new) and (person or low == "we"):
            yield from self._to_kind(clause, new)
            return
        if lemma in _MOVING and places:
            if person or (low == "we" and old >= 0):
                yield from self._pair(clause, subject, "lives in", new, old, single=True)
            elif low != "we":
                yield from self._pair(clause, subject, "is located in", new, old, single=True)
            return
        if (
            lemma == "go"
            or (lemma == "move" and old < 0)
            or (tokens[new].tag == "NOUN" and old < 0)
        ):
            return
        thing = not person and low != "we"
        if thing and (lemma == "change" or here.has_article(new)):
            yield from self._pair(clause, subject, VALUE, new, old, single=True)
            return
        yield from self._pair(
            clause, subject, "runs on" if thing else "uses", new, old, single=thing
        )

    def _moved_home(self, clause: Clause, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "moved into the flat on Juniper Street": whoever says so lives there."""
        here, who = self.reading.here, clause.subject
        named = (objects[p] for p in ("on", "in", "at") if p in objects)
        at = next((at for at in named if here.sentence.tokens[at].tag == "PROPN"), -1)
        somebody = who < 0 or here.is_person(who) or here.is_we(who)
        if somebody and at >= 0 and not here.is_time(at):
            name = here.name(who) if who >= 0 else here.utterance.speaker or "user"
            yield from self._pair(clause, name, "lives in", at, -1, single=True)

    def _are_places(self, new: int, old: int) -> bool:
        """Whether what something is moved to, and from, has the name of a place."""
        here = self.reading.here
        return here.sentence.tokens[new].tag == "PROPN" and all(
            may_be_place(name) and not here.has_article(at)
            for at in (new, old)
            if at >= 0
            for name in (here.names_from(at), *(value for value, _ in here.values(at, split=False)))
        )

    def _to_kind(self, clause: Clause, new: int) -> Iterator[Statement]:
        """As in "I upgraded to the premium plan": my plan is that."""
        here = self.reading.here
        yield from self.reading.tell(
            clause,
            here.name(clause.subject),
            here.sentence.tokens[new].lemma,
            new,
            single=True,
            noun=True,
            rule=CHANGE,
        )

    def _traded(self, clause: Clause, objects: dict[str, int]) -> Iterator[Statement]:
        """As in "I traded the Corsa in for a Polo"."""
        here = self.reading.here
        old, new = objects[""], objects["for"]
        here.cut = (old, new)
        yield from self._pair(clause, here.name(clause.subject), "has", new, old, single=False)

    def _replaced(
        self, clause: Clause, objects: dict[str, int], *, passive: bool
    ) -> Iterator[Statement]:
        role = objects.get("as", -1)
        if passive:
            old, new = clause.subject, objects.get("by", objects.get("with", -1))
            subject = "we"
        else:
            old, new = objects.get("", -1), objects.get("with", objects.get("by", -1))
            subject = self.reading.here.name(clause.subject)
        if role >= 0 and old >= 0:
            holder = new if passive else clause.subject
            owned = self.reading.here.owned(role) or (self.reading.here.plain(role), VALUE)
            if holder >= 0:
                yield from self._pair(clause, *owned, holder, old, single=True)
            return
        if old >= 0 and new >= 0 and subject in ("we", self.reading.here.utterance.speaker, "user"):
            yield from self._pair(clause, subject, "uses", new, old, single=False)
        elif old >= 0 and new < 0 and not passive:
            yield from self._took_place(clause, objects, old)

    def _took_place(self, clause: Clause, objects: dict[str, int], old: int) -> Iterator[Statement]:
        """As in "Kafka replaced RabbitMQ in the order pipeline"."""
        here = self.reading.here
        named = all(
            here.sentence.tokens[at].tag == "PROPN" or here.has_proper(at)
            for at in (clause.subject, old)
        )
        if not named:
            return
        where = next((objects[p] for p in ("in", "for", "on") if p in objects), -1)
        here.cut = tuple(at for at in (where,) if at >= 0)
        if where >= 0 and here.is_definite(where) and not here.is_time(where):
            user = here.name(where)
            yield from self._pair(clause, user, "uses", clause.subject, old, single=False)
        else:
            yield from self.reading.make(
                clause,
                here.name(old),
                "is replaced by",
                here.name(clause.subject),
                [clause.subject],
                single=True,
                rule=CHANGE,
            )

    def _became(self, clause: Clause, role: int, old: int) -> Iterator[Statement]:
        """As in "Leo took over as product owner from Ana"."""
        here = self.reading.here
        if here.is_kind(role) and here.is_person(clause.subject):  # "started as a developer"
            name = here.name(clause.subject)
            yield from self.reading.make(
                clause, name, "works as", here.attribute(role), [role], single=True, rule=CHANGE
            )
            return
        owned = here.owned(role) or (here.attribute(role), VALUE)
        if old >= 0:
            yield from self.reading.tell(
                clause, *owned, old, single=True, ended=True, noun=True, rule=CHANGE
            )
        yield from self.reading.make(
            clause,
            *owned,
            here.name(clause.subject),
            [clause.subject],
            single=True,
            noun=True,
            rule=CHANGE,
        )

    def _takes_over(self, clause: Clause, theme: int, old: int) -> Iterator[Statement]:
        if not self.reading.here.is_definite(theme) or self.reading.here.pronoun(theme) is not None:
            return
        self.reading.here.cut = tuple(at for at in (old,) if at >= 0)
        name, owner = self.reading.here.name(theme), self.reading.here.name(clause.subject)
        if old >= 0:
            yield from self.reading.tell(
                clause, name, "is owned by", old, single=True, ended=True, rule=CHANGE
            )
        yield from self.reading.make(
            clause, name, "is owned by", owner, [clause.subject], single=True, rule=CHANGE
        )

    def _pair(
        self, clause: Clause, subject: str, predicate: str, new: int, old: int, *, single: bool
    ) -> Iterator[Statement]:
        """The new state, and the end of the old one where it is named."""
        made = [
            replaced
            for value, words in self.reading.here.values(new, split=False)
            for replaced in self.reading.make(
                clause,
                subject,
                predicate,
                singular(value),
                words,
                single=single,
                rule=CHANGE,
                noun=predicate not in _VERBAL,
            )
        ]
        if not made:
            return
        if old >= 0:
            for value, words in self._of_same_unit(old, new):
                used = [*words, *[t for t in self.reading.here.times if t in words]]
                yield from self.reading.make(
                    clause,
                    subject,
                    predicate,
                    singular(value),
                    used,
                    ended=True,
                    single=single,
                    rule=CHANGE,
                    noun=predicate not in _VERBAL,
                )
        yield from made

    def _of_same_unit(self, old: int, new: int) -> Iterator[tuple[str, list[int]]]:
        """The old value, with the unit of the new one: "from 40 to 25 mW"."""
        here = self.reading.here
        (amount, _), *_rest = here.values(new, split=False)
        number, _, unit = amount.partition(" ")
        for value, words in here.values(old, split=False):
            alone = unit and _is_number(value) and _is_number(number) and " " not in value
            yield (f"{value} {unit}" if alone else value), words


def _is_number(form: str) -> bool:
    return form[:1].isdigit() or form.lstrip("$€£+-")[:1].isdigit()
