"""The settings of models: which one embeds, which one writes, and within what limits."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

__all__ = ["NEEDS_TRUST", "ORDINARY", "ChatConfig", "EmbedConfig", "trust_unless"]


ORDINARY: Final = Meta(extra={"trust": False})
NEEDS_TRUST: Final = Meta(extra={"trust": True})


def trust_unless(*harmless: str) -> Meta:
    """Needs trust, but for these values."""
    return Meta(extra={"trust": True, "harmless": harmless})


_REMOTE = "openai|azure|compatible"

_CONTENT: TypeAlias = Literal["prose", "code", "conversation", "commit"]
_NAMED = Meta(pattern=rf"^(minilm|multilingual|none|({_REMOTE}):\S+)$")
_LOCAL = trust_unless("minilm", "multilingual", "none")
_LIMIT: TypeAlias = Annotated[float, Meta(ge=0), NEEDS_TRUST]


class _RemoteConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is set of every model that is asked over the network."""

    base_url: str = ""
    api_version: str = "2024-10-21"
    deployment: str = ""
    key_file: str = ""
    timeout_s: Annotated[float, Meta(gt=0)] = 30.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    max_tokens: Annotated[int, Meta(ge=0), NEEDS_TRUST] = 0
    max_cost: _LIMIT = 0.0


class EmbedConfig(_RemoteConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that turns text into vectors."""

    model: Annotated[str, _NAMED, _LOCAL] = "minilm"
    types: Annotated[dict[_CONTENT, Annotated[str, _NAMED]], _LOCAL] = {}
    folder: str = ""
    precision: Literal["auto", "fp32", "int8", "openvino-bf16"] = "auto"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: Annotated[int, Meta(ge=0)] = 0
    cache_mb: Annotated[int, Meta(ge=0)] = 512
    fallback: Literal["minilm", "off"] = "minilm"
    dimension: Annotated[int, Meta(ge=0)] = 0
    price: _LIMIT = 0.0


class ChatConfig(_RemoteConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The language model; without one answers are the evidence's own sentences."""

    model: Annotated[str, Meta(pattern=rf"^(none|({_REMOTE}):\S+)$"), trust_unless("none")] = "none"
    timeout_s: Annotated[float, Meta(gt=0)] = 60.0
    input_price: _LIMIT = 0.0
    output_price: _LIMIT = 0.0
    answer_tokens: Annotated[int, Meta(ge=16), NEEDS_TRUST] = 1024
    write_answers: Annotated[bool, NEEDS_TRUST] = True
