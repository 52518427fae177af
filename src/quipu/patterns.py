"""Regular expressions that are compiled when they are first used: most runs use few of them."""

import re
from typing import Any, cast

__all__ = ["late"]


class _Late:
    """Stands for a compiled expression until something is asked of it."""

    def __init__(self, expression: str, flags: int) -> None:
        self._given = expression, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._given)
        for each in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
            setattr(self, each, getattr(compiled, each))  # from now on asked without us
        return getattr(compiled, name)


def late(expression: str, flags: int = 0) -> "re.Pattern[str]":
    """What `re.compile` gives, compiled at the first use of a method. A mistake in the expression
    raises `re.error` there. Not for functions of `re` that take a compiled pattern."""
    return cast("re.Pattern[str]", _Late(expression, flags))
