"""Whether a question is about changes, so that commits may answer it.

A history is full of the words of its project: some commit shares the words of nearly every
question about it. What tells a question about changes is its grammar: it speaks of an act on the
code in the past ("who removed …", "when was … added", "what did … change"), gives a reason for one
("why is … disabled"), or names a commit, its hash or what only a history has.
"""

import re

from quipu.kinds.commits.model import paths_in
from quipu.patterns import late

__all__ = ["asks_of_changes"]

_ACTS = (
    "add allow author bump change commit correct create cut decrease delete deprecate disable "
    "document downgrade drop edit enable fix implement increase introduce limit lower mend merge "
    "migrate modify move patch raise refactor release remove rename repair replace resolve revert "
    "simplify solve strip support switch touch update upgrade"
).split()
_DOUBLED = frozenset({"commit", "drop", "strip"})
_IRREGULAR = {
    "break": "broke|broken", "cut": "cut", "make": "made", "rewrite": "rewrote|rewritten",
    "split": "split", "undo": "undid|undone", "write": "wrote|written",
}  # fmt: skip


def _past(verb: str) -> str:
    """The past of a regular verb."""
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y"):
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in _DOUBLED else f"{verb}ed"


_DONE = "|".join((*(_past(v) for v in _ACTS if v not in _IRREGULAR), *_IRREGULAR.values()))
_DO = "|".join((*_ACTS, *_IRREGULAR))
_WHO_DID = (
    r"\b(?:who|what|which)\b(?:(?! (?:is|are|be|do|does|can|should|will)\b) [\w./-]+){0,3} "
    rf"(?:last |first |originally |recently )?(?:{_DONE})\b"
)
_KEPT = r"(?:commits?|changesets?|regressions?|(?:pull|merge) requests?|git (?:log|history|blame))"
_CHANGES = (
    r"(?:recent|latest|last|newest|breaking)\s+changes?\b"
    r"|\bchanges\s+(?:were|made|since|between|after|happened|to|in)"
)
_PATTERNS = tuple(
    late(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:was|were|has|have|had|been|got)\b.*\b(?:{_DONE})\b",
        _WHO_DID,
        rf"\bdid\b.*\b(?:{_DO})\b",
        rf"\bwhy\b.*\b(?:is|are|be)\b.*\b(?:{_DONE})\b",
        r"\b(?:no longer|any ?more|used to)\b",
        rf"\b{_KEPT}\b",
        rf"\b{_CHANGES}\b",
        r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b",
    )
)
_OF_FILE = late(r"\b(?:who|when|authors?|last|latest|recent(?:ly)?)\b", re.IGNORECASE)


def asks_of_changes(question: str) -> bool:
    """Whether `question` is about what was done to the code, when, by whom or why."""
    if any(pattern.search(question) for pattern in _PATTERNS):
        return True
    return _OF_FILE.search(question) is not None and bool(paths_in(question))
