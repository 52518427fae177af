"""The options every command takes, and what they give it: a `Memory`, a place to print to."""

import logging
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quipu.errors import InvalidInput, QuipuError, StoreUnavailable
from quipu.serve.cli.terminal import emit, note, safe, say

if TYPE_CHECKING:  # pragma: no cover
    from quipu.config import Config
    from quipu.memory import Memory

__all__ = ["Invocation", "everywhere", "invocation"]

_KEY = "quipu.everywhere"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One run of the program: what the shared options said."""

    store: str | None = None
    namespace: str | None = None
    config_path: Path | None = None
    as_json: bool = False
    verbose: int = 0
    quiet: bool = False

    def config(self, folder: Path | None = None, *, needs: Collection[str] = ()) -> "Config":
        """The configuration that holds in `folder` (default: here); raises InvalidConfig, and
        UntrustedFolder when one of `needs` is set where it does not count."""
        from quipu.config import load

        return load(self.config_path, start=folder, needs=needs)

    def open(
        self,
        *,
        read_only: bool = False,
        embedding: bool = True,
        keeps_up: bool = True,
        configured: "Callable[[Config], Config]" = lambda config: config,
    ) -> "Memory":
        """The memory the options name, else the nearest `.quipu` upward; without `embedding` it
        works by words and graph, whatever model is configured. `configured` makes of the
        configuration what a command's own options say. Unless it `keeps_up`, one that is only read
        is not brought up to date either where a file has changed that an answer cites.

        Raises InvalidInput when there is none; a store that is only read is never made.
        """
        from msgspec.structs import replace

        from quipu.handle.home import find_home, needed
        from quipu.memory import Memory

        embeds = embedding and not read_only
        config = configured(
            self.config(needs=needed(url=self.store, namespace=self.namespace, embedding=embeds))
        )
        try:
            home = find_home(self.store or config.store.url or None)
        except StoreUnavailable as error:
            raise InvalidInput(str(error)) from error
        database = home.database
        if read_only and database is not None and not database.exists():
            raise InvalidInput(
                f"there is no store at {home.url!r}: check the path, or make one with "
                f"`quipu index --store {home.url} PATH`"
            )
        if self.store and database is not None and not database.exists():
            self.note(f"There was no store at {home.url!r}: a new memory is made there.")
        if not embedding:
            config = replace(config, embed=replace(config.embed, model="none", types={}))
        opened = partial(Memory.open, self.store, namespace=self.namespace, config=config)
        memory = opened(read_only=read_only)
        if read_only and keeps_up:
            memory.freshness.writer = opened
            if memory.is_forgetting:
                self._finish(opened)
        return memory

    def _finish(self, opened: "Callable[[], Memory]") -> None:
        """Let what was killed while it erased be brought to its end before anything is read."""
        try:
            opened().close()
        except QuipuError as error:
            self.note(f"what was being erased may be missing: {error}", fg="yellow")

    def show(self, document: Any, lines: Callable[[], Iterable[str]]) -> None:
        """Print a command's result: `document` (a Struct, or plain data as it stands) as JSON
        when `--json` was given, else `lines` for people."""
        if self.as_json:
            emit(document if isinstance(document, dict) else _plain(document))
        else:
            say(lines())

    def agrees(self, result: Any, question: str) -> bool:
        """Show a person what would be done, and ask; False where there is nobody to ask."""
        from quipu.serve.cli.text import Given, lines_of

        if self.as_json or not sys.stdin.isatty():
            return False
        for line in lines_of(result, Given(None, {})):
            self.note(line)
        return click.confirm(question, err=True)

    def note(self, text: str, *, fg: str | None = None) -> None:
        """Say something beside the result, on standard error, unless `--quiet`."""
        if not self.quiet:
            note(text, fg=fg)


def invocation() -> Invocation:
    """The present run's `Invocation`; also turns logging on as `-v` and `-q` ask for."""
    given = click.get_current_context().meta.get(_KEY, {})
    present = Invocation(**given)
    _log(present)
    return present


def everywhere(*, hidden: bool) -> list[click.Parameter]:
    """The shared options; given twice, the one nearer to the end of the line counts."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    options: dict[str, dict[str, Any]] = {
        "--store": {
            "metavar": "URL|PATH",
            "help": "The store: a path, sqlite:///path, postgresql://user@host/database or memory: "
            " [default: the nearest .quipu/quipu.db upward]",
        },
        "--namespace": {
            "metavar": "NAME",
            "help": "The namespace inside the store.  [default: default]",
        },
        "--config config_path": {
            "type": file,
            "help": "The configuration file.  [default: the nearest quipu.toml upward]",
        },
        "--json as_json": {
            "is_flag": True,
            "help": "Print one JSON document with stable keys on standard output.",
        },
        "-v --verbose": {
            "count": True,
            "help": "Say more on standard error; -vv also shows where an error came from.",
        },
        "-q --quiet": {"is_flag": True, "help": "Say nothing on standard error but errors."},
    }
    shared: Any = {"callback": _keep, "expose_value": False, "hidden": hidden}
    return [click.Option(names.split(), **how, **shared) for names, how in options.items()]


def _keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    key, given = parameter.name, ctx.meta.setdefault(_KEY, {})
    if key == "verbose":
        given[key] = given.get(key, 0) + value
    elif value is not None and value is not False:
        given[key] = value


def _plain(document: Any) -> Any:
    """`document` as plain data, its sets sorted: the same result is the same bytes."""
    import msgspec

    return msgspec.to_builtins(document, order="deterministic")


class _SafeFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record))


def _log(present: Invocation) -> None:
    level = logging.ERROR if present.quiet else logging.WARNING
    if present.verbose:
        level = logging.INFO if present.verbose == 1 else logging.DEBUG
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_SafeFormatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("quipu")
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False
