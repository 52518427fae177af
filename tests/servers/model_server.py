"""A server that speaks the chat-completions and embeddings interfaces, for tests without a model.

It listens on this machine only and answers from what the test laid ready; and it can be as bad as
servers are: slow, wrong, busy, malformed, hostile, or cutting the connection half-way.

    with ModelServer(reply="Team Blue owns it [1].") as server:
        server.then(Status(429, retry_after=0.1))
        ...                     # the first request is refused, the second answered
        assert server.requests[-1].key == "sk-test"
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self, TypeAlias

from quipu.testing.fakes import HashEmbedder

__all__ = [
    "Body",
    "Cut",
    "ErrorStatus",
    "ModelServer",
    "Request",
    "Slow",
    "WrongModel",
]


class ErrorStatus(NamedTuple):
    """Answer with an error status; `said` is the error's message, whatever a server may say."""

    code: int
    said: str = "refused"
    retry_after: float | None = None
    kind: str = ""


class Slow(NamedTuple):
    """Wait before answering."""

    seconds: float


class Body(NamedTuple):
    """Answer 200 with these bytes, which need not be what was asked for."""

    content: bytes
    type: str = "application/json"


class Cut(NamedTuple):
    """Close the connection after so many bytes of the answer's body."""

    after: int = 10


class WrongModel(NamedTuple):
    """Answer as another model than was asked for, with vectors of its own length."""

    model: str
    dimension: int = 7


class Request(NamedTuple):
    """What came in; `key` is what the client showed as its key."""

    path: str
    key: str
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All messages, one after the other."""
        return "\n".join(str(m.get("content")) for m in self.body.get("messages", []))


Trouble: TypeAlias = ErrorStatus | Slow | Body | Cut | WrongModel
Reply: TypeAlias = str | Callable[[Request], str]


class ModelServer:
    """The server; `reply` answers every chat (a text, or what makes one of the
    request), `replies` come first, one a request. Vectors are those of `HashEmbedder`."""

    def __init__(
        self, *, reply: Reply = "ok", replies: Sequence[Reply] = (), dimension: int = 32
    ) -> None:
        self.requests: list[Request] = []
        self.embedder = HashEmbedder(dimension)
        self.reply = reply
        self.replies = deque(replies)
        self._troubles: deque[Trouble] = deque()
        self._always: Trouble | None = None
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT`, as Azure has it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base_url(self) -> str:
        """`http://127.0.0.1:PORT/v1`, as OpenAI and those like it have it."""
        return f"{self.address}/v1"

    def then(self, *troubles: Trouble) -> None:
        """The next requests meet these, one each."""
        with self._lock:
            self._troubles.extend(troubles)

    def always(self, trouble: Trouble | None) -> None:
        """Every request meets this, until it is set to None."""
        with self._lock:
            self._always = trouble

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer(self, request: Request) -> tuple[Trouble | None, str]:
        """What `request` meets, and what would be said to it."""
        with self._lock:
            self.requests.append(request)
            trouble = self._troubles.popleft() if self._troubles else self._always
            failing = isinstance(trouble, ErrorStatus | Cut | Body)
            reply = self.reply
            if self.replies and not failing and "messages" in request.body:
                reply = self.replies.popleft()
        return trouble, reply if isinstance(reply, str) else reply(request)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(_Handler):
            def do_POST(self) -> None:
                self.respond(server)

        return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's own name
        """Say nothing."""

    def respond(self, server: ModelServer) -> None:
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size) or b"{}")
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        request = Request(self.path, self.headers.get("api-key") or bearer, body)
        trouble, said = server.answer(request)
        try:
            self._send(server, request, trouble, said)
        except OSError:
            self.close_connection = True  # the client did not wait

    def _send(
        self, server: ModelServer, request: Request, trouble: Trouble | None, said: str
    ) -> None:
        if isinstance(trouble, Slow):
            time.sleep(trouble.seconds)
        if isinstance(trouble, ErrorStatus):
            error = {"error": {"message": trouble.said, "code": trouble.kind, "type": trouble.kind}}
            self._write(trouble.code, json.dumps(error).encode(), wait=trouble.retry_after)
            return
        if isinstance(trouble, Body):
            self._write(200, trouble.content, kind=trouble.type)
            return
        wrong = trouble if isinstance(trouble, WrongModel) else None
        if "/embeddings" in self.path:
            content = json.dumps(_vectors(server, request, wrong)).encode()
            kind = "application/json"
        elif request.body.get("stream"):
            content, kind = _events(request, said).encode(), "text/event-stream"
        else:
            content = json.dumps(_completion(request, said, wrong)).encode()
            kind = "application/json"
        cut = trouble.after if isinstance(trouble, Cut) else None
        self._write(200, content, kind=kind, cut=cut)

    def _write(
        self,
        code: int,
        content: bytes,
        *,
        kind: str = "application/json",
        wait: float | None = None,
        cut: int | None = None,
    ) -> None:
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        if wait is not None:
            self.send_header("retry-after", str(wait))
        self.end_headers()
        self.wfile.write(content if cut is None else content[:cut])
        self.wfile.flush()
        if cut is not None:
            self.close_connection = True


def _completion(request: Request, said: str, wrong: WrongModel | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": said}
    words = len(request.text.split())
    written = len(said.split())
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": wrong.model if wrong else request.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {
            "prompt_tokens": words,
            "completion_tokens": written,
            "total_tokens": words + written,
        },
    }


def _events(request: Request, said: str) -> str:
    whole = _completion(request, said, None)
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in _pieces(said)
    ]
    chunks.append({"choices": [], "usage": whole["usage"]})
    common = {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": whole["model"],
    }
    lines = [f"data: {json.dumps({**common, **chunk})}\n\n" for chunk in chunks]
    return "".join(lines) + "data: [DONE]\n\n"


def _pieces(text: str) -> list[str]:
    return [f"{word} " for word in text.split(" ")[:-1]] + [text.rsplit(" ", maxsplit=1)[-1]]


def _vectors(server: ModelServer, request: Request, wrong: WrongModel | None) -> dict[str, Any]:
    given = request.body["input"]
    texts = [given] if isinstance(given, str) else given
    embedder = HashEmbedder(wrong.dimension) if wrong else server.embedder
    rows = embedder.embed(texts).tolist()
    used = sum(len(text.split()) for text in texts)
    return {
        "object": "list",
        "model": wrong.model if wrong else request.body.get("model", ""),
        "data": [{"object": "embedding", "index": i, "embedding": r} for i, r in enumerate(rows)],
        "usage": {"prompt_tokens": used, "total_tokens": used},
    }
