"""CODEOWNERS: patterns and who owns what they match."""

import re

from quipu.read.prose import sections_of
from quipu.read.reading import Reading
from quipu.records.document import OwnerRule

_SPACE = re.compile(r"(?<!\\)\s+")
_OWNER = re.compile(r"@[\w./-]+|[^\s@]+@[^\s@]+\.\w+")


def read_codeowners(text: str) -> Reading:
    """The rules of a CODEOWNERS file, in order; a rule without owners makes a path nobody's."""
    reading = Reading(text, family="data", type="ownership")
    reading.sections = sections_of([], text.count("\n") + 1)
    for number, line in enumerate(text.split("\n"), 1):
        bare = re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()
        if not bare or bare.startswith(("[", "^[", "!")):
            continue
        pattern, *owners = _SPACE.split(bare)
        named = tuple(owner for owner in owners if _OWNER.fullmatch(owner))
        wrong = next((owner for owner in owners if not _OWNER.fullmatch(owner)), "")
        if wrong:
            reading.warnings.append(
                (f"{wrong[:100]!r} is no owner: write @name or an address", number)
            )
        reading.owner_rules.append(OwnerRule(pattern, named, number))
    return reading
