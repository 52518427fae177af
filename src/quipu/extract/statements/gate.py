"""Which stretches of a text may state something at all: most sentences of most pages cannot, and
to see that of a whole text at once is many times quicker than to try every rule on each."""

import re
from collections.abc import Iterable
from functools import cache

from quipu.extract.statements.cues import DIGIT, Cues, cues_of
from quipu.extract.statements.statement import lowered
from quipu.records.fact_rules import FactRule
from quipu.when.relative import SIGNS

_DIGIT = re.compile(r"\d")


class CueGate:
    """Asked of stretches of one text; what it turns away, no rule reads."""

    def __init__(
        self,
        text: str,
        *,
        keyed: bool,
        personal: bool,
        relative: bool,
        rules: Iterable[FactRule],
    ) -> None:
        """`keyed`: lines `Owner: X` count; `personal`: what people say of themselves does;
        `relative`: so do times that are told from the present."""
        self._low = low = lowered(text)
        signs = ("century", *((":",) if keyed else ()), *(SIGNS if relative else ()))
        self._signs = [sign for sign in signs if sign in low]
        patterns = tuple(rule.pattern for rule in rules if personal or rule.of_pages)
        present = (_present(cues, low) for cues in _without_digits(patterns))
        self._cues = [here for here in present if here is not None]

    def __call__(self, start: int, end: int) -> bool:
        """Whether a statement may stand in these characters."""
        low = self._low
        for sign in self._signs:
            if low.find(sign, start, end) >= 0:
                return True
        if _DIGIT.search(low, start, end):
            return True
        for cues in self._cues:
            for each in cues:
                for cue in each:
                    if low.find(cue, start, end) >= 0:
                        break
                else:
                    break
            else:
                return True
        return False


@cache
def _without_digits(patterns: tuple[str, ...]) -> tuple[Cues, ...]:
    """The cues of rules, but of those that need a digit, which counts for itself."""
    found = dict.fromkeys(cues_of(pattern) for pattern in patterns)
    return tuple(cues for cues in found if not any(DIGIT in each for each in cues))


def _present(cues: Cues, low: str) -> list[list[str]] | None:
    """The cues that stand anywhere in the text; None where one of a set must and does not."""
    found: list[list[str]] = []
    for each in cues:
        here = [cue for cue in each if cue in low]
        if not here:
            return None
        found.append(here)
    return found
