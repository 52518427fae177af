"""A client's hook: hands what the client says to the resident process, and prints its answer.

    hook.py start|prompt|keep STYLE < what the client says

Nothing of the house is imported, so that it starts as fast as the interpreter does. It gives up in
time and then says nothing. A transcript that the resident process did not take over is noted, to be
taken in later; a brief that it left behind is printed while the memory is as it was.
"""

import os
import sys
from time import monotonic

__all__ = ["ALL", "asked", "brief_file", "is_left_out", "main", "state_folder"]

ALL = "/"
"""The folder that stands for every one in the list of those that are left out."""

_ANSWERED_IN_S = 0.1
_LARGEST = 1 << 20


def state_folder() -> str:
    """Where hooks and the resident process meet: a folder of the user's own."""
    given = os.environ.get("XDG_STATE_HOME", "")
    base = given if os.path.isabs(given) else os.path.expanduser("~/.local/state")  # noqa: PTH117, PTH111
    return base + "/quipu/hooks"


def brief_file(folder: str, style: str) -> str:
    """What the brief for the work in `folder` is called among those that were left behind."""
    return "brief-" + folder.replace("%", "%25").replace("/", "%") + "." + style


def is_left_out(folder: str, listed: str) -> bool:
    """Whether `folder` is one of the `listed` folders, a line each, or below one."""
    return any((folder + "/").startswith(line.rstrip("/") + "/") for line in listed.splitlines())


def main() -> None:
    """Do what the client asks for, in time, and never fail."""
    try:
        _run(*sys.argv[1:3])
    except Exception:  # noqa: BLE001  a hook must not come between a person and the work
        return


def _run(event: str, style: str) -> None:
    until = monotonic() + _ANSWERED_IN_S
    work = os.getcwd()  # noqa: PTH109
    said = sys.stdin.buffer.read(_LARGEST)
    folder = state_folder()
    os.makedirs(folder, 0o700, exist_ok=True)  # noqa: PTH103
    os.chdir(folder)  # the path of a socket must be short
    if os.stat(".").st_uid != os.geteuid():  # noqa: PTH116  somebody else would answer
        return
    if is_left_out(work, _read("paused")):
        return
    answer = asked(f"{event} {style}\n".encode() + said, until)
    text = answer[1:] if answer else b""
    if not answer and event == "keep":  # nobody is there, or too slow
        _note(said)
    if not answer and event == "start":
        text = _left_behind(work, style)
    if not text and style != "text":
        text = b"{}"
    if text:
        sys.stdout.buffer.write(text + b"\n")
        sys.stdout.flush()
    if answer is None:
        _start()


def asked(request: bytes, until: float) -> bytes | None:
    """What the resident process at the socket in the present folder answers, after a `+`; empty if
    not in time, None without one."""
    try:
        from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket  # `socket` is slow to import
    except ImportError:
        return None
    door, answer = socket(AF_UNIX, SOCK_STREAM), b""
    try:
        door.settimeout(max(until - monotonic(), 0.001))
        try:
            door.connect("socket")
        except OSError:
            return None
        door.sendall(request)
        door.shutdown(SHUT_WR)
        while part := door.recv(65536):
            answer += part
            door.settimeout(max(until - monotonic(), 0.001))
    except OSError:
        return b""
    finally:
        door.close()
    return answer


def _note(said: bytes) -> None:
    import json

    given = json.loads(said)
    kept = {key: given[key] for key in ("transcript_path", "transcriptPath", "cwd") if key in given}
    os.makedirs("noted", 0o700, exist_ok=True)  # noqa: PTH103
    name = f"noted/{os.getpid()}-{monotonic()}"
    with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        json.dump(kept, file)
    os.replace(name, name + ".json")  # noqa: PTH105


def _start() -> None:
    """Let a resident process start beside this one; a second one ends at once. Which memory this
    shell names is of this shell alone: the process serves every folder from its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("QUIPU_STORE_")}
    resident = [sys.executable, "-P", "-m", "quipu.serve.setup.resident"]
    null = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0)
    both = [(os.POSIX_SPAWN_DUP2, 0, stream) for stream in (1, 2)]
    os.posix_spawn(sys.executable, resident, environment, file_actions=[null, *both], setsid=True)


def _left_behind(work: str, style: str) -> bytes:
    """The brief that the last resident process left for this work, if the memory is as it was."""
    try:
        marks, _, text = _read(brief_file(work, style)).partition("\n\n")
        for mark in marks.splitlines():
            file, size, changed = mark.rsplit("\t", 2)
            now = os.stat(file)  # noqa: PTH116
            if (str(now.st_size), str(now.st_mtime_ns)) != (size, changed) or _grows(file + "-wal"):
                return b""
    except OSError:  # the memory is gone, or the path is too long for a name
        return b""
    return text.encode() if marks else b""


def _grows(log: str) -> bool:
    return os.path.exists(log) and os.stat(log).st_size > 0  # noqa: PTH110, PTH116


def _read(name: str) -> str:
    try:
        with open(name, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except FileNotFoundError:  # what is there and cannot be read is no leave to go on
        return ""


if __name__ == "__main__":
    main()
