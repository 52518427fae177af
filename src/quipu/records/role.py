"""What a file is for, told by its path: what it says is weighed by that.

A question about how something behaves is answered by source and documentation; a test, an example
or a file that a program wrote says the same words for another reason.
"""

import re
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from quipu.tables import read_table

__all__ = ["Role", "role_of"]

Role: TypeAlias = Literal[
    "source",
    "documentation",
    "changelog",
    "manifest",
    "licence",
    "test",
    "example",
    "fixture",
    "generated",
    "vendored",
    "other",
]

_PROSE: frozenset[Role] = frozenset({"changelog", "documentation", "licence"})


@cache
def _patterns() -> list[tuple[Role, re.Pattern[str]]]:
    """The expressions of `roles.toml`, folders first; a test's name has a case: `FooTest.java`."""
    tables = read_table("quipu.records", "roles.toml")
    return [
        (role, re.compile(rf"(?:^|/)(?:{'|'.join(names)}){end}", 0 if cased else re.IGNORECASE))
        for table, end in (("folders", "/"), ("files", "$"))
        for role, names in tables[table].items()
        for cased in [table == "files" and role == "test"]
    ]


@lru_cache(maxsize=4096)
def role_of(path: str, *, code: bool) -> Role:
    """The role of a file; `code` says that it was read as code, which is no prose whatever it is
    called. What is neither code nor any of the others, a note or a turn, is "other"."""
    for role, pattern in _patterns():
        if not (code and role in _PROSE) and pattern.search(path):
            return role
    return "source" if code else "other"
