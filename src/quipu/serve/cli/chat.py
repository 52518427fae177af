"""`chat`: a conversation with the memory, with a language model or without."""

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import click
from msgspec import Meta

from quipu.agents.chat import HELP, Agent, converse
from quipu.errors import InvalidInput
from quipu.serve.cli.invocation import Invocation
from quipu.serve.operations import Command, Flag, Word, operation

__all__: list[str] = []


@operation(None, Command())
def chat(
    run: Invocation,
    question: Annotated[tuple[str, ...], Word("[QUESTION]...")] = (),
    rag: Annotated[
        bool,
        "put what is remembered before the model",
        Flag("--rag/--no-rag"),
    ] = True,
    limit: Annotated[int, "how many sources are put before the model", Meta(ge=1, le=40)] = 6,
) -> Any:
    """Talk with the memory; QUESTION alone asks once, without it lines are read until they end.

    With chat.model configured (extra openai) a language model answers, streams and
    cites; without one the memory answers by itself. In a conversation :1 opens source 1,
    :sources lists them, :help says so, :quit ends; / does as well as :. With --json the one
    exchange is printed.

    $ quipu chat
    $ quipu chat who owns the payment service
    $ quipu chat --no-rag 'write a haiku about queues'
    """
    text = " ".join(question).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if run.as_json and not text:
        raise InvalidInput("--json prints one exchange: write the question after the command")
    with run.open(read_only=True) as memory:
        agent = Agent(memory, memory.chat, rag=rag, limit=limit)
        if run.as_json:
            for _ in agent.ask(text):
                pass
            return agent.last
        if not text and sys.stdin.isatty():
            run.note(HELP)
        converse(agent, [text] if text else _lines(), _write)
    return None


def _lines() -> Iterator[str]:
    """The lines of standard input, as they come; bytes that are not UTF-8 become U+FFFD."""
    for line in sys.stdin if sys.stdin.isatty() else sys.stdin.buffer:
        yield line if isinstance(line, str) else line.decode("utf-8", "replace")


def _write(text: str) -> None:
    click.echo(text, nl=False)
    sys.stdout.flush()
