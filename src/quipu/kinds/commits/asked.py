"""What a question asks of changes: which act, and which of several.

Only a question about changes is answered by commits. A history is full of the words of its project:
some commit shares the words of nearly every question about it. What tells a question about changes
is its grammar: it speaks of an act on the code in the past ("who removed …", "when was … added",
"what did … change"), gives a reason for one ("why is … disabled"), or names a commit, its hash or
what only a history has.
"""

import re
from typing import Any

from quipu.kinds.commits.model import paths_in
from quipu.patterns import late
from quipu.tables import read_table
from quipu.text import stems

__all__ = ["ACTS", "ADDED", "PLAIN", "WHICH", "asks_of_changes"]

_TABLE: dict[str, Any] = read_table("quipu.kinds.commits", "acts.toml")
_ACTS: dict[str, dict[str, str]] = _TABLE["acts"]
_STEMS = {name: frozenset(stems(f"{each['do']} {each['done']}")) for name, each in _ACTS.items()}
ACTS = tuple(words for name, words in _STEMS.items() if name != "other")
"""By kind of act the stems that tell it."""
ADDED = _STEMS["added"]
PLAIN = frozenset(stems(_TABLE["plain"]["words"])).union(*_STEMS.values())
"""Stems of a question that name nothing."""
WHICH: dict[str, frozenset[str]] = {n: frozenset(w.split()) for n, w in _TABLE["which"].items()}
"""By what is asked for the words that tell it."""

_DO, _DONE = (
    "|".join(word for each in _ACTS.values() for word in each[form].split())
    for form in ("do", "done")
)
_OF_CHANGES = late(
    rf"\b(?:was|were|has|have|had|been|got)\b.*\b(?:{_DONE})\b"
    r"|\b(?:who|what|which)\b(?:(?! (?:is|are|be|do|does|can|should|will)\b) [\w./-]+){0,3} "
    rf"(?:last |first |originally |recently )?(?:{_DONE})\b"
    rf"|\bdid\b.*\b(?:{_DO})\b"
    rf"|\bwhy\b.*\b(?:is|are|be)\b.*\b(?:{_DONE})\b"
    r"|\b(?:no longer|any ?more|used to)\b"
    r"|\b(?:commits?|changesets?|regressions?|(?:pull|merge) requests?|git (?:log|history|blame))\b"
    r"|\b(?:recent|latest|last|newest|breaking)\s+changes?\b"
    r"|\bchanges\s+(?:were|made|since|between|after|happened|to|in)\b"
    r"|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)
_OF_FILE = late(r"\b(?:who|when|authors?|last|latest|recent(?:ly)?)\b", re.IGNORECASE)


def asks_of_changes(question: str) -> bool:
    """Whether `question` is about what was done to the code, when, by whom or why."""
    if _OF_CHANGES.search(question):
        return True
    return _OF_FILE.search(question) is not None and bool(paths_in(question))
