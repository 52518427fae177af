"""An answer as a person reads it: `answer/render.py`, made safe for a terminal."""

from collections.abc import Iterator

from quipu.records.reply import Reply
from quipu.serve.cli.layout import width
from quipu.serve.cli.terminal import colours
from quipu.serve.cli.view_hits import note_lines

__all__ = ["answer_lines"]


def answer_lines(reply: Reply) -> Iterator[str]:
    """Answer, Evidence, Timestamp, Limitations, Next step; then what should be known."""
    from quipu.answer.render import render

    yield render(reply, colour=colours(), width=width())
    yield ""
    yield from note_lines((*reply.plan.notes, *reply.notes))
