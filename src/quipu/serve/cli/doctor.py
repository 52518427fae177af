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
from quipu.handle.home import Home, database_of, find_home
from quipu.handle.models import settings_of
from quipu.handle.status import Status
from quipu.memory.recovery import SalvagedRecords, damage, salvage_into
from quipu.serve.cli.invocation import Invocation
from quipu.serve.cli.text import ago
from quipu.serve.operations import Command, operation
from quipu.serve.setup.hook import state_folder
from quipu.trust import standing
from quipu.when.instants import system_clock

__all__: list[str] = []

_OLDEST_PYTHON = (3, 11)
_SAFE_SQLITE = (3, 51, 3)
_LITTLE_SPACE = 200 * 1024 * 1024
_MEND = (
    "keep a copy, then put back a backup (quipu restore) or keep what can be read (quipu doctor "
    "--salvage NEW.db); files can be indexed again, what was added by hand cannot"
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
        yield Check(name, "ok", "readable, every key known")
        yield from _models(config.embed)
        name = "store"
        home = find_home(run.store or config.store.url or None)
        yield from _place(home)
        damaged = [
            Check(name, "fail", f"{path} is damaged: {'; '.join(faults)}", _MEND)
            for path, faults in damage(home)
        ]
        yield from damaged or _store(run, home)
    except QuipuError as error:
        yield Check(name, "fail", str(error))


def _judged(
    name: str,
    fine: object,
    detail: str,
    *,
    otherwise: str = "",
    remedy: str = "",
    bad: str = "warn",
) -> Check:
    """A check that is ok where what was looked at is `fine`, else `bad`."""
    return Check(name, "ok", detail) if fine else Check(name, bad, otherwise or detail, remedy)


def _programs() -> Iterator[Check]:
    import apsw

    python, sqlite = ".".join(map(str, sys.version_info[:3])), apsw.sqlite_lib_version()
    yield _judged(
        "python",
        sys.version_info >= _OLDEST_PYTHON,
        python,
        remedy="install Python 3.11 or later",
        bad="fail",
    )
    yield _judged(
        "sqlite",
        tuple(int(part) for part in sqlite.split(".")) >= _SAFE_SQLITE,
        sqlite,
        otherwise=f"{sqlite} can damage a file that several processes write",
        remedy="install apsw 3.51.3 or later: pip install --upgrade apsw",
        bad="fail",
    )


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
    return _judged(
        name,
        find_spec("openai"),
        f"{space}, with a key where it needs one",
        otherwise=f"{config.model} needs the extra openai",
        remedy="pip install 'quipu-memory[openai]'",
    )


def _place(home: Home) -> Iterator[Check]:
    """Whose the folder is, whether it can be written, what others may read, the disk."""
    from quipu.files import checked, private

    yield _judged(
        "trust",
        home.state is None or standing(home.state) != "foreign",
        "no .quipu that somebody else made",
        otherwise=f"{home.state} was not made by you on this machine; unless --store names it, "
        "it is only read",
        remedy=f"quipu trust {home.folder}, if it is yours",
    )
    nearest = _present(home.state or home.folder)
    yield _judged(
        "permission",
        os.access(nearest, os.W_OK | os.X_OK),
        f"{nearest} can be written",
        otherwise=f"{nearest} cannot be written; asking works, indexing does not",
        remedy="change its permissions, or name another store with --store",
    )
    database = database_of(home)
    kept = [*(checked.database_files(database) if database else ())]
    kept += private.under(home.state) if home.state else ()
    if wide := private.wide(kept):
        more = f" and {len(wide) - 1:,} more" if len(wide) > 1 else ""
        yield Check(
            "privacy",
            "warn",
            f"others may read {wide[0]}{more}",
            "the next command that writes takes these rights away: quipu index",
        )
    free = shutil.disk_usage(_present(home.folder)).free
    yield _judged(
        "disk",
        free >= _LITTLE_SPACE,
        f"{free / 1e9:.1f} GB free",
        remedy="free some space before indexing",
    )


def _hooks() -> Check:
    """Whether hooks of agents take in what is said."""
    state = Path(state_folder())
    log = state / "log"
    said = log.read_text("utf-8", "replace").splitlines()[-1:] if log.exists() else []
    waiting = len(list(state.glob("noted/*.json")))
    if (state / "paused").exists():
        return Check("hooks", "warn", "paused, somewhere or anywhere", "quipu pause --off")
    if said and waiting:
        return Check("hooks", "warn", f"{waiting} transcripts wait: {said[0]}")
    return Check("hooks", "ok", f"{waiting} transcripts wait to be taken in")


def _present(folder: Path) -> Path:
    """`folder`, or the nearest folder above it that is there."""
    return next((each for each in (folder, *folder.parents) if each.exists()), folder)


def _store(run: Invocation, home: Home) -> Iterator[Check]:
    from quipu.files.whole import has_checksums

    status, config = _opened(run)
    chunks, path = status.counts.get("chunk", 0), database_of(home)
    whole = f"{status.store} opens and is whole"
    if path is not None and not has_checksums(path):
        whole += (
            " as far as SQLite can tell (its pages have no checksums yet: the next command that "
            "writes while nothing else has it open adds them)"
        )
    yield Check(
        "store",
        "ok",
        f"{whole}; {chunks:,} passages in namespace {status.namespace!r}, generation "
        f"{status.generation}",
    )
    age, hours = ago(status.age_s), config.index.stale_hours
    if status.age_s is None:
        yield Check("index", "warn", "nothing was indexed yet", "quipu index .")
    else:
        old = f"{age}, more than {hours:g} hours"
        yield _judged("index", not status.stale, age, otherwise=old, remedy="quipu index .")
    yield _coverage(status, chunks, config.embed)


def _coverage(status: Status, chunks: int, config: EmbedConfig) -> Check:
    if not chunks:
        return Check("vectors", "ok", "no passages")
    if all(model == "none" for model in (config.model, *config.types.values())):
        return Check("vectors", "ok", "none wanted: embed.model is none")
    share = (chunks - status.unembedded) / chunks
    return _judged(
        "vectors",
        not status.unembedded,
        f"{share:.0%} of {chunks:,} passages",
        remedy="quipu index . embeds the rest" if status.model else "quipu model fetch",
    )


def _opened(run: Invocation) -> tuple[Status, Config]:
    """How the memory is. A model that is wrong or missing is a check of its own, so that the
    store is then looked at without it."""
    try:
        with run.open(read_only=True) as memory:
            return memory.stats(), memory.config
    except (InvalidConfig, WrongWeights, MissingModel, MissingExtra, ModelUnavailable):
        with run.open(read_only=True, embedding=False) as memory:
            return memory.stats(), run.config()
