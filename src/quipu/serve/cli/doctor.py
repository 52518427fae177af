"""`doctor`: is everything there that Quipu needs, and what to do where it is not.

A check is a function: each looks, none changes anything. `doctor.toml` has what they say.
"""

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import msgspec

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
from quipu.handle.home import Home, find_home
from quipu.handle.models import settings_of
from quipu.handle.status import Status
from quipu.memory.recovery import SalvagedRecords, damage, salvage_into
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.text import ago
from quipu.serve.operations import Command, operation
from quipu.serve.setup.hook import state_folder
from quipu.tables import read_table
from quipu.trust import standing
from quipu.when.instants import system_clock

__all__: list[str] = []

_SAFE_SQLITE = (3, 51, 3)
_LITTLE_SPACE_GB = 0.2
_NO_CHECKSUMS = (
    " as far as SQLite can tell (its pages have no checksums yet: the next command that writes "
    "while nothing else has it open adds them)"
)


class Check(msgspec.Struct, frozen=True):
    """One line of `quipu doctor`."""

    name: Annotated[str, "what was checked"]
    status: Annotated[str, "`ok`, `warn` or `fail`"]
    detail: Annotated[str, "what was found"]
    remedy: Annotated[str, "what to do about it; empty when nothing"] = ""


class Checkup(msgspec.Struct, frozen=True, kw_only=True):
    """`quipu doctor`."""

    ok: Annotated[bool, "false when a check failed (exit code 1)"]
    checks: Annotated[tuple[Check, ...], "every check, in order"]


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
    name = "configuration"
    yield from _programs()
    yield _hooks()
    try:
        config = run.config()
        yield _judged(name, fine=True)
        yield from _models(config.embed)
        name = "store"
        home = find_home(run.store or config.store.url or None)
        yield from _place(home)
        damaged = [
            _judged("damage", None, path=path, faults="; ".join(faults))
            for path, faults in damage(home)
        ]
        yield from damaged or _store(run, home)
    except QuipuError as error:
        yield Check(name, "fail", str(error))


@cache
def _texts() -> dict[str, dict[str, str]]:
    return read_table("quipu.serve.cli", "doctor.toml")


def _judged(key: str, fine: object, *, name: str = "", **found: object) -> Check:
    """Return the check that `doctor.toml` has under `key`; ok where what was found is `fine`."""
    said = _texts()[key]
    name, detail = name or said.get("name", key), said["ok"]
    if fine:
        return Check(name, "ok", detail.format(**found))
    detail = said.get("otherwise", detail).format(**found)
    return Check(name, said.get("bad", "warn"), detail, said.get("remedy", "").format(**found))


def _programs() -> Iterator[Check]:
    import apsw

    sqlite = apsw.sqlite_lib_version()
    is_safe = tuple(int(part) for part in sqlite.split(".")) >= _SAFE_SQLITE
    yield _judged("python", sys.version_info >= (3, 11), found=platform.python_version())
    yield _judged("sqlite", is_safe, found=sqlite)


def _models(config: EmbedConfig) -> Iterator[Check]:
    """`embed.model`, then each content type's own."""
    yield _model("model", config)
    for kind, named in sorted(config.types.items()):
        if named != config.model:
            own = settings_of(named, config, config.types.values())
            yield _model(f"model of {kind}", own)


def _model(name: str, config: EmbedConfig) -> Check:
    """Whether a model could be asked. A remote one is not, for that would cost something."""
    if config.model == "none":
        key = "embed.model" if name == "model" else "it"
        return Check(name, "ok", f"{key} is none: words and graph only")
    try:
        if not is_remote(config.model):
            files = find_model(Path(config.folder).expanduser() if config.folder else None)
            return Check(name, "ok", f"{MODEL_NAME}, SHA-256 right, {files.weights}")
        space = open_remote(config, environment()).space
    except MissingModel as error:
        return Check(name, "warn", f"words and graph only: {error}")
    except WrongWeights as error:
        return Check(name, "fail", str(error))
    except (InvalidConfig, ModelUnavailable) as error:
        return Check(name, "warn", str(error))
    return _judged("model", find_spec("openai"), name=name, space=space, model=config.model)


def _place(home: Home) -> Iterator[Check]:
    """Whose the folder is, whether it can be written, what others may read, the disk."""
    from quipu.files import checked, private

    is_own = home.state is None or standing(home.state) != "foreign"
    yield _judged("trust", is_own, state=home.state, folder=home.folder)
    nearest = _present(home.state or home.folder)
    yield _judged("permission", os.access(nearest, os.W_OK | os.X_OK), nearest=nearest)
    database = home.database
    kept = [*(checked.database_files(database) if database else ())]
    kept += private.under(home.state) if home.state else ()
    if wide := private.wide(kept):
        more = f" and {len(wide) - 1:,} more" if len(wide) > 1 else ""
        yield _judged("privacy", None, found=f"{wide[0]}{more}")
    free_gb = shutil.disk_usage(_present(home.folder)).free / 1e9
    yield _judged("disk", free_gb >= _LITTLE_SPACE_GB, free=free_gb)


def _hooks() -> Check:
    """Whether hooks of agents take in what is said."""
    state = Path(state_folder())
    log = state / "log"
    said = log.read_text("utf-8", "replace").splitlines()[-1:] if log.exists() else []
    waiting = len(list(state.glob("noted/*.json")))
    if (state / "paused").exists():
        return _judged("paused", None)
    return _judged("hooks", not (said and waiting), waiting=waiting, said=" ".join(said))


def _present(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that is there."""
    return next((each for each in (folder, *folder.parents) if each.exists()), folder)


def _store(run: Invocation, home: Home) -> Iterator[Check]:
    from quipu.files.whole import has_checksums

    status, config = _opened(run)
    chunks, path = status.counts.get("chunk", 0), home.database
    yield _judged(
        "store",
        fine=True,
        store=status.store,
        so_far="" if path is None or has_checksums(path) else _NO_CHECKSUMS,
        chunks=chunks,
        namespace=status.namespace,
        generation=status.generation,
    )
    if status.age_s is None:
        yield _judged("empty", None)
    else:
        age, hours = ago(status.age_s), config.index.stale_hours
        yield _judged("index", not status.stale, age=age, hours=hours)
    if not chunks:
        yield Check("vectors", "ok", "no passages")
    elif all(model == "none" for model in (config.embed.model, *config.embed.types.values())):
        yield Check("vectors", "ok", "none wanted: embed.model is none")
    else:
        key, lacking = "vectors" if status.model else "unfetched", status.unembedded
        yield _judged(key, not lacking, share=(chunks - lacking) / chunks, chunks=chunks)


def _opened(run: Invocation) -> tuple[Status, Config]:
    """How the memory is. A model that is wrong or missing is a check of its own, so that the
    store is then looked at without it."""
    try:
        with run.open(read_only=True) as memory:
            return memory.stats(), memory.config
    except (InvalidConfig, WrongWeights, MissingModel, MissingExtra, ModelUnavailable):
        with run.open(read_only=True, embedding=False) as memory:
            return memory.stats(), run.config()
