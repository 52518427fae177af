"""`chat`: a conversation with the memory, with a language model or without."""

import sys
from collections.abc import Iterator

import click

from quipu.serve.cli.invocation import invocation
from quipu.serve.cli.lazy import command
from quipu.serve.cli.options import question_argument

__all__ = ["chat"]


@command(
    "chat",
    "quipu chat",
    "quipu chat who owns the payment service",
    "quipu chat --no-rag 'write a haiku about queues'",
)
@question_argument
@click.option(
    "--rag/--no-rag",
    default=True,
    show_default=True,
    help="Put what is remembered before the model, and give it tools to find more.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, 40),
    default=6,
    show_default=True,
    help="How many sources are put before the model.",
)
def chat(question: tuple[str, ...], rag: bool, limit: int) -> None:
    """Talk with the memory; QUESTION alone asks once, without it lines are read until they end.

    With chat.model configured (extra openai) a language model answers, streams, searches and
    cites; without one the memory answers by itself. In a conversation :1 opens source 1,
    :sources lists them, :help says so, :quit ends; / does as well as :. With --json the one
    exchange is printed.
    """
    from quipu.agents.chat import HELP, Agent, converse
    from quipu.errors import InvalidInput

    run = invocation()
    text = " ".join(question).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if run.as_json and not text:
        raise InvalidInput("--json prints one exchange: write the question after the command")
    with run.open(read_only=True) as memory:
        agent = Agent(memory, memory.chat, rag=rag, limit=limit)
        if run.as_json:
            for _ in agent.ask(text):
                pass
            run.show(agent.last, list)
            return
        if not text and sys.stdin.isatty():
            run.note(HELP)
        converse(agent, [text] if text else _lines(), _write)


def _lines() -> Iterator[str]:
    """The lines of standard input, as they come; bytes that are not UTF-8 become U+FFFD."""
    for line in sys.stdin if sys.stdin.isatty() else sys.stdin.buffer:
        yield line if isinstance(line, str) else line.decode("utf-8", "replace")


def _write(text: str) -> None:
    click.echo(text, nl=False)
    sys.stdout.flush()
