"""A chat over a memory, with a language model or without one.

`python -m quipu.agent --rag` and `quipu chat` talk to it. What is found for a question goes before
the model as one system message, and every mark of its answer opens a source. What a source says is
data: the model can call nothing, and what it makes of its sources is checked against them.

Without a model, or when it fails, the memory itself answers, and its sources can be opened too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any

import msgspec

from quipu.agents.packs import prompt_sources
from quipu.answer.by_model import supported
from quipu.answer.contract import ASSERT_ABOVE, cited
from quipu.answer.prompt import PromptSource, with_context
from quipu.answer.render import render
from quipu.errors import MissingExtra, ModelUnavailable, QuipuError, UnknownRecord
from quipu.memory import Memory
from quipu.ports import Chat, ChatReply
from quipu.records.reply import Reply
from quipu.text import sentences

__all__ = ["HELP", "Agent", "Exchange", "converse"]

HELP = ":1 opens source 1, :sources lists them, :help shows this, :quit ends (/ does as well as :)"
_ROLE = (
    "You answer questions from a memory. Rest every statement on the numbered sources and cite "
    "them; say unknown when they do not suffice."
)
_ROLE_ALONE = "You answer questions. No memory is connected: say so where one would be needed."
_ENDING = frozenset({"quit", "exit", "q"})
_ORDER = re.compile(r":\s*(?P<word>.*)|/(?P<one>\w+)|(?P<bare>help|exit|quit)")
"""An order: "/srv/data" is a path and none."""
_MESSAGES_KEPT = 20
_OFFLINE = "offline"


class CitedSource(msgspec.Struct, frozen=True, kw_only=True):
    """What `[n]` opens: where it stands, how sure it is to bear on the question, its text."""

    n: Annotated[int, "its number"]
    path: Annotated[str, "where it stands: path and lines, or its reference"]
    confidence: Annotated[float, "how sure it is to bear on the question"]
    text: Annotated[str, "what it says, bounded"]


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One question and its answer."""

    question: Annotated[str, "as asked"]
    answer: Annotated[str, "what was answered; `[n]` points at source n"]
    model: Annotated[str, "the model that answered; `offline` where the memory itself did"]
    sources: Annotated[tuple[CitedSource, ...], "what the marks open"] = ()
    tokens: Annotated[int, "the tokens that the model took"] = 0
    notes: Annotated[tuple[str, ...], "what should be known about the answer"] = ()


class Agent:
    """A conversation with a memory. `rag` puts what is found before the model; without it the model
    answers alone."""

    def __init__(
        self, memory: Memory, chat: Chat | None, *, rag: bool = True, limit: int = 6
    ) -> None:
        self._memory, self._chat = memory, chat
        self._rag, self._limit = rag, limit
        self._history: list[dict[str, Any]] = []
        self.last: Exchange | None = None

    def ask(self, question: str) -> Iterator[str]:
        """The answer in pieces, as they come; afterwards `last` is the whole exchange."""
        if self._chat is None:
            yield from self._offline(question, ())
            return
        said = False
        try:
            for piece in self._with_model(self._chat, question):
                said = True
                yield piece
        except (ModelUnavailable, MissingExtra) as error:
            if said:
                yield "\n"
            yield from self._offline(question, (f"The language model failed: {error}.",))

    def source(self, n: int) -> CitedSource:
        """What `[n]` in the last answer opens, its whole text; UnknownRecord if it has no `n`."""
        sources = self.last.sources if self.last else ()
        for source in sources:
            if source.n == n:
                return source
        known = f"1 to {len(sources)}" if sources else "none"
        raise UnknownRecord(f"[{n}] is no source of the last answer: there are {known}")

    def _offline(self, question: str, notes: tuple[str, ...]) -> Iterator[str]:
        reply = self._memory.ask(question, limit=self._limit, offline=True)
        text = render(reply)
        self._end(
            Exchange(
                question=question,
                answer=reply.contract.answer,
                model=_OFFLINE,
                sources=_sources_of(reply),
                notes=(*notes, *reply.notes),
            )
        )
        yield text

    def _with_model(self, chat: Chat, question: str) -> Iterator[str]:
        asked: dict[str, Any] = {"role": "user", "content": question}
        role = _ROLE if self._rag else _ROLE_ALONE
        messages = [{"role": "system", "content": role}, *self._history, asked]
        sources = self._sources_for(question) if self._rag else []
        if self._rag:
            messages = with_context(messages, sources)
        reply = ChatReply("")
        for piece in chat.stream(messages):
            if isinstance(piece, ChatReply):
                reply = piece
            else:
                yield _printable(piece)
        text = reply.text
        if not text.strip():
            yield from self._offline(question, ("The language model gave no answer.",))
            return
        self._end(
            Exchange(
                question=question,
                answer=_printable(text),
                model=reply.model or chat.name,
                sources=tuple(
                    CitedSource(n=n, path=s.path, confidence=s.confidence, text=s.text)
                    for n, s in enumerate(sources, 1)
                ),
                tokens=reply.tokens,
                notes=tuple(_doubts(text, sources)) if self._rag else (),
            )
        )

    def _sources_for(self, question: str) -> list[PromptSource]:
        """The passages for a question, the surest first."""
        hits = self._memory.search(question, limit=self._limit).hits
        return list(dict.fromkeys(prompt_sources(self._memory, hits)))

    def _end(self, exchange: Exchange) -> None:
        self.last = exchange
        self._history += [
            {"role": "user", "content": exchange.question},
            {"role": "assistant", "content": exchange.answer},
        ]
        del self._history[:-_MESSAGES_KEPT]


def _sources_of(reply: Reply) -> tuple[CitedSource, ...]:
    """What an answer cites; where it answers nothing, what was found, to be read all the same."""
    texts = {(hit.path, hit.start_line): hit.text for hit in reply.hits}
    pairs = zip(reply.citations, reply.contract.evidence, strict=True)
    sources = tuple(
        CitedSource(
            n=citation.n,
            path=f"{citation.path}:{citation.start_line}-{citation.end_line}",
            confidence=citation.match,
            text=texts.get((citation.path, citation.start_line), item.excerpt),
        )
        for citation, item in pairs
    )
    return sources or tuple(
        CitedSource(n=n, path=hit.source_ref, confidence=hit.score, text=hit.text)
        for n, hit in enumerate(reply.hits, 1)
    )


def _doubts(text: str, sources: Sequence[PromptSource]) -> Iterator[str]:
    """What should be known about an answer that has been said already."""
    marks = dict.fromkeys(cited(text))
    wrong = [n for n in marks if not 1 <= n <= len(sources)]
    if wrong:
        yield f"It cites what it was not given: {', '.join(f'[{n}]' for n in wrong)}."
    good = [sources[n - 1] for n in marks if n not in wrong]
    if not good:
        yield "It cites no source: nothing here bears it out."
        return
    passages = [(source.path, source.text) for source in good]
    pieces = [text[start:end] for start, end in sentences(text)]
    loose = sum(not supported(piece, passages) for piece in pieces if re.search(r"[^\W\d_]", piece))
    if loose:
        yield f"{loose} of its sentences are not borne out by the sources it cites."
    best = max(source.confidence for source in good)
    if best < ASSERT_ABOVE:
        yield f"Its best source has a confidence of {best:.0%}, below {ASSERT_ABOVE:.0%}."


def converse(agent: Agent, lines: Iterable[str], write: Callable[[str], None]) -> None:
    """Answer each line until there are no more, or `:quit`; a question that fails says why."""
    for line in lines:
        asked = line.strip()
        match = _ORDER.fullmatch(asked)
        order = next((word for word in match.groups() if word), "") if match else None
        if order in _ENDING:
            return
        if not asked:
            continue
        try:
            for piece in _answered(agent, asked) if order is None else _done(agent, order):
                write(piece)
        except QuipuError as error:
            write(f"error: {error}\n")


def _answered(agent: Agent, question: str) -> Iterator[str]:
    """The answer, and below it its sources (an offline one bears them) and what to know."""
    yield from agent.ask(question)
    yield "\n"
    if (last := agent.last) is not None:
        if last.model != _OFFLINE or last.answer == "unknown":
            yield from _source_lines(agent)
        yield from (f"note: {_printable(note, '')}\n" for note in dict.fromkeys(last.notes))


def _source_lines(agent: Agent) -> Iterator[str]:
    for source in agent.last.sources if agent.last else ():
        yield f"[{source.n}] {_printable(source.path, '')} ({source.confidence:.0%} match)\n"


def _done(agent: Agent, word: str) -> Iterator[str]:
    if word.isdecimal():
        source = agent.source(int(word[:9]))
        path = _printable(source.path, "")
        yield f"[{source.n}] {path} (confidence: {source.confidence:.0%})\n"
        yield _printable(source.text, "\n\t") + "\n"
    elif word == "sources":
        yield from _source_lines(agent) if agent.last else ["there are none: ask first\n"]
    elif word in {"", "help"}:
        yield f"{HELP}\n"
    else:
        yield f"there is no :{_printable(word, '')}; {HELP}\n"


def _printable(text: str, also: str = "\n") -> str:
    return "".join(c for c in text if c.isprintable() or c in also)
