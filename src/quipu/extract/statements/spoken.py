"""What a conversation spoke of before: whom "she" means, and what "it" does.

Of each turn is kept what it says, no more; whom and what it mentions is read when something refers
back to it. So a turn means the same whether it is written with those before it or after them.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from quipu.extract.grammar.people import Gender
from quipu.extract.statements.statement import Statement
from quipu.extract.values import TurnWords
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["REACH", "Before", "Mention", "Said", "Sought", "Spoken"]

REACH = 4
"""How many turns back somebody may be meant."""


class Said(NamedTuple):
    """A turn: who says it, what, and when. Of what a machine says counts what it changed."""

    speaker: str
    text: str
    observed_at: str = UNKNOWN_TIME
    machine: bool = False


class Mention(NamedTuple):
    """Somebody or something that a clause names; a pronoun that means nobody named there has no
    name."""

    kind: Literal["person", "thing", "things"]
    name: str
    gender: Gender = ""


Recalled: TypeAlias = Sequence[Sequence[Mention]]
"""What each clause of a turn mentions, what it is most about last."""


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


class Spoken:
    """The turns of a conversation before the one that is read.

    `earlier` gives those before the first that it is told of, in order; it is asked once, and only
    when something refers back to them.
    """

    def __init__(self, earlier: Callable[[], Iterable[Said]] = tuple) -> None:
        self._earlier: Callable[[], Iterable[Said]] | None = earlier
        self._turns: deque[Said] = deque(maxlen=2 * REACH)
        self.recalled: dict[Said, Recalled] = {}
        self.stated: dict[Said, Statement | None] = {}
        self.words: dict[Said, TurnWords] = {}
        """What was read of each turn, word by word."""

    def hear(self, said: Said) -> None:
        """Go on with a turn."""
        self._turns.append(said)
        if len(self._turns) == self._turns.maxlen:
            self._earlier = None
        for memo in (self.recalled, self.stated, self.words):
            for gone in [each for each in memo if each not in self._turns]:
                del memo[gone]

    def turns(self) -> list[Said]:
        """The turns before, the latest first."""
        if self._earlier is not None and len(self._turns) < REACH:
            earlier = [*self._earlier(), *self._turns]
            self._earlier = None
            self._turns.clear()
            self._turns.extend(earlier)
        return [*reversed(self._turns)]

    def until(self, said: Said) -> "Spoken":
        """What was spoken of before one of the turns."""
        turns = [*self._turns]
        before = Spoken()
        for each in turns[: turns.index(said)]:
            before.hear(each)
        return before


class Before:
    """What was spoken of before a turn of `speaker`.

    `recall` reads what a turn mentions, `state` the last thing it states that has one value; they
    are asked once for each turn that something refers back to.
    """

    def __init__(
        self,
        spoken: Spoken,
        speaker: str,
        recall: Callable[[Said], Recalled],
        state: Callable[[Said], Statement | None],
    ) -> None:
        self.spoken, self.speaker = spoken, speaker
        self._recall, self._state = recall, state

    def last(self) -> Said | None:
        """The turn right before."""
        return next(iter(self.spoken.turns()), None)

    def names(self) -> set[str]:
        """Who spoke."""
        return {said.speaker.casefold() for said in self.spoken.turns()[:REACH]}

    def people(self) -> Iterator[Recalled]:
        """Whom each turn mentions, the latest turn first."""
        for said in self.spoken.turns()[:REACH]:
            yield self._recalled(said)

    def things(self) -> Recalled:
        """What may still be spoken of: what the same speaker said right before, or another asks
        about."""
        said = self.last()
        if said is None:
            return ()
        recalled = self._recalled(said)
        if said.speaker == self.speaker:
            return recalled
        return recalled[-1:] if said.text.rstrip().endswith("?") else ()

    def statement(self) -> Statement | None:
        """The last statement of one value."""
        for said in self.spoken.turns()[:REACH]:
            if said not in self.spoken.stated:
                self.spoken.stated[said] = self._state(said)
            if (found := self.spoken.stated[said]) is not None:
                return found
        return None

    def _recalled(self, said: Said) -> Recalled:
        if said not in self.spoken.recalled:
            self.spoken.recalled[said] = self._recall(said)
        return self.spoken.recalled[said]
