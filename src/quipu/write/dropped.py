"""What a job must not write any more: what was forgotten since it was accepted."""

import dataclasses
import re

from quipu.records.refs import SESSION_PREFIX

__all__ = ["EVERYTHING", "NOTHING", "Dropped", "is_whole"]

_WHOLES = (SESSION_PREFIX, "goal:", "task:")


@dataclasses.dataclass(frozen=True, slots=True)
class Dropped:
    """Sources by reference, each with its parts: the turns of a session, the values of a goal or a
    task."""

    refs: frozenset[str] = frozenset()
    everything: bool = False

    def covers(self, ref: str) -> bool:
        """Whether a source is among them."""
        if self.everything or ref in self.refs:
            return True
        return is_whole(ref) and ref.rpartition("#")[0] in self.refs

    def speaks_of(self, text: str) -> bool:
        """Whether a row of a report is about one of them."""
        return any(re.search(rf"(?<![\w/]){re.escape(ref)}(?![\w/])", text) for ref in self.refs)


NOTHING = Dropped()
EVERYTHING = Dropped(everything=True)


def is_whole(ref: str) -> bool:
    """Whether a source has parts, which its reference and a `#` begin."""
    return ref.startswith(_WHOLES)
