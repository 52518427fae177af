"""How far quoted lines agree with the question, beyond being near to it.

Lines may be about the very thing and still not answer: a word of the question stands in none of
them, they name another thing, deny what is asked or speak of another number.
"""

import re

from quipu.answer.contradiction import contradicts, denies, in_numerals
from quipu.answer.gate import Agreement
from quipu.answer.intent import Asked
from quipu.answer.limitations import says
from quipu.answer.nearness import Nearness
from quipu.text import looks_like_identifier

__all__ = ["agreement"]

_NUMBER = re.compile(r"\d+")


def agreement(asked: Asked, quoted: str, near: Nearness | None, *, code: bool) -> Agreement:
    """How far `quoted` agrees with what is asked; `code` says that it is code."""
    names = [n for n in asked.names if looks_like_identifier(n) or any(map(str.isupper, n))]
    unnamed = sum(not _stands(name, quoted) for name in names)
    of_code = any(map(looks_like_identifier, names))
    numbers = set(_NUMBER.findall(in_numerals(asked.text)))
    return Agreement(
        met=near.met(quoted) if near else None,
        named=float(of_code and not unnamed),
        unnamed=unnamed / len(names) if names else 0.0,
        denied=float(not code and denies(asked.text) != denies(quoted)),
        opposed=float(contradicts(asked.text, quoted, asks=True)),
        uncounted=float(not numbers <= set(_NUMBER.findall(in_numerals(quoted)))),
    )


def _stands(name: str, quoted: str) -> bool:
    return says(quoted, name) or says(quoted, name.rpartition(".")[2].removesuffix("()"))
