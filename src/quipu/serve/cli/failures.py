"""From an exception to one readable line, one JSON document and one exit code.

0  done; an answer of `unknown` is a result
1  answered no: a golden question failed, the graph is invalid, a check of `doctor` failed, nothing
   could be read
2  the caller's mistake: an option, a path, a question, the configuration
3  Quipu cannot: something is missing, locked, full or damaged, or Quipu itself is wrong
130, 141  interrupted; the reader of the output went away
"""

import os
import sys
from collections.abc import Callable
from typing import NoReturn

import click

from quipu.errors import Mistake, QuipuError
from quipu.kind import failing_kind
from quipu.serve.cli.terminal import emit, note, safe

__all__ = ["INTERRUPTED", "NO", "READER_GONE", "drop_output", "run"]

NO = 1
MISTAKE = 2
UNABLE = 3
INTERRUPTED = 130
READER_GONE = 141

_SHORTEST = 12
"""No word that is shorter is a secret: to tell of a mistyped command loads no rules."""


def run(command: Callable[[], object], *, as_json: bool, traceback: bool) -> NoReturn:
    """Run `command` and leave the process with its exit code.

    With `as_json` a failure is also `{"error": {"kind", "message"}}` on standard output;
    `traceback` lets an exception show where it came from.
    """
    try:
        code = command()
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except (KeyboardInterrupt, click.Abort):
        note("interrupted; what was stored so far is whole")
        sys.exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001  the outermost boundary
        sys.exit(_report(error, as_json=as_json, traceback=traceback))
    sys.exit(code if isinstance(code, int) else 0)


def drop_output() -> None:
    """Point standard output at nothing, or the interpreter complains when it flushes at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def _report(error: Exception, *, as_json: bool, traceback: bool) -> int:
    if traceback:
        import traceback as tracebacks

        note("".join(tracebacks.format_exception(error)).rstrip())
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not as_json:
        error.show()
        return MISTAKE
    kind, detail, code = _explained(error)
    message = _clean(detail) if any(len(word) >= _SHORTEST for word in detail.split()) else detail
    note(f"error: {safe(message, line=True)}", fg="red")
    if as_json:
        try:
            emit({"error": {"kind": kind, "message": message}})
            sys.stdout.flush()
        except OSError:  # nobody reads any more, or where the output goes is full
            drop_output()
    return code


def _explained(error: Exception) -> tuple[str, str, int]:
    match error:
        case click.UsageError():
            return "Usage", _usage(error), MISTAKE
        case click.ClickException():
            return "Usage", error.format_message(), MISTAKE
        case QuipuError():
            code = MISTAKE if isinstance(error, Mistake) else UNABLE
            return type(error).__name__, str(error), code
        case OSError():
            return "System", f"{error}; check the path, its permissions and the free space", UNABLE
        case MemoryError():
            return "System", "out of memory; give less at once or lower `index.max_bytes`", UNABLE
        case _:
            return _unexpected(error)


def _unexpected(error: Exception) -> tuple[str, str, int]:
    message = f"{type(error).__name__}: {error}"
    if kind := failing_kind(error):
        told = f"the kind of source {kind!r} failed: {message}; run again with -vv to see where"
        return "BrokenKind", f"{told}, and report it to who made it", UNABLE
    told = f"{message}; this should not happen: run again with -vv to see where"
    return "Internal", f"{told}, and report it", UNABLE


def _clean(message: str) -> str:
    """A message without the secret that may have been given; logs keep what a terminal shows."""
    from quipu.read import redact  # dear to import, and seldom needed

    return redact(message)[0]


def _usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip()
    if message and message[-1] not in ".?!)":
        message += "."
    path = error.ctx.command_path if error.ctx is not None else "quipu"
    return f"{message} See `{path} --help`"
