"""Whom and what a clause mentions, so that a pronoun may mean it next: what it is about most, its
subject, counts before what it is done to, and that before what stands anywhere in it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from quipu.extract.grammar import ParsedToken
from quipu.extract.grammar.clauses import span_of
from quipu.extract.grammar.people import GENDERS, HUMAN, KIN, RANKS, TITLES, Gender, genitive

if TYPE_CHECKING:
    from quipu.extract.statements.phrases import Phrases

__all__ = ["Mention", "Recalled", "Sought", "mentions_of"]

_SUBJECTS = frozenset({"nsubj", "nsubj:pass"})
_OTHER, _OBJECT, _SUBJECT, _TOPIC = range(4)
_HE = frozenset("he him his himself".split())
_SHE = frozenset("she her hers herself".split())
_NAMING = frozenset({"call", "name"})
_MEETING = frozenset("meet marry date tell call ring ask hire thank help visit invite see".split())
_GETTING = frozenset("buy get adopt rent order build make write find open start launch".split())
_SENTIENT = frozenset("want say ask think decide suggest propose tell claim hope demand".split())
_LONGEST_TOPIC, _SHORTEST_TOPIC = 3, 3
_SWORN_BY = frozenset("god jesus christ lord heaven".split())
_BREAKS = frozenset({",", "-", "–", "—"})


class Mention(NamedTuple):
    """Somebody or something that a clause names; a pronoun that means nobody named there has no
    name."""

    kind: Literal["person", "thing", "things"]
    name: str
    gender: Gender = ""


Recalled: TypeAlias = Sequence[Sequence[Mention]]
"""What each clause of a text mentions, what it is most about last."""


class Sought:
    """Whom "he" or "she" means, sought from the latest clause back."""

    def __init__(self, gender: Gender) -> None:
        self.gender = gender
        self._taken = False
        """Whether the next of unknown gender is the other pronoun's."""

    def among(self, recalled: Recalled) -> str | None:
        """The latest that it may mean; "" where nobody can tell, None where it is nobody of
        these."""
        genders: dict[str, Gender] = {
            m.name: m.gender for each in recalled for m in each if m.gender and m.name
        }
        for mentions in reversed(recalled):
            people = [m for m in reversed(mentions) if m.kind == "person"]
            meant = [m.name for m in people if self._may_mean(m, genders.get(m.name, m.gender))]
            if not meant:
                continue
            known = [name for name in meant if genders.get(name) == self.gender]
            sure = known[0] == meant[0] if known else len({*meant}) == 1
            return meant[0] if sure else ""
        return None

    def _may_mean(self, mention: Mention, gender: Gender) -> bool:
        if not mention.name:
            self._taken |= gender != self.gender
            return False
        if gender == self.gender:
            return True
        free = not (gender or self._taken)
        self._taken = False
        return free


class _Ranked(NamedTuple):
    """A mention, how important it is, and where it stands."""

    rank: int
    at: int
    mention: Mention


def mentions_of(here: "Phrases") -> list[Mention]:
    """Those of the clause that is read, the most important last."""
    found = sorted(_Mentions(here).read(), key=lambda each: (each.rank, each.at))
    return list(dict.fromkeys(each.mention for each in found))


class _Mentions:
    """Reads them of one clause."""

    def __init__(self, here: "Phrases") -> None:
        self.here, self.tokens = here, here.sentence.tokens

    def read(self) -> Iterator[_Ranked]:
        """Each, in no order."""
        if topic := self.here.topic():
            yield _Ranked(_TOPIC, 0, Mention("thing", topic))
        for at, token in enumerate(self.tokens):
            if token.tag == "PRON":
                yield from self._pronoun(at)
            elif token.tag == "PROPN" and not self._goes_on(at):
                yield from self._name(at)
            elif token.tag == "NOUN" or token.lemma in KIN:
                yield from self._noun(at)

    def _goes_on(self, at: int) -> bool:
        return at > 0 and self.tokens[at - 1].tag == "PROPN"

    def _rank(self, at: int) -> int:
        """How important it is by its place; what is all that is said is so as a subject."""
        label = self.tokens[at].label
        if label in _SUBJECTS or (label == "root" and not self._is_said(at)):
            return _SUBJECT
        done = label == "obj" or (label == "obl" and not self.here.case(at))
        return _OBJECT if done else _OTHER

    def _is_said(self, at: int) -> bool:
        """Whether it is what is said of a subject."""
        return any(self.tokens[c].label in _SUBJECTS for c in self.here.sentence.under[at])

    def _pronoun(self, at: int) -> Iterator[_Ranked]:
        low, rank = self.tokens[at].form.lower(), self._rank(at)
        if low in _HE or low in _SHE:
            gender: Gender = "he" if low in _HE else "she"
            yield _Ranked(rank, at, Mention("person", self.here.meaning(at), gender))
        elif low == "it" and rank == _SUBJECT and (name := self.here.meaning(at)):
            yield _Ranked(rank, at, Mention("thing", name))

    def _name(self, at: int) -> Iterator[_Ranked]:
        """A name, by its first word."""
        end = at
        while end + 1 < len(self.tokens) and self.tokens[end + 1].tag == "PROPN":
            end += 1
        ranks = [self._rank(i) for i in range(at, end + 1)]
        rank = max(ranks)
        sworn = self.tokens[at].lemma.lower() in _SWORN_BY
        if sworn or any(self.here.is_time(i) for i in range(at, end + 1)):
            return
        name = self.here.names_from(at)
        before = self.tokens[at - 1].lemma if at else ""
        if before in _NAMING and at > 1:  # "a woman called Agnieszka"
            before = self.tokens[at - 2].lemma
        gender = GENDERS.get(self.tokens[at].form.rstrip(".").lower(), GENDERS.get(before, ""))
        if post := self._post(at, end):
            yield _Ranked(_TOPIC, at, Mention("person", name, gender or GENDERS.get(post, "")))
        elif self._is_person(at, end, rank):
            yield _Ranked(rank, at, Mention("person", name, gender))
        elif rank >= _OBJECT and self._has_article(at, end):
            words = range(at, end + 1)
            head = next((i for i in words if self.tokens[i].head not in words), end)
            yield _Ranked(rank, at, Mention("thing", self.here.plain(head)))

    def _is_person(self, at: int, end: int, rank: int) -> bool:
        """Whether a name is somebody's: by its title, by what stands before or behind it, or
        because it is a subject."""
        tokens = self.tokens
        title = tokens[at].form.rstrip(".").lower() in TITLES and end > at
        kin = tokens[at].lemma.lower() in KIN or (at > 0 and tokens[at - 1].lemma in HUMAN)
        if at > 1 and tokens[at - 1].lemma in _NAMING:
            kin = kin or tokens[at - 2].lemma in HUMAN
        behind = tokens[end + 1 : end + 3]
        whose = len(behind) == 2 and behind[0].form == "," and behind[1].lemma == "who"
        owning = any(tokens[i].label == "nmod:poss" for i in range(at, end + 1))
        subject = rank == _SUBJECT and not self._has_article(at, end) and not self._is_alone(end)
        kin = kin or self._is_met(at, end, rank)
        return title or kin or whose or owning or subject

    def _is_met(self, at: int, end: int, rank: int) -> bool:
        """Whether it is whom somebody meets or is with."""
        heads = {self.tokens[i].head for i in range(at, end + 1)} - {-1, *range(at, end + 1)}
        met = rank == _OBJECT and any(self.tokens[head].lemma in _MEETING for head in heads)
        return met or self.here.case(at) == "with"

    def _is_alone(self, end: int) -> bool:
        """Whether nothing but the name is said, so that it may be a thing's."""
        return any(
            self.tokens[i].label == "root" for i in range(end + 1)
        ) and not self._is_taken_up(end)

    def _is_taken_up(self, end: int) -> bool:
        """Whether "he" or "she" comes right behind it: "Lotte, she's from …"."""
        behind = [token.form.lower() for token in self.tokens[end + 1 : end + 3]]
        return len(behind) == 2 and behind[0] in _BREAKS and behind[1] in ("he", "she")

    def _post(self, at: int, end: int) -> str:
        """The post that somebody is told to fill: the "builder" of "my builder is Carys", "the
        builder is called Carys"; empty where none is."""
        words, under = range(at, end + 1), self.here.sentence.under
        heads = {self.tokens[i].head for i in words} - {-1, *words}
        heads = {head for head in heads if self.tokens[head].lemma in _NAMING}
        heads |= {i for i in words if self.tokens[i].label == "root"}
        if at > 1 and self.tokens[at - 1].lemma in _NAMING:
            heads.add(at - 2)  # "is a woman called Agnieszka"
        posts = (c for head in heads for c in under[head] if self.tokens[c].label in _SUBJECTS)
        return next((self.tokens[c].lemma for c in posts if self.tokens[c].lemma in HUMAN), "")

    def _has_article(self, at: int, end: int) -> bool:
        return any(self.here.has_article(i) for i in range(at, end + 1))

    def _noun(self, at: int) -> Iterator[_Ranked]:
        here, token, rank = self.here, self.tokens[at], self._rank(at)
        nothing = token.lemma in RANKS or token.form.lower() == "one"
        if nothing or here.is_time(at) or here.announces(at):
            return
        if token.lemma in HUMAN and not here.is_plural(at):
            yield from self._human(at, rank)
        elif here.is_plural(at):
            name = here.name(at) or here.kind(at)
            if name and (rank == _SUBJECT or (rank == _OBJECT and here.is_definite(at))):
                yield _Ranked(rank, at, Mention("things", name))
        elif rank >= _OBJECT and token.tag == "NOUN" and self._is_known(at, rank):
            rank = _OTHER if self._wants(at) else rank
            if (name := self._thing(at)) or self._is_got(at):
                yield _Ranked(rank, at, Mention("thing", name))

    def _is_known(self, at: int, rank: int) -> bool:
        """Whether it is a thing that there is one of; all that is said names one, be it without an
        article."""
        alone = self.tokens[at].label == "root"
        if alone and self.here.is_bare(at) and _words(self.tokens) <= _LONGEST_TOPIC:
            return len(self.tokens[at].form) > _SHORTEST_TOPIC
        return self.here.is_definite(at) if alone or rank == _OBJECT else True

    def _is_got(self, at: int) -> bool:
        """Whether it is one that nobody knew before: "we bought a boat", which "it" means next."""
        token, head = self.tokens[at], self.tokens[at].head
        got = token.label == "obj" and head >= 0 and self.tokens[head].lemma in _GETTING
        return got and token.tag == "NOUN" and self.here.has_article(at)

    def _wants(self, at: int) -> bool:
        """Whether it is who wants or says something, for all that it is no person: "audit"."""
        head = self.tokens[at].head
        subject = self.tokens[at].label in _SUBJECTS
        return subject and head >= 0 and self.tokens[head].lemma in _SENTIENT

    def _thing(self, at: int) -> str:
        """What a thing is called, without what is done to it: "the pool to 20"."""
        here, under = self.here, self.here.sentence.under[at]
        here.cut = tuple(
            word
            for child in under
            if child > at and self.tokens[child].label in ("nmod", "obl") and here.is_measure(child)
            for word in span_of(here.sentence, child)
        )
        name = here.name(at)
        here.cut = ()
        return name

    def _is_filled(self, at: int) -> bool:
        """Whether it is the post that a name is told to fill."""
        return self.tokens[at].label in _SUBJECTS and any(
            token.tag == "PROPN" and self._post(i, i) for i, token in enumerate(self.tokens)
        )

    def _human(self, at: int, rank: int) -> Iterator[_Ranked]:
        here, tokens, gender = self.here, self.tokens, GENDERS.get(self.tokens[at].lemma, "")
        if self._is_said(at):
            return  # "Ann is our plumber" is about Ann
        name = here.name(at)
        if at + 1 < len(tokens) and tokens[at + 1].form in ("'s", "’s") and here.case(at):
            return  # "at the dentist's"
        known = rank == _SUBJECT or tokens[at].lemma in KIN or here.is_definite(at)
        if name and known and not self._is_filled(at):
            yield _Ranked(rank, at, Mention("person", name, gender))
            return
        of_us = tokens[at].label == "obj" and tokens[at].lemma in KIN and not name
        subject = next(
            (c for c in here.sentence.under[tokens[at].head] if tokens[c].label == "nsubj"), -1
        )
        whose = here.pronoun(subject) if of_us and subject >= 0 else None
        if whose:  # "we got a cat": she is ours
            ours = f"{genitive(whose)} {tokens[at].lemma}"
            yield _Ranked(rank, at, Mention("person", ours, gender))


def _words(tokens: Sequence[ParsedToken]) -> int:
    """How many words a clause has."""
    return sum(token.tag not in ("PUNCT", "INTJ", "CCONJ") for token in tokens)
