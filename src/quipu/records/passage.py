"""A ready passage: what is remembered whole, as its own document and its only chunk."""

import re

import msgspec

from quipu.records.record import Properties

__all__ = ["ASSISTANT", "MACHINES", "SPOKEN", "PassageInput", "is_saying"]

SPOKEN = "conversation"
"""The profile of what somebody said then: a turn, and an entry that is a saying."""
ASSISTANT = "assistant"
"""The role, and so the name, of a machine that is spoken to."""
MACHINES = frozenset({ASSISTANT, "system", "tool"})
"""The roles of machines: what one says back is no statement of anybody's, but for what an assistant
did itself."""

_LONGEST_SAYING = 600
_PART = re.compile(r"\s{4}|\t|\s*(?:[-*+•]\s|---|\d+[.)]\s|#{1,6}\s|[>|`~]|<\w)")


def is_saying(text: str) -> bool:
    """Whether a text has no parts of its own: one paragraph of at most 600 characters, no item of
    a list and no heading."""
    lines = text.strip("\r\n").splitlines()
    return (
        0 < len(text.strip()) <= _LONGEST_SAYING
        and all(line.strip() for line in lines)
        and not any(_PART.match(line) for line in lines)
    )


class PassageInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One passage to remember. `source_ref` names it; the same name again replaces it.

    `observed_at` is any ISO date; None is an unknown time, which sorts before every other.
    `profile` is "prose", "code" or "conversation" (said by who is its property `speaker`, or by
    the user); empty: told by the text.
    """

    source_ref: str
    text: str
    title: str = ""
    group: str = ""
    observed_at: str | None = None
    source_type: str = "manual_ingest"
    profile: str = ""
    properties: Properties = {}
