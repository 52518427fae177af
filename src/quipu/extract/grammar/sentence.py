"""A parsed sentence, and its words."""

from dataclasses import dataclass
from functools import cached_property

__all__ = ["ParsedToken", "Sentence"]


@dataclass(frozen=True, slots=True)
class ParsedToken:
    """A word or a mark: what it is (`tag`, a part of speech), which word of its sentence it hangs
    on (`head`, -1: none) and as what (`label`). `start` and `end` count characters of the text."""

    form: str
    lemma: str
    tag: str
    head: int
    label: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """The words of one sentence, and the characters of the text that it covers."""

    tokens: tuple[ParsedToken, ...]
    start: int
    end: int

    @cached_property
    def under(self) -> tuple[tuple[int, ...], ...]:
        """Of each word, those that hang on it, in order."""
        held: list[list[int]] = [[] for _ in self.tokens]
        for at, token in enumerate(self.tokens):
            if token.head >= 0:
                held[token.head].append(at)
        return tuple(map(tuple, held))

    @property
    def root(self) -> int:
        """The word that hangs on none."""
        return next(at for at, token in enumerate(self.tokens) if token.head < 0)
