"""Erasing sources: from the store, and from the cache what the model made of them."""

from collections.abc import Sequence
from pathlib import Path

from quipu.domain.records import Chunk
from quipu.embed.cache import VectorCache, content_key
from quipu.ports import Store
from quipu.retrieve.profiles import profile

__all__ = ["forget"]


def forget(store: Store, source_refs: Sequence[str], *, cache_file: Path | None) -> int:
    """Erase sources with all that only they said, and the reports a line of which rests on them;
    how many episodes of these sources went.

    The cache knows vectors by the text they were made of. Where that text cannot be told any more
    (turns are read among their neighbours of that day, and what was replaced long ago is not
    looked for), the whole cache is emptied: it only saves work.
    """
    from quipu.reflect.keeping import quoting  # seldom needed, and indexing need not wait for it

    wanted = set(source_refs)
    episodes = [s.episode_id for s in store.sources() if s.source_ref in wanted]
    periods = [each for held in store.periods(episodes).values() for each in held]
    chunks = [each.record for each in periods if isinstance(each.record, Chunk)]
    known = not any(profile(chunk.profile).embedding_text_among for chunk in chunks)
    keys = {content_key(*profile(c.profile).embedding_text(c)) for c in chunks} if known else None
    quoted = quoting(store, wanted)  # nothing that was forgotten stays in a report
    erased = store.forget(sorted({*wanted, *quoted})) - len(set(quoted) - wanted)
    if late := quoting(store, wanted):  # written since they were looked for
        store.forget(late)
    if erased and cache_file is not None and cache_file.exists():
        cache = VectorCache(cache_file)
        try:
            cache.erase(keys if erased == len(episodes) else None)
        finally:
            cache.close()
    return erased
