"""`doctor`: is everything there that Quipu needs, and what to do where it is not.

A check is a function: each looks, none changes anything.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from quipu.config import Config, EmbedConfig, environment
from quipu.embed.remote import is_remote, open_remote
from quipu.embed.weights import MODEL_NAME, find_model
from quipu.errors import (
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
from quipu.memory.recovery import SalvagedRecords, damage, salvage_into
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.text import ago
from quipu.serve.operations import Command, operation
from quipu.serve.shapes import Check, Checkup
from quipu.trust import standing
from quipu.when.instants import system_clock

__all__: list[str] = []

_OLDEST_PYTHON = (3, 11)
_SAFE_SQLITE = (3, 51, 3)
_LITTLE_SPACE = 200 * 1024 * 1024


@operation(None, Command(fails=lambda found: isinstance(found, Checkup) and not found.ok))
def doctor(
    run: Invocation,
    salvage: Annotated[
        Path | None,
        "write what can be read of a damaged store into a new one here, and say what is lost",
    ] = None,
) -> Checkup | SalvagedRecords:
    """Check Python, SQLite, the configuration, the model, the store and the disk.

    Each line is ok, warn or fail, and says what to do; exit code 1 when one is fail. Every page
    of the store is verified, those that nothing uses too.

    $ quipu doctor
    $ quipu doctor --salvage .quipu/new.db
    """
    if salvage is not None:
        home = find_home(run.store or run.config().store.url or None)
        return salvage_into(home, salvage, clock=system_clock)
    checks = tuple(_examine(run))
    return Checkup(ok=all(check.status != "fail" for check in checks), checks=checks)


def _examine(run: Invocation) -> Iterator[Check]:
    """Every check, in order; one that raises is itself a failed check."""
    yield _python()
    yield _sqlite()
    try:
        config = run.config()
    except QuipuError as error:
        yield Check("configuration", "fail", str(error))
        return
    yield Check("configuration", "ok", "readable, every key known")
    yield from _models(config.embed)
    try:
        home = find_home(run.store or config.store.url or None)
    except QuipuError as error:
        yield Check("store", "fail", str(error))
        return
    yield _made_here(home)
    yield _writable(home)
    yield from _private(home)
    yield _space(home)
    yield from _store(run, home)


def _python() -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info >= _OLDEST_PYTHON:
        return Check("python", "ok", version)
    return Check("python", "fail", version, "install Python 3.11 or later")


def _sqlite() -> Check:
    import apsw

    version = apsw.sqlite_lib_version()
    if tuple(int(part) for part in version.split(".")) >= _SAFE_SQLITE:
        return Check("sqlite", "ok", version)
    return Check(
        "sqlite",
        "fail",
        f"{version} can damage a file that several processes write",
        "install apsw 3.51.3 or later: pip install --upgrade apsw",
    )


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
        return Check(name, "ok", f"{key} is none: words and graph only")
    if is_remote(config.model):
        return _remote(name, config)
    try:
        folder = Path(config.folder).expanduser() if config.folder else None
        files = find_model(folder)
    except MissingModel as error:
        return Check(name, "warn", f"words and graph only: {error}")
    except WrongWeights as error:
        return Check(name, "fail", str(error))
    return Check(name, "ok", f"{MODEL_NAME}, SHA-256 right, {files.weights}")


def _remote(name: str, config: EmbedConfig) -> Check:
    """Whether a remote model could be asked; it is not, for that would cost something."""
    try:
        space = open_remote(config, environment()).space
    except (InvalidConfig, ModelUnavailable) as error:
        return Check(name, "warn", str(error))
    if find_spec("openai") is None:
        return Check(
            name,
            "warn",
            f"{config.model} needs the extra openai",
            "pip install 'quipu-memory[openai]'",
        )
    return Check(name, "ok", f"{space}, with a key where it needs one")


def _made_here(home: Home) -> Check:
    if home.state is None or standing(home.state) != "foreign":
        return Check("trust", "ok", "no .quipu that somebody else made")
    return Check(
        "trust",
        "warn",
        f"{home.state} was not made by you on this machine; unless --store names it, it is "
        "only read",
        f"quipu trust {home.folder}, if it is yours",
    )


def _writable(home: Home) -> Check:
    nearest = _present(home.state or home.folder)
    if os.access(nearest, os.W_OK | os.X_OK):
        return Check("permission", "ok", f"{nearest} can be written")
    return Check(
        "permission",
        "warn",
        f"{nearest} cannot be written; asking works, indexing does not",
        "change its permissions, or name another store with --store",
    )


def _private(home: Home) -> Iterator[Check]:
    """What others may read; nothing where that is nothing."""
    from quipu.files import checked, private

    database = database_of(home)
    kept = [*(checked.database_files(database) if database else ())]
    kept += private.under(home.state) if home.state else ()
    if wide := private.wide(kept):
        yield Check(
            "privacy",
            "warn",
            f"others may read {wide[0]}"
            + (f" and {len(wide) - 1:,} more" if len(wide) > 1 else ""),
            "the next command that writes takes these rights away: quipu index",
        )


def _space(home: Home) -> Check:
    free = shutil.disk_usage(_present(home.folder)).free
    detail = f"{free / 1e9:.1f} GB free"
    if free >= _LITTLE_SPACE:
        return Check("disk", "ok", detail)
    return Check("disk", "warn", detail, "free some space before indexing")


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
        yield Check("store", "fail", str(error))
        return
    chunks = status.counts.get("chunk", 0)
    yield Check(
        "store",
        "ok",
        f"{status.store} opens and is whole{_unchecked(home)}; {chunks:,} passages "
        f"in namespace {status.namespace!r}, generation {status.generation}",
    )
    yield _age(status, config.index.stale_hours)
    yield _coverage(status, chunks, embedding=_embeds(config.embed))


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


def _embeds(config: EmbedConfig) -> bool:
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
    for path, faults in damage(home):
        yield Check(
            "store",
            "fail",
            f"{path} is damaged: {'; '.join(faults)}",
            "keep a copy, then put back a backup (quipu restore) or keep what can be read "
            "(quipu doctor --salvage NEW.db); files can be indexed again, what was added by hand "
            "cannot",
        )


def _age(status: Status, stale_hours: float) -> Check:
    if status.age_s is None:
        return Check("index", "warn", "nothing was indexed yet", "quipu index .")
    detail = ago(status.age_s)
    if not status.stale:
        return Check("index", "ok", detail)
    return Check("index", "warn", f"{detail}, more than {stale_hours:g} hours", "quipu index .")


def _coverage(status: Status, chunks: int, *, embedding: bool) -> Check:
    if not chunks:
        return Check("vectors", "ok", "no passages")
    if not embedding:
        return Check("vectors", "ok", "none wanted: embed.model is none")
    share = (chunks - status.unembedded) / chunks
    detail = f"{share:.0%} of {chunks:,} passages"
    if not status.unembedded:
        return Check("vectors", "ok", detail)
    remedy = "quipu index . embeds the rest" if status.model else "quipu model fetch"
    return Check("vectors", "warn", detail, remedy)
