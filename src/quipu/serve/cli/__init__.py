"""The command line `quipu`: `main` is its entry point, `root.py` its table of commands.

Importing it costs click and nothing else; each command imports what it needs when it runs.
"""

import gc
import os

from quipu.files.standard import open_closed_streams
from quipu.serve.cli.root import cli

__all__ = ["cli", "main"]

_NEW_OBJECTS = 50_000


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    open_closed_streams()
    # The matrices of a search are small: on them, threads wait for each other longer than one
    # thread needs. It must be said before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # To import makes many objects and no garbage: by the usual 700 a seventh of a cold search
    # was spent looking for some.
    gc.set_threshold(_NEW_OBJECTS, 20, 20)
    try:
        cli.main()
    finally:
        gc.disable()  # what is left goes with the process
