"""The write way for one memory: what its configuration means for indexing."""

from quipu.config import Config
from quipu.domain.instants import Clock
from quipu.ingest.options import IndexOptions
from quipu.ingest.run import Indexer
from quipu.memory.home import Home
from quipu.memory.model import Model
from quipu.ports import Store


def indexer(store: Store, home: Home, config: Config, model: Model, clock: Clock) -> Indexer:
    """The indexer of a store."""
    from quipu import __version__

    options = IndexOptions(
        max_bytes=config.index.max_bytes,
        include=config.index.include,
        exclude=config.index.exclude,
        workers=config.index.workers,
        threads=config.embed.threads,
        cache_bytes=config.embed.cache_mb * 1_000_000,
        extract=config.ingest.extract == "rules",
        refuse_junk=config.ingest.junk == "refuse",
    )
    return Indexer(
        store,
        home=home.folder,
        state=home.state,
        options=options,
        embedder=model.get,
        clock=clock,
        maker=f"{home.url} {__version__}",
    )
