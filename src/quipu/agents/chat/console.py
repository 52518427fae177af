"""The conversation on a terminal: questions in, answers as they come, `:1` opens a source."""

from collections.abc import Callable, Iterable, Iterator

from quipu.agents.chat.agent import Agent, Exchange
from quipu.errors import QuipuError

__all__ = ["HELP", "answer_lines", "converse"]

HELP = ":1 opens source 1, :sources lists them, :quit ends"
_BREAK = "\n"


def converse(agent: Agent, lines: Iterable[str], write: Callable[[str], None]) -> None:
    """Answer each line until there are no more, or `:quit`; a question that fails says why."""
    for line in lines:
        asked = line.strip()
        if asked in {":quit", ":q"}:
            return
        if not asked:
            continue
        try:
            for piece in _opened(agent, asked) if asked.startswith(":") else _asked(agent, asked):
                write(piece)
        except QuipuError as error:
            write(f"error: {error}\n")


def answer_lines(exchange: Exchange) -> Iterator[str]:
    """What stands below an answer: its sources, and what should be known."""
    for each in exchange.sources:
        yield f"[{each.n}] {_flat(each.path)} ({each.confidence:.0%} match)"
    for note in dict.fromkeys(exchange.notes):
        yield f"note: {_flat(note)}"


def _asked(agent: Agent, question: str) -> Iterator[str]:
    yield from agent.ask(question)
    yield _BREAK
    if (last := agent.last) is not None:
        below = answer_lines(last)
        said = last.model == "offline" and last.answer != "unknown"  # its references stand in it
        shown = [line for line in below if not said or not line.startswith("[")]
        yield "".join(f"{line}\n" for line in shown)


def _opened(agent: Agent, asked: str) -> Iterator[str]:
    word = asked[1:].strip()
    if word.isdecimal():
        source = agent.source(int(word[:9]))
        yield f"[{source.n}] {_flat(source.path)} (confidence: {source.confidence:.0%})\n"
        yield "".join(c for c in source.text if c.isprintable() or c in "\n\t") + _BREAK
    elif word == "sources" and agent.last is not None:
        yield "".join(f"{line}\n" for line in answer_lines(agent.last))
    else:
        yield f"{HELP}\n"


def _flat(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
