"""The words that passages are found by, counted anew."""

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
    chunk_ids = [chunk.chunk_id for chunk in every(store, Chunk) if not chunk.text.isascii()]
    changed = 0
    for at in range(0, len(chunk_ids), _PAGE):
        changed += _recounted(store, chunk_ids[at : at + _PAGE], clock)
    return changed


def _recounted(store: Store, chunk_ids: list[str], clock: Clock) -> int:
    before = store.numbers(chunk_ids)
    chunks = store.chunks(before[before >= 0])
    indexed = tuple(profile(chunk.profile).index_chunk(chunk) for chunk in chunks)
    store.write(Batch(recorded_at=clock(), chunks=indexed))
    return int(np.count_nonzero(before != store.numbers(chunk_ids)))
