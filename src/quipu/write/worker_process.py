"""What runs in a worker: `python -m quipu.write.worker_process MODULE:FUNCTION SECONDS BYTES`."""

import gc
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from quipu.write.limits import NO_MEMORY, Limits, TimeUp, bounded, hold
from quipu.write.workers import TELL_S, TaskResults, TookTooLong, receive, send

_LARGEST_ANSWER = 400_000_000


def _serve(name: str, limits: Limits) -> None:
    module, _, function = name.partition(":")
    work: Callable[[Any], Any] = getattr(import_module(module), function)
    gc.freeze()  # what was imported stays; what a job makes is gone with its answer
    gc.set_threshold(20_000, 50, 50)
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break the pipe
    allow = hold()
    send(answers, None)
    try:
        while True:
            tasks = receive(requests)
            for answered in _answered(work, tasks, limits, allow):
                answers.write(answered)
                answers.flush()
    except EOFError:
        return
    except MemoryError:
        os._exit(NO_MEMORY)


def _answered(
    work: Callable[[Any], Any],
    tasks: Sequence[tuple[Any, int]],
    limits: Limits,
    allow: Callable[[int], None],
) -> Iterator[bytes]:
    """What is sent of the tasks, in order; the last of it after one that took too long."""
    results: list[Any] = []
    sent_at = time.monotonic()
    for task, size in tasks:
        seconds = limits.seconds_for(size)
        allow(limits.memory_for(size))
        try:
            results.append(bounded(work, task, seconds))
        except TimeUp:  # it may have left anything half done behind
            yield _packed(TaskResults([*results, TookTooLong.after(seconds)], goes_on=False))
            raise EOFError from None
        if time.monotonic() - sent_at > TELL_S:
            yield _packed(TaskResults(results, goes_on=True))
            results, sent_at = [], time.monotonic()
    if results:
        yield _packed(TaskResults(results, goes_on=True))


def _packed(answers: TaskResults) -> bytes:
    data = pickle.dumps(answers, protocol=pickle.HIGHEST_PROTOCOL)
    if len(data) > _LARGEST_ANSWER:  # the caller would have to hold all of it
        raise MemoryError
    return data


if __name__ == "__main__":
    try:
        _serve(sys.argv[1], Limits(float(sys.argv[2]), int(sys.argv[3])))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
