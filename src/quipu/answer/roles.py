"""What the role of a file is worth to a question.

How something behaves is said by source, how something is done by documentation and examples, what
a release brought by the list of releases, under its version; where something is by no such list,
and by documentation only where that is asked for.
"""

import re
from collections.abc import Sequence

from quipu.answer.gate import Evidence
from quipu.answer.intent import AnswerType, Asked
from quipu.question import versions_in
from quipu.records.role import Role
from quipu.text import looks_like_identifier

__all__ = ["PLACES", "fit_of", "is_release_asked_for"]

_ROLES: dict[Role, float] = {
    "source": 0.2,
    "manifest": 0.3,
    "documentation": -0.1,
    "changelog": -0.05,
    "licence": -0.1,
    "test": -0.2,
    "example": -0.1,
    "fixture": -0.3,
    "generated": -0.4,
    "vendored": -0.3,
    "other": 0.15,
}
PLACES: frozenset[AnswerType] = frozenset({"place", "path"})
"""What is wanted where a question asks for a place."""

_PLACING: dict[Role, float] = {"changelog": -0.4, "test": -0.1}
_SHOWING: dict[Role, float] = {"documentation": 0.25, "example": 0.25, "source": -0.3}
_RELEASED, _OF_VERSION = 0.35, 0.4
_TESTING = 0.6
_TOLD = -0.2
_DOCUMENT = frozenset({"document", "doc", "page", "readm", "guid"})
_CAME = frozenset({"add", "introduc", "creat", "appear"})
_ITEM = re.compile(r"(?:^|\n|: )\s*[-*+•] ")
_LISTED = re.compile(r"(?:`[^`]*`\S*(?:,? and|,? or|,)\s+)+(?=[`\w.$#:]*$)")
_LED = re.compile(
    r"^[^`]*`?[\w.$#:]*$"
    r"|\b(?:has|have|gets?|gains?|gained|takes?|accepts?|supports?|adds?|added|offers?|provides?)"
    r"(?: (?:a|an|the|new|optional|another|its own))*[\s`*\"']*[\w.$#:]*$"
)
_MORE = re.compile(r"[.:#]+\w|[`*()\"']*,? (?:now|no longer|can|also|still)\b")


def fit_of(evidence: Evidence, asked: Asked) -> float:
    """What a passage's role adds to its worth, in [-0.4, 0.75]."""
    worth = _ROLES.get(evidence.role, 0.0)
    if evidence.role == "changelog" and asked.of_releases:
        named = not set(asked.versions).isdisjoint(versions_in(evidence.title))
        return worth + _RELEASED + (_OF_VERSION if named else 0.0)
    if asked.of_tests and evidence.role in {"test", "fixture"}:
        return worth + _TESTING
    if (
        asked.answer_type == "path"
        and evidence.role == "documentation"
        and not _DOCUMENT & set(asked.stems)
    ):
        return worth + _TOLD
    if asked.answer_type in PLACES:
        return worth + _PLACING.get(evidence.role, 0.0)
    if asked.answer_type == "manner":
        return worth + _SHOWING.get(evidence.role, 0.0)
    return worth


def is_release_asked_for(evidence: Evidence, asked: Asked, text: str) -> bool:
    """Whether a version or a date is asked for and the passage lists what one release brought:
    its title is what answers. Where it is asked when something came, `text` must say that it
    did, not that something else came which is told by it ("an alternative to X")."""
    return (
        asked.kind in {"version", "date"}
        and asked.of_releases
        and evidence.role == "changelog"
        and bool(versions_in(evidence.title))
        and (_CAME.isdisjoint(asked.stems) or _brings(text, asked.names))
    )


def _brings(text: str, names: Sequence[str]) -> bool:
    """Whether one of the names is what came there: the first thing that its item names, in a list
    with it, or what something now has; not what has a part more, or now does more. Where none
    stands in `text`, only words are asked for that it may put otherwise: no name of code."""
    said = [
        (item[: at.start()], item[at.end() :])
        for item in _ITEM.split(text.lower())
        for name in names
        for at in re.finditer(rf"(?<!\w){re.escape(name.lower())}(?!\w)", item)
    ]
    if not said:
        return not any(looks_like_identifier(name) for name in names)
    return any(
        _LED.search(_LISTED.sub("", before)) and not _MORE.match(after) for before, after in said
    )
