"""What runs in a worker: `python -m quipu.write.worker_process BYTES`, the function comes first."""

import gc
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any

from quipu.write.limits import NO_MEMORY, Limits, hold
from quipu.write.workers import receive, send

_LARGEST_ANSWER = 400_000_000


def _serve(limits: Limits) -> None:
    requests = sys.stdin.buffer
    work: Callable[[Any], Any] = receive(requests)
    gc.freeze()  # what was imported stays; what a job makes is gone with its answer
    gc.set_threshold(20_000, 50, 50)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break the pipe
    allow = hold()
    send(answers, None)
    try:
        while True:
            for task, size in receive(requests):
                allow(limits.memory_for(size))
                answers.write(_packed(work(task)))
                answers.flush()
    except EOFError:
        return
    except MemoryError:
        os._exit(NO_MEMORY)


def _packed(result: Any) -> bytes:
    data = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
    if len(data) > _LARGEST_ANSWER:  # the caller would have to hold all of it
        raise MemoryError
    return data


if __name__ == "__main__":
    try:
        _serve(Limits(memory_bytes=int(sys.argv[1])))
    except (KeyboardInterrupt, BrokenPipeError):
        sys.exit(130)
