"""Which stretches of a text may state something at all: most sentences of most pages cannot, and
to see that of a whole text at once is many times quicker than to try every rule on each."""

import re

from quipu.extract.statements.said import may_say_of
from quipu.extract.statements.statement import lowered
from quipu.when.relative import SIGNS

_DIGIT = re.compile(r"\d")


class Gate:
    """Asked of stretches of one text; what it turns away, no rule reads."""

    def __init__(self, text: str, *, keyed: bool, personal: bool, relative: bool) -> None:
        """`keyed`: lines `Owner: X` count; `personal`: what people say of themselves does;
        `relative`: so do times that are told from the present."""
        self._low = low = lowered(text)
        signs = ("century", *((":",) if keyed else ()), *(SIGNS if relative else ()))
        self._signs = [sign for sign in signs if sign in low]
        self._may_say = may_say_of(low, personal=personal)

    def __call__(self, start: int, end: int) -> bool:
        """Whether a statement may stand in these characters."""
        low = self._low
        for sign in self._signs:
            if low.find(sign, start, end) >= 0:
                return True
        return self._may_say(start, end) or _DIGIT.search(low, start, end) is not None
