"""The process that hooks talk to: it keeps memories open, tells what is remembered, takes in what
was said. It is started by a hook, listens at a socket that only the user can reach, and ends itself
when nobody has asked for a while.
"""

import contextlib
import json
import logging
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Mapping
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingUnixStreamServer
from typing import Any, TypeAlias, cast

from quipu.config import load
from quipu.errors import QuipuError, StoreUnavailable
from quipu.files import private
from quipu.handle.home import DATABASE, STATE, needed
from quipu.memory import Memory
from quipu.serve.cli.folders import folder_of_work, initialise
from quipu.serve.cli.invocation import Invocation
from quipu.serve.setup.hook import brief_file, is_left_out, state_folder
from quipu.serve.setup.telling import at_start, to_prompt
from quipu.trust import page_of, standing
from quipu.write.lock import WriteLock

__all__ = ["Resident", "main"]

_LOOKED_EVERY_S = 10.0
_LARGEST = 1 << 21
_PLAIN_JSON = {"cursor": "additional_context", "copilot": "additionalContext"}
"""Under which key of a JSON object a client of this style reads what it is told."""
_TRANSCRIPT = ("transcript_path", "transcriptPath")

_Mark: TypeAlias = tuple[int, int, str]

_log = logging.getLogger(__name__)


class Resident:
    """Answers hooks from the memories of the folders they run in."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._memories: dict[Path, Memory] = {}
        self._marks: dict[Path, _Mark | None] = {}
        self._begun: set[tuple[str, str]] = set()
        self._beginnings: dict[Path, tuple[int, str]] = {}
        self._opening = threading.Lock()
        self.noted = threading.Event()
        self.asked_at = time.monotonic()

    def answer(self, event: str, style: str, said: bytes) -> str:
        """What the hook prints for an event of a client that reads `style`."""
        self.asked_at = time.monotonic()
        if event == "leave":
            self._begun.clear()
            self.asked_at = -math.inf
            self.noted.set()
            return ""
        given = _object(said)
        work = _work(given)
        if not work or is_left_out(work, self._paused()):
            return ""
        if event == "keep":
            self._note(given)
            return ""
        if event == "start":
            self._begun.add((work, style))
        return _in_style(self._told(event, given, work), event, style)

    def end(self, *_: object) -> None:
        """End before the time, as at the end of the user's session on the machine: what is being
        taken in stays noted. Raises InterruptedError."""
        self.asked_at = -math.inf
        raise InterruptedError

    def take_in(self) -> None:
        """Take in every transcript that is noted, each once; what cannot be now stays noted."""
        noted: dict[tuple[str, str], list[Path]] = {}
        for note in sorted((self._state / "noted").glob("*.json")):
            given = _object(note.read_bytes())
            noted.setdefault((_text(given, *_TRANSCRIPT), _work(given)), []).append(note)
        for (transcript, work), notes in noted.items():
            try:
                told_of = work and not is_left_out(work, self._paused())
                if told_of and Path(transcript).is_file():
                    self._memory(Path(work), make=True).ingest([transcript])
                    self._begun.add((work, "text"))
            except Exception as error:  # noqa: BLE001  one must not keep out the others
                _log.warning("%s is not taken in yet: %s", transcript, error)
                continue
            for note in notes:
                note.unlink(missing_ok=True)

    def refresh(self) -> None:
        """Have what sessions begin with ready for every memory that is open and has changed."""
        for place, memory in list(self._memories.items()):
            with contextlib.suppress(QuipuError, OSError):
                if self._marks[place] == _mark(place):
                    self._beginning(memory)

    def leave(self) -> None:
        """Close the memories, and leave the briefs behind for the sessions that begin next."""
        texts = {(work, style): self._told("start", {}, work) for work, style in self._begun}
        for memory in self._memories.values():
            memory.close()
        for (work, style), text in texts.items():
            # a path too long for a name, a folder that is gone
            with contextlib.suppress(OSError, ValueError):
                self._leave_behind(work, style, text)

    def _leave_behind(self, work: str, style: str, text: str) -> None:
        page, database = self._state / brief_file(work, style), _database(work)
        page.unlink(missing_ok=True)
        if text and database.exists():
            trusted = page_of(database.parent.parent)
            marks = [
                f"{file}\t{(now := file.stat()).st_size}\t{now.st_mtime_ns}"
                for file in (database, trusted)
                if file
            ]
            said = "\n".join([*marks, "", _in_style(text, "start", style)])
            private.write_whole(page, said.encode())

    def _told(self, event: str, given: Mapping[str, Any], work: str) -> str:
        try:
            memory = self._memory(Path(work))
            if event == "start":
                return self._beginning(memory)
            session = _text(given, "session_id", "sessionId")
            return to_prompt(memory, _text(given, "prompt"), session=session)
        except Exception as error:  # noqa: BLE001  a hook says nothing rather than fail
            _log.warning("nothing is told of %s: %s", work, error)
            return ""

    def _beginning(self, memory: Memory) -> str:
        sequence = memory.store.sequence()
        known = self._beginnings.get(memory.home.folder)
        if known is None or known[0] != sequence:
            known = self._beginnings[memory.home.folder] = (sequence, at_start(memory))
        return known[1]

    def _memory(self, work: Path, *, make: bool = False) -> Memory:
        """The memory of the work in a folder. Raises StoreUnavailable where there is none, unless
        one is to be made, and UntrustedFolder where it was not made by the user."""
        place = folder_of_work(work)
        with self._opening:
            if place in self._memories and self._marks[place] != _mark(place):
                self._beginnings.pop(place, None)
                with contextlib.suppress(QuipuError, OSError):
                    self._memories.pop(place).close()
            if place not in self._memories:
                config = load(start=place, needs=needed(url=None, namespace=None, embedding=True))
                if not config.store.url and not (place / DATABASE).exists():
                    if not make:
                        raise StoreUnavailable(f"there is no memory in {str(place)!r} yet")
                    place.mkdir(parents=True, exist_ok=True)
                    initialise(Invocation(), place, settings=False)
                self._memories[place] = Memory.open(config=config, home=place)
                self._marks[place] = _mark(place)
            return self._memories[place]

    def _note(self, given: Mapping[str, Any]) -> None:
        private.make_folder(self._state / "noted")
        note = {"transcript_path": _text(given, *_TRANSCRIPT), "cwd": _work(given)}
        name = f"{os.getpid()}-{time.monotonic_ns()}.json"
        private.write_whole(self._state / "noted" / name, json.dumps(note).encode())
        self.noted.set()

    def _paused(self) -> str:
        try:
            return (self._state / "paused").read_text("utf-8")
        except FileNotFoundError:  # what is there and cannot be read is no leave to go on
            return ""


def _mark(place: Path) -> _Mark | None:
    """What changes when the memory of a folder is removed, replaced or trusted no more."""
    try:
        found = (place / DATABASE).stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, standing(place / STATE)


def _database(work: str) -> Path:
    return folder_of_work(Path(work)) / DATABASE


def _object(said: bytes) -> dict[str, Any]:
    with contextlib.suppress(ValueError, RecursionError):
        found: object = json.loads(said)
        if isinstance(found, dict):
            return cast("dict[str, Any]", found)
    return {}


def _text(given: Mapping[str, Any], *names: str) -> str:
    return next((v for name in names if isinstance(v := given.get(name), str)), "")


def _work(given: Mapping[str, Any]) -> str:
    """The folder of the work, without links: what is left out is. Empty where none can be."""
    roots: object = given.get("workspace_roots")
    first = cast("list[object]", roots)[:1] if isinstance(roots, list) else []
    named = _text(given, "cwd") or next((str(root) for root in first), "") or str(Path.home())
    with contextlib.suppress(OSError, ValueError):  # ValueError: what no path can hold
        return os.path.realpath(named)
    return ""


def _in_style(text: str, event: str, style: str) -> str:
    """A text as a client reads it: plain, or as JSON of its kind."""
    if not text or style == "text":
        return text
    if style in _PLAIN_JSON:
        return json.dumps({_PLAIN_JSON[style]: text})
    name = "SessionStart" if event == "start" else "BeforeAgent"
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


@contextlib.contextmanager
def _listening(resident: Resident) -> Generator[None]:
    """Answer at the socket in the present folder while the block runs."""

    class Handler(StreamRequestHandler):
        timeout = 2.0

        def handle(self) -> None:
            head = self.rfile.readline(100).decode("ascii", "replace").split()
            said = self.rfile.read(_LARGEST)
            if len(head) == len(("event", "style")):
                self.wfile.write(b"+" + resident.answer(head[0], head[1], said).encode())

    class Server(ThreadingUnixStreamServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
            _log.info("a hook went away: %s", sys.exc_info()[1])

    Path("socket").unlink(missing_ok=True)
    with Server("socket", Handler) as server:
        threading.Thread(target=server.serve_forever, name="quipu-hooks", daemon=True).start()
        try:
            yield
        finally:
            Path("socket").unlink(missing_ok=True)
            server.shutdown()


def main() -> None:
    """Answer hooks until nobody has asked for a while; end at once where another process does."""
    state = Path(state_folder())
    private.make_folder(state)
    state.chmod(0o700)
    idle_s = load(start=state).sessions.hooks_idle_s
    os.chdir(state)  # the path of a socket must be short
    with WriteLock(state, "lock").at_once() as alone:
        if not alone:
            return
        logging.basicConfig(filename="log", filemode="w", level=logging.WARNING)
        resident = Resident(state)
        signal.signal(signal.SIGTERM, resident.end)
        with _listening(resident), contextlib.suppress(InterruptedError):
            while (left_s := resident.asked_at + idle_s - time.monotonic()) > 0:
                resident.noted.clear()
                resident.take_in()
                resident.refresh()
                resident.noted.wait(min(left_s, _LOOKED_EVERY_S))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        resident.leave()


if __name__ == "__main__":
    main()
