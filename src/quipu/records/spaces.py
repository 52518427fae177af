"""Several embedding spaces at once: which content types are in which, under one name.

`all-MiniLM-L6-v2/…/384[prose] + azure:text-embedding-ada-002/1536[code]` names both models that
really run, and what each of them reads.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["SpacePart", "multispace_name", "space_parts"]

_JOIN = " + "
_PART = re.compile(r"(?P<space>\S+/(?P<dimension>[0-9]+))\[(?P<profiles>[a-z]+(?:,[a-z]+)*)\]")


class SpacePart(NamedTuple):
    """A space, the length of its vectors, and the profiles of the passages that it is for."""

    space: str
    dimension: int
    profiles: frozenset[str]


def multispace_name(parts: Iterable[tuple[str, Iterable[str]]]) -> str:
    """The name of spaces with their profiles, whatever their order."""
    return _JOIN.join(sorted(f"{space}[{','.join(sorted(of))}]" for space, of in parts))


def space_parts(name: str) -> tuple[SpacePart, ...]:
    """The parts of such a name, in its order; none where it names a single space."""
    found: list[SpacePart] = []
    for each in name.split(_JOIN):
        match = _PART.fullmatch(each)
        if match is None:
            return ()
        profiles = frozenset(match["profiles"].split(","))
        found.append(SpacePart(match["space"], int(match["dimension"]), profiles))
    return tuple(found)
