"""A language model behind the chat-completions interface, as the port `Chat` has it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from quipu.errors import ModelUnavailable
from quipu.models.calling import Budget, EndpointClient, Usage, tokens_of
from quipu.models.endpoint import endpoint
from quipu.models.settings import ChatConfig
from quipu.ports import ChatReply

__all__ = ["RemoteChat", "open_chat"]


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str = ""
    usage: _Usage | None = None


class RemoteChat:
    """A model that completes messages, at once or in pieces."""

    def __init__(self, caller: EndpointClient, *, answer_tokens: int = 1024) -> None:
        self._caller = caller
        self._answer_tokens = answer_tokens

    @property
    def name(self) -> str:
        """`provider:model`."""
        return str(self._caller.endpoint.name)

    @property
    def budget(self) -> Budget:
        """What was spent so far."""
        return self._caller.budget

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
    ) -> ChatReply:
        """The model's next message; with `schema` its text is to be JSON of that shape, which
        the caller checks. Raises ModelUnavailable, OverBudget, MissingExtra."""
        body = self._body(messages, schema)
        found = self._caller.call(
            lambda client: client.chat.completions.with_raw_response.create(**body),
            _Completion,
            estimate=self._estimate(body),
            used=lambda c: self._used(c, body),
        )
        if not found.choices:
            raise ModelUnavailable(f"the model {self.name!r} failed: it gave no choice")
        message = found.choices[0].message
        text = message.content or message.refusal or ""
        return ChatReply(text, self._used(found, body).tokens, found.model)

    def stream(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[str | ChatReply]:
        """Pieces of text as they come, then the whole as the one ChatReply."""
        body = self._body(messages, None)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        pieces: list[str] = []
        model, tokens = "", 0
        chunks = self._caller.stream(
            lambda client: client.chat.completions.create(**body), estimate=self._estimate(body)
        )
        for chunk in chunks:
            model = getattr(chunk, "model", None) or model
            if usage := getattr(chunk, "usage", None):
                tokens = int(getattr(usage, "total_tokens", 0) or 0)
            for choice in (getattr(chunk, "choices", None) or ())[:1]:
                content = getattr(choice.delta, "content", None)
                if isinstance(content, str) and content:
                    pieces.append(content)
                    yield content
        yield ChatReply("".join(pieces), tokens, model)

    def _body(
        self, messages: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        where = self._caller.endpoint
        compatible = where.name.provider == "compatible"
        body: dict[str, Any] = {
            "model": where.asked,
            "messages": [dict(message) for message in messages],
            "max_tokens" if compatible else "max_completion_tokens": self._answer_tokens,
        }
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
            }
        return body

    def _estimate(self, body: Mapping[str, Any]) -> Usage:
        return Usage(tokens_of(json.dumps(body["messages"])), self._answer_tokens)

    def _used(self, found: _Completion, body: Mapping[str, Any]) -> Usage:
        if found.usage is not None:
            return Usage(max(found.usage.prompt_tokens, 0), max(found.usage.completion_tokens, 0))
        text = found.choices[0].message.content if found.choices else ""
        return Usage(self._estimate(body).tokens_in, tokens_of(text or ""))


def open_chat(config: ChatConfig, variables: Mapping[str, str]) -> RemoteChat | None:
    """The language model that the configuration names; None for `none`.

    Raises InvalidConfig, ModelUnavailable (no key).
    """
    if config.model == "none":
        return None
    budget = Budget(
        max_tokens=config.max_tokens,
        max_cost=config.max_cost,
        input_price=config.input_price,
        output_price=config.output_price,
    )
    where = endpoint(config, variables)
    caller = EndpointClient(where, budget=budget, retries=config.retries)
    return RemoteChat(caller, answer_tokens=config.answer_tokens)
