"""What the references of each source came to last, kept in the local state: while nothing that
others may refer to has changed, only the sources that are new are resolved again.

It is a hint that saves work: where it is lost or damaged, one run does all of that work.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from quipu.extract import Defined
from quipu.write.state_files import RESOLVED, hint_file, replace_file

__all__ = ["Resolutions", "Resolved"]


class Resolved(msgspec.Struct, frozen=True, array_like=True):
    """A source's own episode, of which document, what that defines (None: it keeps no
    references), the episode of its links ("": none), and how many references have no target."""

    ref: str
    episode_id: str
    document_id: str
    defined: Defined | None = None
    links_id: str = ""
    missing: int = 0


_ENCODER = msgspec.msgpack.Encoder()
_RESOLVED = msgspec.msgpack.Decoder(list[Resolved])


class Resolutions:
    """Those of one store and namespace (`key`); without local state nothing is kept."""

    def __init__(self, state: Path | None, key: str) -> None:
        self._path = hint_file(RESOLVED, state, key)

    def get(self) -> list[Resolved]:
        """All that were kept, in the order of their sources."""
        try:
            return _RESOLVED.decode(self._path.read_bytes()) if self._path else []
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return []

    def set(self, rows: Sequence[Resolved]) -> None:
        """Keep these and no others."""
        if self._path is not None:
            replace_file(self._path, _ENCODER.encode(rows))
