"""The verb of a clause with its particle, and what stands beside it by preposition."""

from quipu.extract.grammar import participle
from quipu.extract.grammar.clauses import Clause
from quipu.extract.statements.phrases import Phrases
from quipu.records.attributes import phrase_of, third_person

__all__ = ["Arguments"]

_PARTICLES = frozenset("on up off out over back down in".split())
_PARTS_OF_A_DAY = frozenset("morning afternoon evening night".split())
_TIMELY = frozenset("moment present time minute point least most first last once".split())
_NOMINAL = frozenset({"NOUN", "PROPN", "DET", "PRON"})
_PASSIVE = ("aux:pass", "nsubj:pass")
_FROM_TO = frozenset({"from", "to"})


class Arguments:
    """Finds them in the sentence that phrases are of."""

    def __init__(self, here: Phrases) -> None:
        self.here = here

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
        """Add what hangs on an object: the "5" of "the retry limit to 5"; and on where it comes
        from, what it goes to: "the session store from Redis to Memcached"."""
        sentence = self.here.sentence
        inside = list(found.values())
        for at in inside:
            hour = self.here.days.get(at, ())  # "quarter to three" is one time
            for child in sentence.under[at]:
                inner = sentence.tokens[child].label in ("nmod", "obl") and child not in hour
                key = self._preposition(child) if inner else ""
                if key and found.setdefault(key, child) == child and key == "from":
                    inside.append(child)

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
        """The verb with its particle, in their plain form: "take over", "be keep" of what is
        done."""
        tokens = self.here.sentence.tokens
        at = clause.predicate
        particle = next(
            (
                tokens[c].lemma.lower()
                for label in ("compound:prt", "advmod")
                for c in clause.under(label, of=at)
                if label != "advmod" or (c == at + 1 and self._is_particle(c))
            ),
            "",
        )
        done = any(True for label in _PASSIVE for _ in clause.under(label, of=at))
        passive = "be" if done else ""
        return phrase_of((passive, tokens[at].lemma, particle))

    def _is_particle(self, at: int) -> bool:
        """Whether a word behind a verb belongs to it: not where it stands before a noun, as in
        "came off sertraline"."""
        tokens, after = self.here.sentence.tokens, at + 1
        leads = after < len(tokens) and tokens[after].tag in _NOMINAL
        return tokens[at].lemma.lower() in _PARTICLES and not leads

    def predicate_of(self, clause: Clause) -> str:
        """The verb of a clause as a predicate: "closes", "is kept"."""
        verb, token = self.verb(clause), self.here.sentence.tokens[clause.predicate]
        own = any(True for label in ("nsubj", "nsubj:pass", "aux") for _ in clause.under(label))
        done = token.form.lower() == participle(token.lemma) != token.lemma
        if token.label == "conj" and done and not own:  # "run at 2, kept for 30 days"
            verb = f"be {verb}"
        return self.said_of(clause, verb, "", "")

    def said_of(self, clause: Clause, verb: str, theme: str, key: str) -> str:
        """The predicate of a verb, with what it is done to where that is not what is told."""
        first, *rest = verb.split()
        if first == "be":
            done = self.here.sentence.tokens[clause.predicate].form.lower()
            return phrase_of(("is", done, *rest[1:], key))
        return phrase_of((third_person(first), *rest, theme, key))
