"""What a turn keeps beside its postings: whose it is, where it stands, whether it asks.

The tail of its packed columns, 40 bytes, so that a whole conversation is ranked without text.
"""

import zlib
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quipu.kinds.conversations.model import ROLES
from quipu.text import name_key
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["TURN", "name_hash", "pack_turn", "read_turns"]

TURN = np.dtype(
    [
        ("session", "<u8"),
        ("speaker", "<u8"),
        ("first_name", "<u8"),
        ("offset", "<u4"),
        ("day", "<i4"),
        ("is_asker", "u1"),
        ("asks", "u1"),
        ("spare", "u1", (6,)),
    ]
)


@lru_cache(maxsize=65536)
def name_hash(text: str) -> int:
    """64 bits that stand for a name or a session; 0 for nothing and for names of roles."""
    key = name_key(text)
    if not key or key in ROLES:
        return 0
    data = key.encode("utf-8", "surrogatepass")
    return (zlib.crc32(data) << 32) | zlib.crc32(data[::-1], 1)


def pack_turn(text: str, *, session: str, offset: int, speaker: str, role: str, time: str) -> bytes:
    """The tail for one turn. `time` is an instant."""
    first = name_key(speaker).partition(" ")[0]
    row = np.zeros(1, dtype=TURN)
    row["session"] = name_hash("session " + session)
    row["speaker"], row["first_name"] = name_hash(speaker), name_hash(first)
    row["offset"] = min(max(offset, 0), 2**32 - 1)
    row["day"] = day_of(time)
    row["is_asker"] = role == "user"
    row["asks"] = text.rstrip().endswith("?")
    return row.tobytes()


def day_of(time: str) -> int:
    """The day of an instant, counted from year 1; 0 when it is unknown."""
    return 0 if not time or time == UNKNOWN_TIME else date.fromisoformat(time[:10]).toordinal()


def read_turns(blobs: Sequence[bytes]) -> NDArray[np.void]:
    """The tails of packed columns, a row a turn (dtype TURN)."""
    return np.frombuffer(b"".join(blob[-TURN.itemsize :] for blob in blobs), dtype=TURN)
