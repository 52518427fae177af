"""What grammar reads of a turn, weighed by what the head that finds values makes of it
(`extract/values`), and statements of the values that no rule reads: whose each is, and by which
word or verb.

The head says which words are a value and which word names the owner; how far a name goes, whom a
pronoun means and what is said of it follow from the parse.
"""

from collections.abc import Sequence

from quipu.extract.grammar import Sentence
from quipu.extract.grammar.clauses import clauses, is_nearly, is_stated, phrase
from quipu.extract.statements.phrases import Phrases
from quipu.extract.statements.reading import REPORT
from quipu.extract.statements.statement import CHANGE, RULE, Statement, clean, is_object
from quipu.extract.values import (
    GROUP,
    SPEAKER,
    StatedValue,
    TurnWords,
    ValueReading,
    Word,
)
from quipu.records.attributes import phrase_of, third_person
from quipu.records.fact_likeness import value_kind
from quipu.records.fact_links import packed_sketch
from quipu.text import stems

__all__ = ["VALUED", "Valued"]

VALUED = "valued"
"""The rule of what no rule of grammar reads."""
_CONFIDENCE = 0.6
_SURE, _SURE_OF_OWNER = 0.7, 0.6
_SURE_OF_EARLIER, _SURE_ALONE = 0.8, 0.95
_DENIED = 0.05
_KEPT = frozenset(("likes", "dislikes", "prefers", "eats", "drinks", "works as"))
"""What is kept of somebody though nobody would ask for it soon."""
_WEIGHED = frozenset({RULE, CHANGE, REPORT})
_WITHIN = frozenset({"compound", "flat", "amod", "nummod", "det", "case", "nmod:poss"})
_BELONGING = frozenset({"compound", "flat", "amod", "nummod"})
_SUBJECTS = ("nsubj", "nsubj:pass")
_BOUNDS = frozenset("since until till".split())
_DATING = _BOUNDS | frozenset("from for".split())
_FIRST, _OTHERS = frozenset("i we".split()), frozenset("he she it they".split())
_SMALL = frozenset("ADP DET CCONJ SCONJ PUNCT PART AUX".split())
_LONGEST = 14


class Valued:
    """Weighs and completes what was read of one turn: its `words`, and those of the turns `before`,
    the latest first."""

    def __init__(
        self, here: Phrases, words: TurnWords, before: Sequence[tuple[TurnWords, Phrases]]
    ) -> None:
        self.here, self.words, self.before = here, words, before
        self._reading = ValueReading(words, [each for each, _ in before])

    def read(self, known: Sequence[Statement], replied: Sequence[Statement]) -> list[Statement]:
        """Those of the statements `known` that are not denied, and one of each other value. What
        was `replied` to a question is known whatever the head makes of it."""
        told = [made for each in known if (made := self._weighed(each, known=each in replied))]
        for value in self._reading.values():
            made = self._statement(value) if self._is_told(value) else None
            if made and not any(_tells(each, made) for each in told):
                told.append(made)
        return told

    def _is_told(self, value: StatedValue) -> bool:
        """Whether it is surely stated, of whom is meant: nobody answers their own question, and
        what "she" does is not the speaker's."""
        sentence = self.words.sentences[value.sentence]
        if value.sure < _SURE or value.owner_sure < _SURE_OF_OWNER or _asks(sentence):
            return False
        self.here.turn_to(sentence)
        if not self._is_stated(value) or self.here.is_called(value.first):
            return False
        if isinstance(value.owner, Word):
            return self._is_near(value, value.owner)
        subject = self._subject(value)
        return subject < 0 or sentence.tokens[subject].form.lower() not in _OTHERS

    def _is_near(self, value: StatedValue, owner: Word) -> bool:
        """Whether an owner is named in the same sentence, or surely meant of what another speaker
        asked right before."""
        if owner.back == 0:
            return owner.sentence == value.sentence
        before = self.before[owner.back - 1][0]
        asked = before.speaker != self.words.speaker and _asks(before.sentences[-1])
        return owner.back == 1 and asked and value.owner_sure >= _SURE_OF_EARLIER

    def _is_stated(self, value: StatedValue) -> bool:
        """Whether a value stands in what is so, and is so: not in what is denied or would be, nor
        is it since when that is so or when something was done once; outside of a clause that
        states, it must be surer."""
        here, main = self.here, _main(self.here, value)
        case = here.case(main)
        if case in _BOUNDS or (here.is_time(main) and case in _DATING):
            return False
        verb = here.clause_of(main)
        clause = next((c for c in clauses(here.sentence) if c.predicate == verb), None)
        if clause is None:
            led = any(token.tag == "SCONJ" for token in here.sentence.tokens[:verb])
            told = not led and not is_nearly(here.sentence)  # not "if it sits at 40 mW"
            return told and is_stated(here.sentence, verb) and value.sure >= _SURE_ALONE
        once = clause.past and here.is_time(main)
        return clause.way != "unreal" and not (clause.future or once or clause.negated)

    def _weighed(self, statement: Statement, *, known: bool) -> Statement | None:
        """A statement with what is known of its value; None where nothing is stated there."""
        place = self._place(statement)
        if place is None or statement.rule not in _WEIGHED:
            return statement
        sentence, words = place
        known = known or statement.valid_to is not None or statement.predicate in _KEPT
        told = known or statement.noun or statement.rule == CHANGE  # "Jonas is my partner"
        if not told and self._reading.sure(sentence, words) < _DENIED:
            return None
        main = max(words, key=lambda at: (self._reading.sure(sentence, [at]), -at))
        return self._sketched(statement, sentence, main, main)

    def _place(self, statement: Statement) -> tuple[int, list[int]] | None:
        """The sentence of a statement and the words that tell its value there."""
        said = frozenset(stems(statement.object))
        for place, sentence in enumerate(self.words.sentences):
            if sentence.start < statement.end and statement.start < sentence.end:
                words = [
                    at
                    for at, token in enumerate(sentence.tokens)
                    if statement.start <= token.start < statement.end
                    and said & frozenset(stems(token.form))
                ]
                if words:
                    return place, words
        return None

    def _sketched(self, statement: Statement, sentence: int, first: int, last: int) -> Statement:
        return statement._replace(
            sketch=packed_sketch(self._reading.sketch(sentence, first, last)),
            fresh=round(self._reading.anew(sentence, first, last), 2),
        )

    def _statement(self, value: StatedValue) -> Statement | None:
        here, sentence = self.here, self.words.sentences[value.sentence]
        here.turn_to(sentence)
        words = _trimmed(here, value)
        said = clean(phrase(here.text, sentence, words))
        owner = self._owner(self._rather_subject(value))
        here.turn_to(sentence)
        if not owner or not is_object(said) or len(said.split()) > _LONGEST:
            return None
        if frozenset(stems(said)) <= frozenset(stems(owner)):
            return None
        thing = isinstance(value.owner, Word) and self._is_thing(value.owner)
        here.turn_to(sentence)
        predicate, noun = self._predicate(value)
        made = here.state(owner, predicate, said, confidence=_CONFIDENCE, noun=noun, thing=thing)
        made = made._replace(rule=VALUED)
        return self._sketched(made, value.sentence, value.first, value.last)

    def _rather_subject(self, value: StatedValue) -> int | Word:
        """The owner; the subject, where it is only another phrase of one verb: of "we meet at the
        library on Mondays", "we"."""
        owner, subject = value.owner, self._subject(value)
        said = self.here.sentence.tokens[subject].form.lower() if subject >= 0 else ""
        if owner == SPEAKER and said == "we":
            return GROUP
        if not isinstance(owner, Word) or owner.back or owner.sentence != value.sentence:
            return owner
        top, verb = _top(self.here, owner.at), self.here.clause_of(_main(self.here, value))
        tokens = self.here.sentence.tokens
        beside = subject >= 0 and tokens[top].head == verb and self.here.case(top)
        ours = beside and tokens[subject].form.lower() in _FIRST
        return owner._replace(at=subject) if ours else owner

    def _owner(self, owner: int | Word) -> str:
        """What an owner is called; empty where nobody knows."""
        if isinstance(owner, Word):
            return self._name(owner)
        return self._nameless(owner)

    def _nameless(self, owner: int) -> str:
        if owner == SPEAKER:
            return self.here.utterance.speaker or "user"
        return "we" if owner == GROUP else self._spoken_to()

    def _spoken_to(self) -> str:
        """Who is spoken to: who spoke last, of those before; the user, for a machine."""
        own = self.words.speaker
        others = (words.speaker for words, _ in self.before if words.speaker != own)
        return self.here.utterance.addressee or next(others, "user" if self.words.machine else "")

    def _at(self, word: Word) -> tuple[Phrases, int]:
        """The phrases of the sentence that a word stands in, and the word there."""
        words, here = (self.words, self.here) if not word.back else self.before[word.back - 1]
        here.turn_to(words.sentences[word.sentence])
        return here, word.at

    def _name(self, word: Word) -> str:
        here, at = self._at(word)
        if (known := here.pronoun(at)) is not None:
            return known
        at = _top(here, at)
        return here.name(at) or here.attribute(at)

    def _is_thing(self, word: Word) -> bool:
        """Whether it names a thing, no person."""
        here, at = self._at(word)
        at = _top(here, at)
        token = here.sentence.tokens[at]
        return not here.is_person(at) and (
            token.tag == "NOUN" or (token.tag == "PROPN" and here.has_article(at))
        )

    def _predicate(self, value: StatedValue) -> tuple[str, bool]:
        """What is said of the owner, and whether that is a noun: the verb, where the owner is its
        subject ("charges"); else what the value is said of ("budget")."""
        here, sentence = self.here, self.here.sentence
        at = _main(here, value)
        verb, subject = here.clause_of(at), self._subject(value)
        own = self._is_own(value.owner, value.sentence, subject)
        token = sentence.tokens[verb]
        if own and token.tag == "VERB" and verb not in range(value.first, value.last + 1):
            return phrase_of((third_person(token.lemma), here.case(at))), False
        if subject >= 0 and not own and sentence.tokens[subject].tag == "NOUN":
            return here.attribute(subject), True
        return "is", False

    def _subject(self, value: StatedValue) -> int:
        """The subject of the clause that a value stands in; -1 without one."""
        here = self.here
        verb = here.clause_of(_main(here, value))
        return next((c for c in here.sentence.under[verb] if _is_subject(here, c)), -1)

    def _is_own(self, owner: int | Word, sentence: int, subject: int) -> bool:
        """Whether an owner is the subject at a word."""
        if subject < 0:
            return False
        if isinstance(owner, Word):
            here = owner.back == 0 and owner.sentence == sentence
            return here and subject in (owner.at, _top(self.here, owner.at))
        first = "we" if owner == GROUP else "i" if owner == SPEAKER else "you"
        return self.here.sentence.tokens[subject].form.lower() == first


def _asks(sentence: Sentence) -> bool:
    return sentence.tokens[-1].form.startswith("?")


def _trimmed(here: Phrases, value: StatedValue) -> range:
    """The words of a value without small ones at its end, with what belongs to it: "40 cases",
    "Fair Isle vest"."""
    tokens, first, last = here.sentence.tokens, value.first, value.last
    while last > first and tokens[last].tag in _SMALL:
        last -= 1
    after = last + 1
    if tokens[last].tag == "NUM" and after < len(tokens) and tokens[after].tag == "NOUN":
        last = after
    while (
        first
        and tokens[first - 1].label in _BELONGING
        and tokens[first - 1].head in range(first, last + 1)
    ):
        first -= 1
    return range(first, last + 1)


def _is_subject(here: Phrases, at: int) -> bool:
    return here.sentence.tokens[at].label in _SUBJECTS


def _top(here: Phrases, at: int) -> int:
    """The main word of the phrase that a word belongs to."""
    tokens = here.sentence.tokens
    while tokens[at].label in _WITHIN and tokens[at].head >= 0:
        at = tokens[at].head
    return at


def _main(here: Phrases, value: StatedValue) -> int:
    """The word of a value that hangs on none of its others."""
    words = range(value.first, value.last + 1)
    return next((at for at in words if here.sentence.tokens[at].head not in words), value.last)


def _tells(one: Statement, other: Statement) -> bool:
    """Whether two tell of one value in one sentence, or the second of one of the same kind: of "31,
    sorry, 32" the last counts."""
    near = one.start < other.end and other.start < one.end
    said = frozenset(stems(f"{one.object} {one.purpose}"))
    sought = frozenset(stems(other.object))
    named = frozenset(stems(one.subject))
    of = named | frozenset(stems(one.predicate if one.noun else ""))
    again = frozenset(stems(other.subject)) <= of
    again = again and value_kind(one.object) == value_kind(other.object)
    return near and bool(said & sought or (sought and sought <= named) or again)
