"""The write way for one memory: what its configuration means for indexing."""

from pathlib import Path

from quipu.config import Config
from quipu.domain.instants import Clock
from quipu.ingest.options import IndexOptions
from quipu.ingest.run import Indexer
from quipu.memory.home import Home
from quipu.memory.models import Models
from quipu.ports import Store
from quipu.resolve import Authority


def indexer(store: Store, home: Home, config: Config, models: Models, clock: Clock) -> Indexer:
    """The indexer of a store."""
    from quipu import __version__

    authority = Authority.of(config.sources.vendored, config.sources.may_assert)
    options = IndexOptions(
        max_bytes=config.index.max_bytes,
        include=config.index.include,
        exclude=(*config.index.exclude, *_key_files(config, home)),
        workers=config.index.workers,
        threads=config.embed.threads,
        cache_bytes=config.embed.cache_mb * 1_000_000,
        extract=config.ingest.extract != "off",
        refuse_junk=config.ingest.junk == "refuse",
        authority=authority,
    )
    return Indexer(
        store,
        home=home.folder,
        state=home.state,
        options=options,
        shelves=models.shelves(),
        clock=clock,
        maker=f"{home.url} {__version__} {authority.mark}".strip(),
    )


def _key_files(config: Config, home: Home) -> list[str]:
    """The files with keys that lie in the folder, as patterns: they are not read into memory."""
    given = [f for f in (config.embed.key_file, config.chat.key_file) if f]
    paths = [(home.folder / Path(f).expanduser()).resolve() for f in given]
    root = home.folder.resolve()
    return [f"/{p.relative_to(root).as_posix()}" for p in paths if p.is_relative_to(root)]
