"""How far quoted lines agree with the question, beyond being near to it.

Lines may be about the very thing and still not answer: a word of the question stands in none of
them, or they name another thing.
"""

import re
from collections.abc import Sequence

from quipu.answer.gate import Agreement, Evidence
from quipu.answer.limitations import says
from quipu.answer.nearness import Nearness
from quipu.question import Question
from quipu.text import looks_like_identifier

__all__ = ["agreement"]

_POSSESSIVE = re.compile(r"['’]s?$")


def agreement(
    asked: Question, quoted: str, near: Nearness | None, cited: Sequence[Evidence]
) -> Agreement:
    """How far `quoted`, which stands in the first of the passages that are `cited`, agrees with
    what is asked."""
    code = cited[0].is_code
    names = [n for n in asked.names if looks_like_identifier(n) or any(map(str.isupper, n))]
    whole = "\n".join(f"{each.path}\n{each.title}\n{each.text}" for each in cited)
    absent = [name for name in names if not _stands(name, f"{quoted}\n{whole}")]
    shows_code = code or "`" in quoted or any(map(looks_like_identifier, names))
    return Agreement(
        met=near.met(quoted) if near else None,
        absent=len(absent) / len(names) if names else 0.0,
        plain=float(not shows_code),
    )


def _stands(name: str, quoted: str) -> bool:
    name = _POSSESSIVE.sub("", name)
    return says(quoted, name) or says(quoted, name.rpartition(".")[2].removesuffix("()"))
