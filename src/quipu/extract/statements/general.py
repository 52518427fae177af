"""What any clause says in particular, whatever its verb: a name, a number or a time is stated of
who or what it is about, so no table of verbs is needed. It is asked last, where no other rule reads
anything of a clause, and less sure than what a rule of its own reads."""

from collections.abc import Iterator, Sequence

from quipu.extract.grammar import participle
from quipu.extract.grammar.clauses import Clause, phrase
from quipu.extract.statements.copular import Copular
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import CHANGE, RULE, Statement, clean
from quipu.records.attributes import VALUE, phrase_of, third_person

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
_ROUGHLY = frozenset("about around roughly almost nearly some over under least most".split())
_SPANS = frozenset("second minute hour day night week month year".split())
_NOT_COUNTED = frozenset("option problem question chance point choice side".split())
"""What is counted only for the moment."""
_RESULTING = frozenset({"make", "leave"})
_TRADING = frozenset({"buy", "sell", "get", "rent", "order"})
_PAID_FOR = ("for", "at")
_SETTLING = frozenset("settle decide choose pick fix confirm agree".split())
_LONGEST_SETTLED = 5
_BEGINNING = frozenset("start begin join leave finish retire move arrive".split())
_FURTHER = ("with", "at", "on", "in")
_DUE_BY = ("before", "by", "until")
_WANTING = frozenset({"need", "want"})
_CHARGING = frozenset({"ask", "want"})


class General:
    """Reads it for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def read(self, clause: Clause) -> list[Statement]:
        """What the clause says in particular."""
        return [each._replace(confidence=_CONFIDENCE) for each in self._read(clause)]

    def _read(self, clause: Clause) -> Iterator[Statement]:
        if clause.way not in ("holds", "begins") or clause.negated or clause.subject < 0:
            return
        if clause.future and clause.copular and not self.reading.is_of_thing(clause):
            return  # where somebody will be
        if clause.subject > clause.predicate:
            yield from self._there_is(clause)
        elif clause.copular:
            yield from self._settled(clause) or self._is(clause)
        elif clause.sentence.tokens[clause.predicate].tag == "VERB":
            found = [*self._resulting(clause), *self._wanted_by(clause)]
            found = found or list(self._does(clause))
            yield from found or self._settled(clause)

    def _there_is(self, clause: Clause) -> Iterator[Statement]:
        """As in "there are 41 people on the waiting list": the list has them; else they are so
        many: "there are 112 tests", "there's 7 now"."""
        here, at = self.reading.here, clause.subject
        present = clause.sentence.tokens[clause.predicate].form.lower() in _PRESENT
        if not present or not any(True for _ in clause.under("expl")):
            return
        counted = here.is_counted(at)
        where = [
            child
            for top in (at, clause.predicate)
            for child in clause.sentence.under[top]
            if counted
            and child > at
            and here.case(child) in ("in", "on", "at")
            and here.is_definite(child)
            and not here.is_time(child)
        ]
        for place in where[:1]:
            here.cut = (place,)
            name = here.name(place)
            yield from self.reading.tell(clause, name, _HAVE, at)
        if not where:
            yield from self._so_many(clause, at)

    def _so_many(self, clause: Clause, at: int) -> Iterator[Statement]:
        """How many there are of what is counted, or of what was spoken of last."""
        here, tokens = self.reading.here, clause.sentence.tokens
        counts = [c for c in clause.sentence.under[at] if tokens[c].label == "nummod"]
        number = counts[0] if counts else at
        alone = not counts and tokens[at].tag == "NUM"
        name = here.several() if alone else here.attribute_of(at, without=counts)
        exact = number == 0 or tokens[number - 1].lemma not in _ROUGHLY
        lasting = here.is_time(at) or tokens[at].lemma in _SPANS
        told = any(tokens[c].label in ("acl", "acl:relcl") for c in clause.sentence.under[at])
        idle = here.is_judged(at) or tokens[at].lemma in _NOT_COUNTED or told or lasting
        if (counts or alone) and exact and name and not idle:
            yield from self.reading.make(
                clause, name, VALUE, tokens[number].form, [number], single=True, noun=True
            )

    def _resulting(self, clause: Clause) -> Iterator[Statement]:
        """As in "that makes four rooms", "that leaves us with 198 ewes": so many there are now."""
        here, tokens = self.reading.here, clause.sentence.tokens
        said = tokens[clause.subject].form.lower() in ("that", "this", "which")
        if not said or tokens[clause.predicate].lemma not in _RESULTING:
            return
        told = [*clause.under("obj"), *clause.under("obl")]
        left = next((here.pronoun(at) for at in told if here.pronoun(at)), "")
        for at in told:
            if here.is_counted(at) and at > clause.predicate and left:
                yield from self.reading.tell(clause, left, _HAVE, at)
            elif here.is_counted(at) and at > clause.predicate:
                yield from self._so_many(clause, at)

    def further(self, clause: Clause, before: Sequence[Statement]) -> list[Statement]:
        """What else a clause says of a thing by a number, beside what other rules read of it: the
        30 days of "live in Prometheus with a retention of 30 days"."""
        here = self.reading.here
        told = " ".join(each.object for each in before)
        if clause.copular or clause.negated or not self.reading.is_of_thing(clause):
            return []
        if clause.sentence.tokens[clause.predicate].tag != "VERB" or len(before) != 1:
            return []
        name, found = self._name(clause.subject), list[Statement]()
        objects = self.reading.arguments.objects(clause)
        for key, at in objects.items():
            measured = key in _FURTHER and here.is_measure(at) and not here.is_time(at)
            if not measured or clause.sentence.tokens[at].form in told:
                continue
            here.cut = tuple(other for other in objects.values() if other != at)
            words = phrase_of((self._verb(clause), key))
            found += self.reading.tell(clause, name, words, at, single=True)
        return [each._replace(confidence=_CONFIDENCE) for each in found]

    def dated(self, clause: Clause, before: Sequence[Statement]) -> list[Statement]:
        """As in "I start at Acme on 1 December": when it begins, beside what."""
        here = self.reading.here
        verb = clause.sentence.tokens[clause.predicate]
        at = self.reading.arguments.objects(clause).get("on", -1)
        if at < 0:  # "Amira starts 1 September"
            bare = (d[0] for d in here.days.values() if d[0] > clause.predicate)
            at = next((d for d in bare if not here.case(d)), -1)
        if verb.lemma not in _BEGINNING or at < 0 or not here.is_date(at) or clause.past:
            return []
        if clause.negated or any(here.sentence.tokens[at].form in each.object for each in before):
            return []
        words = phrase_of((third_person(verb.lemma), "on"))
        told = self.reading.tell(clause, self._name(clause.subject), words, at, single=True)
        return [each._replace(confidence=_CONFIDENCE) for each in told]

    def price(self, clause: Clause) -> list[Statement]:
        """As in "bought a Koga, second hand, 480 euros": what was paid for it."""
        here, tokens = self.reading.here, clause.sentence.tokens
        theme = next(clause.under("obj"), -1)
        traded = tokens[clause.predicate].lemma in _TRADING and not clause.negated
        if not traded or theme < 0 or not (here.is_definite(theme) or here.has_article(theme)):
            return []
        named = tokens[theme].tag == "PROPN" and not here.has_article(theme)
        if named and theme + 1 < len(tokens) and tokens[theme + 1].tag == "DET":
            return []  # "bought Ann a ring"
        name = here.names_from(theme) if tokens[theme].tag == "PROPN" else here.name(theme)
        for at in range(theme + 1, len(tokens)):
            paid = here.is_money(at) and here.case(at) in ("", *_PAID_FOR)
            if paid and name and here.clause_of(at) == clause.predicate:
                here.cut = tuple(c for c in clause.sentence.under[at] if c > at and here.case(c))
                told = self.reading.tell(clause, name, "costs", at, single=True)
                return [each._replace(confidence=_CONFIDENCE) for each in told]
        return []

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
        made = thing and not case and here.is_definite(clause.subject) and self._is_made_of(at)
        if one or made or self._is_particular(at, case):
            predicate = VALUE if thing and not case else phrase_of(("is", case))
            yield from self.reading.tell(
                clause, name, predicate, at, single=thing, noun=predicate == VALUE
            )
            yield from Copular(self.reading).beside(clause, name)
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

    def _is_made_of(self, at: int) -> bool:
        """Whether it is a stuff or kind that is told more of: "Welsh slate"."""
        here = self.reading.here
        return here.is_modified(at) and not here.is_plural(at) and not here.is_definite(at)

    def _is_so(self, clause: Clause, name: str) -> Iterator[Statement]:
        """As in "she is off to Glasgow": what belongs to an adjective or adverb."""
        here, at = self.reading.here, clause.predicate
        for child in clause.sentence.under[at]:
            case = here.case(child)
            hours = not case and here.is_recurring(child) and child > at  # "open 8 till 6"
            if hours or (child > at and case and self._is_particular(child, case)):
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
        told = False
        for key, at, theme in self._arguments(objects):
            again = here.is_recurring(at)
            if (told and not (thing or again)) or (clause.future and not again):
                continue
            here.cut = tuple(other for other in objects.values() if other != at)
            if self._is_particular(at, key):
                words = phrase_of((self._verb(clause), theme, key))
                single = thing and here.is_measure(at)
                rule = CHANGE if self._is_change(clause, key, at) else RULE
                yield from self.reading.tell(clause, name, words, at, single=single, rule=rule)
                told = True
            elif not told and not key and self._is_kept(clause, at):
                yield from self._done_by(clause, name, at)
                return

    def _settled(self, clause: Clause) -> list[Statement]:
        """As in "I've settled the colour: sage green": what it is settled to be."""
        here, tokens = self.reading.here, clause.sentence.tokens
        mark = next((i for i, t in enumerate(tokens) if t.form == ":"), -1)
        lemma = tokens[clause.predicate].lemma
        theme = self.reading.arguments.objects(clause).get("", -1)
        passive = any(True for label in _PASSIVE for _ in clause.under(label))
        copula = any(True for _ in clause.under("cop", of=clause.predicate))
        theme = clause.subject if passive or copula else theme
        if lemma not in _SETTLING or not 0 <= theme < mark < len(tokens) - 1:
            return []
        words = [i for i in range(mark + 1, len(tokens)) if tokens[i].tag != "PUNCT"]
        value = clean(phrase(here.text, clause.sentence, words))
        here.cut = tuple(words)
        plain = not any(tokens[i].tag in ("VERB", "AUX", "PRON") for i in words)
        known = here.is_definite(theme) or here.is_bare(theme)
        if not (plain and known and 0 < len(words) <= _LONGEST_SETTLED):
            return []
        name = here.name(theme)
        made = self.reading.make(clause, name, VALUE, value, words, single=True, noun=True)
        return list(made)

    def _wanted_by(self, clause: Clause) -> Iterator[Statement]:
        """As in "he wants the papers before 28 February": when they are due."""
        here = self.reading.here
        wanted = clause.sentence.tokens[clause.predicate].lemma in _WANTING
        theme = next(clause.under("obj"), -1)
        if not wanted or clause.past or theme < 0 or not here.is_definite(theme):
            return
        for case in _DUE_BY:
            at = self.reading.arguments.objects(clause).get(case, -1)
            at = at if at >= 0 else self._time_led_by(case, clause)
            if at >= 0 and here.is_time(at):
                here.cut = (at,)
                name = here.name(theme)
                yield from self.reading.tell(clause, name, f"is due {case}", at, single=True)
                return

    def _time_led_by(self, case: str, clause: Clause) -> int:
        here = self.reading.here
        return next(
            (
                day[0]
                for day in dict.fromkeys(here.days.values())
                if here.case(day[0]) == case and here.clause_of(day[0]) == clause.predicate
            ),
            -1,
        )

    def _says_nothing(self, clause: Clause) -> bool:
        """Whether its verb tells of what is said, thought or wished, or of what was had once or has
        been going on."""
        form = clause.sentence.tokens[clause.predicate].form
        if clause.perfect and form.endswith("ing"):
            return True
        lemma = clause.sentence.tokens[clause.predicate].lemma
        wishes = lemma in _WANTING and not self.reading.is_of_thing(clause)
        if lemma in _CHARGING and any(self._is_rate(at) for at in clause.under("obj")):
            return False
        return lemma in _TELLING or wishes or (lemma == "have" and clause.past)

    def _is_rate(self, at: int) -> bool:
        """Whether it is an amount for each of something: "25 a week", "240 pounds a day"."""
        here, tokens = self.reading.here, self.reading.here.sentence.tokens
        each = at + 2 < len(tokens) and tokens[at + 1].form.lower() in ("a", "an", "per")
        return each and tokens[at + 2].tag == "NOUN" and here.is_measure(at)

    def _objects(self, clause: Clause) -> dict[str, int]:
        """What the verb has beside its subject; how long it lasts where it has nothing else:
        "messages live 7 days"."""
        here, objects = self.reading.here, self.reading.arguments.objects(clause)
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
        first, *rest = self.reading.arguments.verb(clause).split()
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
            again = not case and here.is_recurring(at)
            return again or (bool(case) and case not in ("from", "of", "like"))
        unnamed = token.tag == "PROPN" and token.form.islower() and here.is_capitalized()
        if case == "to" and unnamed:
            return False  # "was seen to dab"
        if token.tag == "NUM" and token.form.isdigit():
            return bool(case) or self._is_priced(at)  # "I set 30" says nothing of what
        named = token.tag in ("PROPN", "X") or here.is_coded(at)
        return named or here.is_measure(at)

    def _is_priced(self, at: int) -> bool:
        """Whether a number alone is the amount of a thing: "adults pay 850"."""
        sentence = self.reading.here.sentence
        verb = sentence.tokens[at].head
        said = sentence.under[verb] if verb >= 0 else ()
        subject = next((c for c in said if sentence.tokens[c].label.startswith("nsubj")), -1)
        return subject < 0 or sentence.tokens[subject].tag != "PRON" or self._is_rate(at)
