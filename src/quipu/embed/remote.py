"""A remote embedding model as an `Embedder`: OpenAI, Azure OpenAI, and what speaks their language.

A space names the model that really ran: an answer from another model, or of another length, is
refused, so spaces cannot mix. Parts and windows are texts of their own here (the interface gives
no token vectors), sent along in one request. Vectors are scaled to length 1.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from quipu.errors import InvalidConfig, ModelUnavailable
from quipu.models.calling import Budget, EndpointClient, Usage, tokens_of
from quipu.models.endpoint import endpoint, read_name
from quipu.models.settings import EmbedConfig
from quipu.ports import Embedded, Vectors

__all__ = ["DIMENSIONS", "RemoteEmbedder", "budget_of", "is_remote", "name_in", "open_remote"]

DIMENSIONS: Mapping[str, int] = {
    "text-embedding-ada-002": 1536,
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
    "bge-m3": 1024,
    "all-minilm": 384,
}
_TEXTS = 64
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"\w+|[^\w\s]")
_VERSION = re.compile(r"(?:[-:@](?:v?[0-9.-]+|latest))?")
_SPACE = re.compile(r"((?:openai|azure|compatible):\S+)/([0-9]+)")
_BYTES = 16_000  # of a text that are sent


class _EmbeddingRow(msgspec.Struct):
    index: int
    embedding: list[float]


class _TokensUsed(msgspec.Struct):
    prompt_tokens: int = 0


class _Vectors(msgspec.Struct):
    data: list[_EmbeddingRow]
    model: str = ""
    usage: _TokensUsed | None = None


class RemoteEmbedder:
    """float32[n, dimension] from a remote model. Of a text the first 16,000 bytes are read; one
    without words has the zero vector and is not sent."""

    def __init__(self, caller: EndpointClient, dimension: int) -> None:
        self._caller = caller
        self._dimension = dimension

    @property
    def space(self) -> str:
        """`provider:model/dimension`."""
        return f"{self._caller.endpoint.name}/{self._dimension}"

    @property
    def dimension(self) -> int:
        """As the model has it, or as it was asked to make it."""
        return self._dimension

    @property
    def budget(self) -> Budget:
        """What was spent so far."""
        return self._caller.budget

    def embed(self, texts: Sequence[str]) -> Vectors:
        """float32[n, d], a row a text. Raises ModelUnavailable, OverBudget, MissingExtra."""
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        places: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            if _LETTER.search(text):
                places.setdefault(_within(text), []).append(i)
        distinct = list(places)
        for first in range(0, len(distinct), _TEXTS):
            page = distinct[first : first + _TEXTS]
            for text, vector in zip(page, self._asked(page), strict=True):
                rows[places[text]] = vector
        return rows

    def embed_parts(self, text: str, spans: Sequence[tuple[int, int]]) -> Embedded:
        """The text's vector, and that of each span as a text of its own."""
        return self.embed_passages([(text, spans)])[0]

    def embed_passages(
        self, passages: Sequence[tuple[str, Sequence[tuple[int, int]]]]
    ) -> list[Embedded]:
        """What `embed_parts` gives for each, asked for together."""
        texts = [[text, *(text[start:end] for start, end in spans)] for text, spans in passages]
        rows = iter(self.embed([each for group in texts for each in group]))
        made = (np.stack([next(rows) for _ in group]) for group in texts)
        return [Embedded(each[0], each[1:]) for each in made]

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        """The text's vector, and those of `size` consecutive words every `stride` words."""
        words = [match.span() for match in _WORD.finditer(_within(text))]
        final = max(len(words) - size, 0)
        firsts = [*range(0, final, stride), final] if words else []
        spans = [(words[i][0], words[min(i + size, len(words)) - 1][1]) for i in firsts]
        return self.embed_parts(text, spans)

    def _asked(self, texts: Sequence[str]) -> Vectors:
        where = self._caller.endpoint
        body: dict[str, Any] = {
            "model": where.asked,
            "input": list(texts),
            "encoding_format": "float",
        }
        model = where.name.model
        if model.startswith("text-embedding-3-") and DIMENSIONS.get(model) != self.dimension:
            body["dimensions"] = self._dimension
        estimate = Usage(sum(map(tokens_of, texts)))
        found = self._caller.call(
            lambda client: client.embeddings.with_raw_response.create(**body),
            _Vectors,
            estimate=estimate,
            used=lambda v: Usage(max(v.usage.prompt_tokens, 0)) if v.usage else estimate,
        )
        return self._checked(found, len(texts))

    def _checked(self, found: _Vectors, count: int) -> Vectors:
        where = self._caller.endpoint
        allowed = {where.name.model, where.deployment}
        if found.model and not any(_same_model(found.model, name) for name in allowed):
            raise ModelUnavailable(
                f"{str(where.name)!r} was asked and {found.model[:100]!r} answered: vectors of two "
                "models do not mix; name the model that is there in embed.model"
            )
        rows = sorted(found.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise ModelUnavailable(
                f"{str(where.name)!r} gave {len(rows)} vectors for {count} texts: ask again"
            )
        lengths = {len(row.embedding) for row in rows}
        if lengths != {self._dimension}:
            raise ModelUnavailable(
                f"{str(where.name)!r} gives vectors of length {sorted(lengths)}, not "
                f"{self._dimension}: set embed.dimension, then `quipu reindex`"
            )
        vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise ModelUnavailable(f"{str(where.name)!r} gave a vector that is none: ask again")
        return (vectors / norms).astype(np.float32)


def is_remote(model: str) -> bool:
    """Whether `embed.model` names a remote model."""
    return ":" in model


def name_in(space: str) -> tuple[str, int] | None:
    """The remote model, and its dimension, that filled `space`; None for another's."""
    match = _SPACE.fullmatch(space)
    return (match[1], int(match[2])) if match else None


def budget_of(config: EmbedConfig) -> Budget:
    """What may be spent on vectors. Raises InvalidConfig for a cost without a price."""
    return Budget(max_tokens=config.max_tokens, max_cost=config.max_cost, input_price=config.price)


def open_remote(
    config: EmbedConfig, variables: Mapping[str, str], *, budget: Budget | None = None
) -> RemoteEmbedder:
    """The remote model that `config` names; models may share a `budget`.

    Raises InvalidConfig, ModelUnavailable (no key).
    """
    name = read_name(config.model)
    dimension = config.dimension or DIMENSIONS.get(name.model, 0)
    if not dimension:
        raise InvalidConfig(
            f"the length of the vectors of {config.model!r} is not known: set embed.dimension"
        )
    where, spent = endpoint(config, variables), budget or budget_of(config)
    caller = EndpointClient(where, budget=spent, retries=config.retries)
    return RemoteEmbedder(caller, dimension)


def _within(text: str) -> str:
    return text.encode("utf-8", "replace")[:_BYTES].decode("utf-8", "ignore")


def _same_model(answered: str, asked: str) -> bool:
    """`text-embedding-ada-002-v2` and `nomic-embed-text:latest` are what was asked for."""
    rest = answered.casefold().removeprefix(asked.casefold())
    return len(rest) < len(answered) and _VERSION.fullmatch(rest) is not None
