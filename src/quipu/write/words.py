"""The words that passages are found by, counted anew."""

from itertools import islice

import numpy as np

from quipu.ports import Store, every
from quipu.profiles import profile
from quipu.records.batch import Batch
from quipu.records.record import Chunk
from quipu.when.instants import Clock

_PAGE = 256  # passages of one write


def recount_words(store: Store, clock: Clock) -> int:
    """Index the passages in other than ASCII letters by the words that `text.tokens` gives today;
    return how many had others. Their vectors are gone afterwards.

    A page is one atomic write, so a killed run goes on where it stopped.
    """
    chunks = (chunk for chunk in every(store, Chunk) if not chunk.text.isascii())
    changed = 0
    while page := list(islice(chunks, _PAGE)):
        changed += _recounted(store, page, clock)
    return changed


def _recounted(store: Store, chunks: list[Chunk], clock: Clock) -> int:
    chunk_ids = [chunk.chunk_id for chunk in chunks]
    before = store.numbers(chunk_ids)
    indexed = tuple(profile(chunk.profile).index_chunk(chunk) for chunk in chunks)
    store.write(Batch(recorded_at=clock(), chunks=indexed))
    return int(np.count_nonzero(before != store.numbers(chunk_ids)))
