"""The settings of models: which one embeds, which one writes, and within what limits."""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

__all__ = ["NEEDS_TRUST", "ORDINARY", "ChatConfig", "EmbedConfig", "trust_unless"]


ORDINARY: Final[dict[str, Any]] = {"trust": False}
NEEDS_TRUST: Final[dict[str, Any]] = {"trust": True}


def trust_unless(*harmless: str) -> dict[str, Any]:
    """Needs trust, but for these values."""
    return {"trust": True, "harmless": harmless}


_REMOTE = "openai|azure|compatible"

_CONTENT: TypeAlias = Literal["prose", "code", "conversation", "commit"]
_NAMED = rf"^(minilm|multilingual|none|({_REMOTE}):\S+)$"
_EmbedModel: TypeAlias = Annotated[str, Meta(pattern=_NAMED)]


class _RemoteConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is set of every model that is asked over the network."""

    base_url: Annotated[
        str,
        Meta(
            description="Where a remote model is, such as `http://localhost:11434/v1`; Azure: the "
            "resource's endpoint."
        ),
    ] = ""
    api_version: Annotated[str, Meta(description="Azure's API version.")] = "2024-10-21"
    deployment: Annotated[
        str, Meta(description="Azure's name for the deployed model; empty: the model's.")
    ] = ""
    key_file: Annotated[
        str,
        Meta(description="A file with the key; else the environment or a trusted `.env` has it."),
    ] = ""
    timeout_s: Annotated[float, Meta(gt=0, description="How long one request may take.")] = 30.0
    retries: Annotated[
        int, Meta(ge=0, le=10, description="How often a failed request is made again.")
    ] = 2
    max_tokens: Annotated[
        int, Meta(extra=NEEDS_TRUST, ge=0, description="Tokens a process may spend; 0: no limit.")
    ] = 0
    max_cost: Annotated[
        float, Meta(extra=NEEDS_TRUST, ge=0, description="What a process may spend; 0: no limit.")
    ] = 0.0


class EmbedConfig(_RemoteConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that turns text into vectors."""

    model: Annotated[
        str,
        Meta(
            extra=trust_unless("minilm", "multilingual", "none"),
            pattern=_NAMED,
            description="`minilm`: all-MiniLM-L6-v2 on this machine. `multilingual`: it and an "
            "encoder of sixteen languages (extra `languages`). `none`: words and graph. "
            "`openai:NAME`, `azure:NAME`, `compatible:NAME`: a remote model (extra `openai`).",
        ),
    ] = "minilm"
    types: Annotated[
        dict[_CONTENT, _EmbedModel],
        Meta(
            extra=trust_unless("minilm", "multilingual", "none"),
            description="A model a content type (`prose`, `code`, `conversation`, `commit`), where "
            'it is not `model`: `[embed.types]` with `code = "minilm"`.',
        ),
    ] = {}
    folder: Annotated[
        str,
        Meta(description="Where the weights are; empty: the usual places (`quipu doctor`)."),
    ] = ""
    precision: Annotated[
        Literal["auto", "fp32", "int8", "openvino-bf16"],
        Meta(
            description="`auto`: what a memory holds, and where it holds nothing `int8` if that is "
            "faster here (x86 with VNNI: twice as fast), else `fp32`. Each has a space of its own: "
            "`quipu reindex` after a change (`openvino-bf16` is gone and counts as `auto`)."
        ),
    ] = "auto"
    device: Annotated[
        Literal["auto", "cpu", "cuda"],
        Meta(description="Counts for nothing, and goes with the next version."),
    ] = "auto"
    threads: Annotated[
        int, Meta(ge=0, description="Texts embedded side by side; 0: one a core.")
    ] = 0
    cache_mb: Annotated[
        int,
        Meta(ge=0, description="The size of the cache of vectors by content; 0: no cache."),
    ] = 512
    fallback: Annotated[
        Literal["minilm", "off"],
        Meta(
            description="When the remote model fails: `minilm` searches the space of MiniLM if one "
            "was built, else words and graph, and says so. `off`: an error."
        ),
    ] = "minilm"
    dimension: Annotated[
        int, Meta(ge=0, description="The length of a remote model's vectors; 0: the known one.")
    ] = 0
    price: Annotated[
        float,
        Meta(
            extra=NEEDS_TRUST,
            ge=0,
            description="Price of a million tokens, which `max_cost` needs.",
        ),
    ] = 0.0


class ChatConfig(_RemoteConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The language model; without one answers are the evidence's own sentences."""

    model: Annotated[
        str,
        Meta(
            extra=trust_unless("none"),
            pattern=rf"^(none|({_REMOTE}):\S+)$",
            description="`none`, `openai:NAME`, `azure:NAME` or `compatible:NAME` (extra "
            "`openai`).",
        ),
    ] = "none"
    timeout_s: Annotated[float, Meta(gt=0, description="How long one request may take.")] = 60.0
    input_price: Annotated[
        float,
        Meta(
            extra=NEEDS_TRUST,
            ge=0,
            description="Price of a million tokens read, which `max_cost` needs.",
        ),
    ] = 0.0
    output_price: Annotated[
        float,
        Meta(
            extra=NEEDS_TRUST,
            ge=0,
            description="Price of a million tokens written, which `max_cost` needs.",
        ),
    ] = 0.0
    answer_tokens: Annotated[
        int,
        Meta(
            extra=NEEDS_TRUST,
            ge=16,
            description="The longest answer, in tokens.",
        ),
    ] = 1024
    write_answers: Annotated[
        bool,
        Meta(
            extra=NEEDS_TRUST,
            description="Whether `ask` lets the model write; its words are checked.",
        ),
    ] = True
