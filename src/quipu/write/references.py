"""What a file refers to, kept beside its episode as data.

References are resolved against every file there is, so they are resolved again when other files
change: without reading this one again.
"""

import base64
import dataclasses
import zlib
from collections.abc import Sequence
from typing import Self

import msgspec

from quipu.records.document import Document
from quipu.records.record import Chunk


class ChunkLines(msgspec.Struct, frozen=True, array_like=True):
    """Where a chunk stands in its document."""

    chunk_id: str
    start_line: int
    end_line: int


class References(msgspec.Struct, frozen=True, array_like=True):
    """A document without its text, and the lines of its chunks."""

    document: Document
    chunks: tuple[ChunkLines, ...]

    @classmethod
    def of(cls, document: Document, chunks: Sequence[Chunk]) -> Self:
        """What is kept of a document that was just read."""
        definitions = tuple(
            d._replace(doc="", parameters="", takes=(), returns="", fields=())
            for d in document.definitions
        )
        bare = dataclasses.replace(
            document,
            text="",
            problems=(),
            spans=(),
            redactions={},
            definitions=definitions,
            uses=tuple(use for use in document.uses if use.kind not in _OF_ITSELF),
            observations=(),
        )
        return cls(bare, tuple(ChunkLines(c.chunk_id, c.start_line, c.end_line) for c in chunks))


_OF_ITSELF = frozenset({"set", "delegate"})
"""Uses that are told of a symbol as they are written, and refer to nothing."""
_MOST_BYTES = 100_000_000
"""More than the references of the largest file that is read come to."""
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(References)


def pack(references: References) -> str:
    """Text for an episode's properties: about a quarter of what JSON would take."""
    return base64.b64encode(zlib.compress(_ENCODER.encode(references), 1)).decode()


def unpack(packed: str) -> References | None:
    """Return what `pack` was given; None for anything else, as an import may bring it, and for what
    unfolds to more than `_MOST_BYTES`."""
    try:
        inflater = zlib.decompressobj()
        data = inflater.decompress(base64.b64decode(packed), _MOST_BYTES)
        return None if inflater.unconsumed_tail else _DECODER.decode(data)
    except (ValueError, zlib.error, msgspec.DecodeError):
        return None
