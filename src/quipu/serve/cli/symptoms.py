"""The checks of `quipu doctor`, one a function: each looks, none changes anything."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from quipu.config import Config, EmbedConfig, environment
from quipu.embed.remote import is_remote, open_remote
from quipu.embed.weights import MODEL_NAME, find_model
from quipu.errors import (  # fmt: skip
    InvalidConfig,
    MissingExtra,
    MissingModel,
    ModelUnavailable,
    QuipuError,
    WrongWeights,
)
from quipu.handle.home import Home, database_of, find_home
from quipu.handle.models import settings_of
from quipu.handle.status import Status
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.shapes import Check
from quipu.serve.cli.view_state import ago
from quipu.trust import standing

__all__ = ["examine"]

_OLDEST_PYTHON = (3, 11)
_SAFE_SQLITE = (3, 51, 3)
_LITTLE_SPACE = 200 * 1024 * 1024


def examine(run: Invocation) -> Iterator[Check]:
    """Every check, in order; one that raises is itself a failed check."""
    yield _python()
    yield _sqlite()
    yield _faiss()
    try:
        config = run.config()
    except QuipuError as error:
        yield Check(name="configuration", status="fail", detail=str(error))
        return
    yield Check(name="configuration", status="ok", detail="readable, every key known")
    yield from _models(config.embed)
    try:
        home = find_home(run.store or config.store.url or None)
    except QuipuError as error:
        yield Check(name="store", status="fail", detail=str(error))
        return
    yield _made_here(home)
    yield _writable(home)
    yield from _private(home)
    yield _space(home)
    yield from _store(run, home)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _OLDEST_PYTHON:
        return Check(name="python", status="ok", detail=version)
    return Check(
        name="python", status="fail", detail=version, remedy="install Python 3.11 or later"
    )


def _sqlite() -> Check:
    import apsw

    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) >= _SAFE_SQLITE:
        return Check(name="sqlite", status="ok", detail=version)
    return Check(
        name="sqlite",
        status="fail",
        detail=f"{version} can damage a file that several processes write",
        remedy="install apsw 3.51.3 or later: pip install --upgrade apsw",
    )


def _faiss() -> Check:
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec

    if find_spec("faiss") is None:
        return Check(
            name="faiss",
            status="warn",
            detail="not installed; search among very many vectors is slow without it",
            remedy="pip install faiss-cpu",
        )
    try:
        return Check(name="faiss", status="ok", detail=version("faiss-cpu"))
    except PackageNotFoundError:
        return Check(name="faiss", status="ok", detail="installed")


def _models(config: EmbedConfig) -> Iterator[Check]:
    """`embed.model`, then each content type's own."""
    yield _model("model", config)
    for kind, named in sorted(config.types.items()):
        if named != config.model:
            own = settings_of(named, config, config.types.values())
            yield _model(f"model of {kind}", own)


def _model(name: str, config: EmbedConfig) -> Check:
    if config.model == "none":
        key = "embed.model" if name == "model" else "it"
        return Check(name=name, status="ok", detail=f"{key} is none: words and graph only")
    if is_remote(config.model):
        return _remote(name, config)
    try:
        folder = Path(config.folder).expanduser() if config.folder else None
        files = find_model(folder)
    except MissingModel as error:
        return Check(name=name, status="warn", detail=f"words and graph only: {error}")
    except WrongWeights as error:
        return Check(name=name, status="fail", detail=str(error))
    return Check(name=name, status="ok", detail=f"{MODEL_NAME}, SHA-256 right, {files.weights}")


def _remote(name: str, config: EmbedConfig) -> Check:
    """Whether a remote model could be asked; it is not, for that would cost something."""
    try:
        space = open_remote(config, environment()).space
    except (InvalidConfig, ModelUnavailable) as error:
        return Check(name=name, status="warn", detail=str(error))
    if find_spec("openai") is None:
        return Check(name=name, status="warn", detail=f"{config.model} needs the extra openai",
                     remedy="pip install 'quipu-memory[openai]'")  # fmt: skip
    return Check(name=name, status="ok", detail=f"{space}, with a key where it needs one")


def _made_here(home: Home) -> Check:
    if home.state is None or standing(home.state) != "foreign":
        return Check(name="trust", status="ok", detail="no .quipu that somebody else made")
    return Check(
        name="trust",
        status="warn",
        detail=f"{home.state} was not made by you on this machine; unless --store names it, it is "
        "only read",
        remedy=f"quipu trust {home.folder}, if it is yours",
    )


def _writable(home: Home) -> Check:
    nearest = _present(home.state or home.folder)
    if os.access(nearest, os.W_OK | os.X_OK):
        return Check(name="permission", status="ok", detail=f"{nearest} can be written")
    return Check(
        name="permission",
        status="warn",
        detail=f"{nearest} cannot be written; asking works, indexing does not",
        remedy="change its permissions, or name another store with --store",
    )


def _private(home: Home) -> Iterator[Check]:
    """What others may read; nothing where that is nothing."""
    from quipu.files import checked, private

    database = database_of(home)
    kept = [*(checked.beside(database) if database else ())]
    kept += private.under(home.state) if home.state else ()
    if wide := private.wide(kept):
        yield Check(
            name="privacy",
            status="warn",
            detail=f"others may read {wide[0]}"
            + (f" and {len(wide) - 1:,} more" if len(wide) > 1 else ""),
            remedy="the next command that writes takes these rights away: quipu index",
        )


def _space(home: Home) -> Check:
    free = shutil.disk_usage(_present(home.folder)).free
    detail = f"{free / 1e9:.1f} GB free"
    if free >= _LITTLE_SPACE:
        return Check(name="disk", status="ok", detail=detail)
    return Check(
        name="disk", status="warn", detail=detail, remedy="free some space before indexing"
    )


def _present(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that is there."""
    return next((each for each in (folder, *folder.parents) if each.exists()), folder)


def _store(run: Invocation, home: Home) -> Iterator[Check]:
    damaged = tuple(_damage(home))
    yield from damaged
    if damaged:
        return
    try:
        status, config = _opened(run)
    except QuipuError as error:
        yield Check(name="store", status="fail", detail=str(error))
        return
    chunks = status.counts.get("chunk", 0)
    yield Check(
        name="store",
        status="ok",
        detail=f"{status.store} opens and is whole{_unchecked(home)}; {chunks:,} passages "
        f"in namespace {status.namespace!r}, generation {status.generation}",
    )
    yield _age(status, config.index.stale_hours)
    yield _coverage(status, chunks, wanted=_is_wanted(config.embed))


def _unchecked(home: Home) -> str:
    """That damage would not be noticed, where it would not."""
    from quipu.files.whole import has_checksums

    path = database_of(home)
    if path is None or has_checksums(path):
        return ""
    return (
        " as far as SQLite can tell (its pages have no checksums yet: the next command that "
        "writes while nothing else has it open adds them)"
    )


def _is_wanted(config: EmbedConfig) -> bool:
    """Whether anything is to have a vector."""
    return any(model != "none" for model in (config.model, *config.types.values()))


def _opened(run: Invocation) -> tuple[Status, Config]:
    """How the memory is. A model that is wrong or missing is a check of its own, so that the
    store is then looked at without it."""
    try:
        with run.open(read_only=True) as memory:
            return memory.stats(), memory.config
    except (InvalidConfig, WrongWeights, MissingModel, MissingExtra, ModelUnavailable):
        with run.open(read_only=True, embedding=False) as memory:
            return memory.stats(), run.config()


def _damage(home: Home) -> Iterator[Check]:
    """A failed check for every file that is not as it was written."""
    from quipu.memory.recovery import damage

    for path, faults in damage(home):
        yield Check(
            name="store",
            status="fail",
            detail=f"{path} is damaged: {'; '.join(faults)}",
            remedy="keep a copy, then put back a backup (quipu restore) or keep what can be read "
            "(quipu doctor --salvage NEW.db); files can be indexed again, what was added by hand "
            "cannot",
        )


def _age(status: Status, stale_hours: float) -> Check:
    if status.age_s is None:
        return Check(
            name="index", status="warn", detail="nothing was indexed yet", remedy="quipu index ."
        )
    detail = f"last run {ago(status.age_s)} ago"
    if not status.stale:
        return Check(name="index", status="ok", detail=detail)
    return Check(
        name="index",
        status="warn",
        detail=f"{detail}, more than {stale_hours:g} hours",
        remedy="quipu index .",
    )


def _coverage(status: Status, chunks: int, *, wanted: bool) -> Check:
    if not chunks:
        return Check(name="vectors", status="ok", detail="no passages")
    if not wanted:
        return Check(name="vectors", status="ok", detail="none wanted: embed.model is none")
    share = (chunks - status.unembedded) / chunks
    detail = f"{share:.0%} of {chunks:,} passages"
    if not status.unembedded:
        return Check(name="vectors", status="ok", detail=detail)
    remedy = "quipu index . embeds the rest" if status.model else "quipu model fetch"
    return Check(name="vectors", status="warn", detail=detail, remedy=remedy)
