"""The write way for one memory: what its configuration means for indexing."""

from collections.abc import Callable
from pathlib import Path

from quipu.config import Config, IndexConfig
from quipu.handle.home import Home
from quipu.handle.models import Models
from quipu.ports import Store
from quipu.resolve import Authority
from quipu.when.instants import Clock
from quipu.write.dropped import Dropped
from quipu.write.guard import Guard
from quipu.write.limits import Limits
from quipu.write.options import IndexOptions
from quipu.write.run import Indexer


def indexer(
    store: Store,
    home: Home,
    config: Config,
    models: Models,
    clock: Clock,
    *,
    dropped: Callable[[], Dropped],
) -> Indexer:
    """The indexer of a store; `dropped` says what it must not write."""
    from quipu.version import VERSION

    authority = Authority.of(config.sources.vendored, config.sources.may_assert)
    options = IndexOptions(
        max_bytes=config.index.max_bytes,
        limits=_limits(config.index),
        include=config.index.include,
        exclude=(*config.index.exclude, *_key_files(config, home)),
        credentials=config.index.credentials,
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
        dropped=dropped,
        maker=f"{home.url} {VERSION} {authority.mark}".strip(),
    )


def reading_guard(index: IndexConfig) -> Guard:
    """What calls readers of files that are not indexed."""
    return Guard(_limits(index))


def _limits(index: IndexConfig) -> Limits:
    return Limits(index.max_seconds, index.max_memory_mb * 1_000_000)


def _key_files(config: Config, home: Home) -> list[str]:
    """The files with keys that lie in the folder, as patterns: they are not read into memory."""
    given = [f for f in (config.embed.key_file, config.chat.key_file) if f]
    paths = [(home.folder / Path(f).expanduser()).resolve() for f in given]
    root = home.folder.resolve()
    return [f"/{p.relative_to(root).as_posix()}" for p in paths if p.is_relative_to(root)]
