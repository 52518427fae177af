"""What somebody or something does: by the table of attributes, or by the verb itself, where it is
done again and again."""

from collections.abc import Iterator

from quipu.extract.grammar import participle
from quipu.extract.grammar.clauses import Clause, phrase, span_of
from quipu.extract.statements.copular import Copular
from quipu.extract.statements.reading import Reading
from quipu.extract.statements.statement import Statement, clean
from quipu.extract.statements.tabled import Tabled
from quipu.records.attributes import SEVERAL, phrase_of

__all__ = ["Verbal"]

_INSTRUCTS = "instructs"
_ARGUMENTS = frozenset({"obj", "obl", "nmod"})
_LONGEST_VALUE = 14
_LASTING = frozenset({"learn", "study", "train", "work", "live"})
_ONGOING = frozenset(
    "read stay save prepare write build teach coach attend rent share meet take".split()
)
"""What is done for a while: "I'm reading Dune" tells of these days."""
_NAMES_IT = frozenset({"name", "call"})
_TURNING = frozenset({"go", "become", "turn"})
_GOING = frozenset({"go", "take"})
_IDIOMS = frozenset(
    "point time place hint opportunity chance blame lead liberty way extra bait "
    "rest same cake plunge".split()
)
_PREPOSITIONS = (
    "in on at for with as to by from through via into under behind "
    "near within against after per over above below until"
).split()
_MEASURING = frozenset("after per over above below".split())
_IDLE = frozenset("take have make give hold".split())
"""Verbs that say little without their noun: "takes place in Vienna"."""
_PAST_ALIKE = frozenset("read put set cut hit let cost hurt quit shut spread beat bet cast".split())
"""Verbs whose past is written as their present: "I read a book" tells of no habit."""
_HAVING = frozenset({"have", "get", "adopt", "buy", "hire"})
_BEARING = frozenset({"stand", "bear"})
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


class Verbal:
    """Reads clauses with a verb of their own, for one reader."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.here = reading, reading.here

    def read(self, clause: Clause) -> Iterator[Statement]:
        subject = self.here.name(clause.subject)
        verb, objects = self.reading.arguments.verb(clause), self.reading.arguments.objects(clause)
        if not subject:
            yield from self._of_kind(clause, verb, objects)
            return
        ended = clause.over or clause.way in ("ends", "past") or self.reading.has_ended(clause)
        if clause.way in ("likes", "dislikes", "prefers"):
            yield from self._liked(clause, subject)
            return
        if clause.way == "able" and verb in _BEARING:
            at = objects.get("", -1)
            yield from self.reading.tell(clause, subject, "not likes", at) if clause.negated else ()
            return
        if verb in _NAMES_IT:
            yield from self._names_it(clause, objects.get("", -1))
        if verb in _HAVING:
            yield from self._called(clause, subject, objects.get("", -1))
        if self._turned(clause, objects):
            yield from self._became(clause, subject, objects[""])
            return
        known = Tabled(self.reading).read(clause, subject, verb, objects, ended=ended)
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
                for each in self.reading.attributes.rows
            )
        )

    def _became(self, clause: Clause, subject: str, at: int) -> Iterator[Statement]:
        low = self.here.sentence.tokens[at].form.lower()
        name = next(each.name for each in self.reading.attributes.rows if low in each.values)
        yield from self.reading.make(clause, subject, name, low, [at], single=True, noun=True)

    def _names_it(self, clause: Clause, at: int) -> Iterator[Statement]:
        """As in "we named the puppy Waffles"."""
        tokens = self.here.sentence.tokens
        if at < 0 or tokens[at].tag != "PROPN":
            return
        for child in self.here.sentence.under[at]:
            if tokens[child].label == "compound" and tokens[child].tag == "NOUN":
                what = self.here.attribute(child)
                yield from self.reading.make(
                    clause, what, "is called", self.here.names_from(at), [at], single=True
                )

    def _called(self, clause: Clause, subject: str, at: int) -> Iterator[Statement]:
        """As in "we have a new landlord, Mrs Lind", "we adopted a puppy called Biscuit"."""
        here = self.here
        tokens = here.sentence.tokens
        if at < 0 or tokens[at].tag != "NOUN" or tokens[at].lemma == "one":
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
            named = self.here.named_behind(at)
        if named >= 0:
            yield from self.reading.make(
                clause,
                subject,
                here.attribute(at),
                here.names_from(named),
                [named],
                single=tokens[at].lemma not in SEVERAL,
                noun=True,
            )

    def _of_kind(self, clause: Clause, verb: str, objects: dict[str, int]) -> Iterator[Statement]:
        """What holds of things of one kind, if it is something in particular: "logs are kept for
        14 days"."""
        kind = self.here.kind(clause.subject)
        if kind and any(self.here.is_specific(at) for at in objects.values()):
            yield from self._plainly(clause, kind, verb, objects, ended=clause.over)

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
            yield from self.reading.make(clause, subject, predicate, value, words)

    def _plainly(
        self, clause: Clause, subject: str, verb: str, objects: dict[str, int], *, ended: bool
    ) -> Iterator[Statement]:
        """A verb that no entry knows, in the present: keyed by itself."""
        here, passive = self.here, verb.startswith("be ")
        if passive and not objects:
            here.floor = clause.predicate - 1
            yield from Copular(self.reading).adjective(clause, negated=clause.negated, ended=ended)
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
            idle = not (key or ended) and token.lemma in _IDLE and here.is_bare(at)
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
            words = self.reading.arguments.said_of(clause, verb, theme_phrase, key)
            of_theme = (
                with_theme and here.is_we(clause.subject) and (here.name(theme) or here.kind(theme))
            )
            if of_theme:  # "we keep logs for 30 days": they are kept
                done = participle(token.lemma)
                subject, words = of_theme, phrase_of(("is", done, key))
            single = not person and (here.is_time(at) or here.has_number(at)) and verb != "have"
            yield from self.reading.tell(
                clause, subject, f"{no}{words}", at, ended=ended, single=single
            )
            stated = bool(with_theme)

    def _is_placed(self, objects: dict[str, int]) -> bool:
        """Whether something in particular is done to what has a name."""
        at = objects.get("", -1)
        named = at >= 0 and bool(self.here.name(at) or self.here.kind(at))
        return named and any(k and self.here.is_specific(o) for k, o in objects.items())

    def _is_habit(self, clause: Clause, *, ended: bool, passive: bool) -> bool:
        """Whether a verb says what somebody or something in particular does, again and again."""
        here, governed = self.here, bool(clause.leads)
        token, subject = here.sentence.tokens[clause.predicate], clause.subject
        form, said = token.form.lower(), here.sentence.tokens[subject]
        somebody = here.is_person(subject) or here.is_we(subject)
        placing = here.is_we(subject) and any(
            key and here.is_specific(at)
            for key, at in self.reading.arguments.objects(clause).items()
        )
        light = _HEARSAY if passive or placing else _LIGHT if somebody else _SEEMING
        gone = ended and governed and token.lemma in _GOING  # "stopped taking sertraline"
        if token.lemma in light and not (gone or self._is_measured(clause)):
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
        objects = self.reading.arguments.objects(clause).values()
        return any(self.here.is_specific(at) or self.here.is_definite(at) for at in objects)

    def _is_going(self, clause: Clause) -> bool:
        """Whether what somebody goes to or takes is what they always do: "the train"."""
        here, form = self.here, self.here.sentence.tokens[clause.predicate].form.lower()
        objects = self.reading.arguments.objects(clause)
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

    def forbidden(self) -> Iterator[Statement]:
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
            yield self.here.state(self.here.utterance.speaker or "user", _INSTRUCTS, value)
