"""Standard streams that a caller has closed (`quipu status >&-`)."""

import os
import sys

__all__ = ["open_closed_streams"]


def open_closed_streams() -> None:
    """Open each closed standard stream on the null device. Python has None for it, and the next
    file that is opened would get its number: what is printed would be written into that file."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115, PTH123
