"""The memory as a model: what speaks OpenAI's chat completions can ask it.

The last message of the user is the question. `quipu` is the memory itself, without any language
model; `quipu-chat`, where one is configured, lets it write the answer. Citations stand in the text
and, as data, in `citations`.
"""

import secrets
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from starlette.responses import Response, StreamingResponse

from quipu.agents.budget import tokens
from quipu.answer.render import render
from quipu.errors import InvalidInput, UnknownRecord
from quipu.memory import Memory
from quipu.records.reply import Citation, Confidence, Reply
from quipu.serve.http.endpoints import json_response
from quipu.serve.http.metrics import ServerMetrics
from quipu.serve.operations import Http, operation
from quipu.when.instants import to_epoch

__all__: list[str] = []

_MODEL = "quipu"
_WRITER = "quipu-chat"
_PIECE = 80  # characters of a piece of a streamed answer, about


class ChatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message; a content in parts counts with its texts."""

    role: Annotated[str, Meta(max_length=50, description="`system`, `user`, `assistant` …")]
    content: Annotated[
        Annotated[str, Meta(max_length=200_000)] | list[dict[str, Any]] | None,
        Meta(description="what is said"),
    ] = None

    @property
    def text(self) -> str:
        """What is said, as one text."""
        if isinstance(self.content, list):
            return "\n".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


class StreamOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a stream also tells."""

    include_usage: Annotated[bool, Meta(description="a last piece tells the tokens")] = False


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """`POST /v1/chat/completions`; what a memory has no use for (`temperature`) is passed over."""

    model: Annotated[
        str, Meta(max_length=200, description="`quipu` or `quipu-chat`", examples=["quipu"])
    ]
    messages: Annotated[
        list[ChatMessage],
        Meta(
            min_length=1,
            max_length=1000,
            description="what was said; the last of the user is the question",
            examples=[[{"role": "user", "content": "who owns the payment service?"}]],
        ),
    ]
    stream: Annotated[bool | None, Meta(description="answer in pieces, as events")] = None
    stream_options: Annotated[StreamOptions | None, Meta(description="of a stream")] = None
    n: Annotated[Annotated[int, Meta(ge=1, le=1)] | None, Meta(description="1")] = None

    @property
    def question(self) -> str:
        """What the user said last; empty where that is nothing."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the memory says."""

    role: Annotated[str, "`assistant`"] = ""
    content: Annotated[str | None, "the answer, with its evidence as lines"] = None


class ChatChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The one answer."""

    index: Annotated[int, "0"] = 0
    message: Annotated[Said, "the answer"]
    finish_reason: Annotated[Literal["stop"], "always `stop`"] = "stop"


class ChatUsage(msgspec.Struct, frozen=True, kw_only=True):
    """About how many tokens there were."""

    prompt_tokens: Annotated[int, "of the messages"]
    completion_tokens: Annotated[int, "of the answer"]
    total_tokens: Annotated[int, "of both"]


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """`POST /v1/chat/completions`."""

    id: Annotated[str, "names this answer"]
    object: Annotated[Literal["chat.completion"], "what it is"] = "chat.completion"
    created: Annotated[int, "when, in seconds since 1970"]
    model: Annotated[str, "what answered"]
    choices: Annotated[tuple[ChatChoice, ...], "one answer"]
    usage: Annotated[ChatUsage, "about how many tokens"]
    citations: Annotated[tuple[Citation, ...], "what the marks `[n]` open"]
    confidence: Annotated[Confidence, "how sure the answer is"]


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """What can be asked."""

    id: Annotated[str, "its name"]
    object: Annotated[Literal["model"], "what it is"] = "model"
    created: Annotated[int, "0: it is as old as the memory"] = 0
    owned_by: Annotated[str, "`quipu`"] = "quipu"


class ModelList(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /v1/models`."""

    object: Annotated[Literal["list"], "what it is"] = "list"
    data: Annotated[tuple[Model, ...], "what can be asked"]


@operation("read", Http("GET /v1/models"))
def list_models(memory: Memory) -> ModelList:
    """List what can be asked: the memory, and the memory with its language model."""
    return ModelList(data=tuple(Model(id=name) for name in _models(memory)))


@operation("read", Http("GET /v1/models/{name:str}"))
def show_model(memory: Memory, name: Annotated[str, "the model"]) -> Model:
    """Show one of them."""
    return Model(id=_known(memory, name))


@operation("read", Http("POST /v1/chat/completions", gives=Completion, streams=True))
def complete(memory: Memory, metrics: ServerMetrics, data: ChatRequest) -> Response:
    """Answer the last question of a chat, with citations; in pieces where `stream` asks for it."""
    name = _known(memory, data.model)
    if not data.question.strip():
        raise InvalidInput("there is no question: the last message of role 'user' is asked")
    reply = memory.ask(data.question, offline=name == _MODEL)
    metrics.answered(reply, namespace=memory.store.namespace)
    done = _completion(memory, name, data, reply)
    if not data.stream:
        return json_response(done)
    wants_usage = bool(data.stream_options and data.stream_options.include_usage)
    pieces = _pieces(done, usage=wants_usage)
    headers = {"cache-control": "no-store"}
    return StreamingResponse(pieces, headers=headers, media_type="text/event-stream")


def _models(memory: Memory) -> list[str]:
    return [_MODEL, _WRITER] if memory.config.chat.model != "none" else [_MODEL]


def _known(memory: Memory, name: str) -> str:
    names = _models(memory)
    if name not in names:
        raise UnknownRecord(f"there is no model {name!r}: ask one of {', '.join(names)}")
    return name


def _completion(memory: Memory, name: str, asked: ChatRequest, reply: Reply) -> Completion:
    text = render(reply)
    given = sum(tokens(message.text) for message in asked.messages)
    return Completion(
        id=f"chatcmpl-{secrets.token_hex(12)}",
        created=int(to_epoch(memory.clock())),
        model=name,
        choices=(ChatChoice(message=Said(role="assistant", content=text)),),
        usage=ChatUsage(
            prompt_tokens=given, completion_tokens=tokens(text), total_tokens=given + tokens(text)
        ),
        citations=reply.citations,
        confidence=reply.confidence,
    )


def _pieces(done: Completion, *, usage: bool) -> Iterator[bytes]:
    """The answer as OpenAI's events: its text, then its citations, then `[DONE]`."""
    shared: dict[str, Any] = {
        "id": done.id,
        "object": "chat.completion.chunk",
        "created": done.created,
        "model": done.model,
    }

    def event(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {**shared, "choices": [choice], **more}
        return b"data: " + msgspec.json.encode(chunk) + b"\n\n"

    yield event({"role": "assistant", "content": ""})
    text = done.choices[0].message.content or ""
    for begin in range(0, len(text), _PIECE):
        yield event({"content": text[begin : begin + _PIECE]})
    yield event({}, "stop", citations=done.citations, confidence=done.confidence)
    if usage:
        chunk: dict[str, Any] = {**shared, "choices": [], "usage": done.usage}
        yield b"data: " + msgspec.json.encode(chunk) + b"\n\n"
    yield b"data: [DONE]\n\n"
