"""The words that passages are found by, counted anew."""

import logging
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np

from quipu.limits import TEXTS_AT_ONCE
from quipu.ports import Store, every
from quipu.profiles import profile
from quipu.records.batch import Batch
from quipu.records.record import Chunk
from quipu.when.instants import Clock
from quipu.write.state_files import WORDS, hint_file, replace_file

__all__ = ["recount_once", "recount_words"]

_log = logging.getLogger(__name__)

_VERSION = "3"
"""What `text.tokens` and its stems make of a text: another number counts every memory anew."""
_COUNTED_ANEW = (
    "%s passages in other languages than English are now found by more of their words: an earlier "
    "version had divided these otherwise, and they were counted anew, once"
)
_READ_FROM_FACTS = (("turn-states", "instructs"),)
"""Fields and terms that say what was read from a passage, not which words it has."""


def recount_words(store: Store, clock: Clock) -> int:
    """Index the passages in other than ASCII letters by the words that `text.tokens` gives today;
    return how many had others. Their vectors are gone afterwards.

    A page is one atomic write, so a killed run goes on where it stopped.
    """
    chunks = (chunk for chunk in every(store, Chunk) if not chunk.text.isascii())
    changed = 0
    while page := list(islice(chunks, TEXTS_AT_ONCE)):
        changed += _recounted(store, page, clock)
    return changed


def _recounted(store: Store, chunks: list[Chunk], clock: Clock) -> int:
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    before = store.numbers(chunk_ids)
    indexed = [profile(chunk.profile).index_chunk(chunk) for chunk in chunks]
    for field, term in _READ_FROM_FACTS:
        stated = store.frequencies(field, [term], before).tf[:, 0].tolist()
        for each, count in zip(indexed, stated, strict=True):
            if count:
                each.fields[field] = {term: count}
    store.write(Batch(recorded_at=clock(), chunks=tuple(indexed)))
    return int(np.count_nonzero(before != store.numbers(chunk_ids)))


def recount_once(store: Store, clock: Clock, state: Path | None, key: str) -> None:
    """`recount_words` where this version did not do that yet in the store that the local state
    knows by `key`; say so in the log where it found any."""
    mark = hint_file(WORDS, state, key)
    if mark is None:
        return
    with suppress(OSError, UnicodeDecodeError):
        if mark.read_text() == _VERSION:
            return
    if count := recount_words(store, clock):
        _log.warning(_COUNTED_ANEW, f"{count:,}")
    replace_file(mark, _VERSION.encode())
