"""What requests hold, and what only HTTP gives. Results are those of the command line and MCP."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quipu.records.record import Entity, Episode, Relation
from quipu.serve.http.runs import Run, RunKind

__all__ = [
    "EntityPage",
    "Episodes",
    "Health",
    "NewRun",
    "Ready",
    "ReadyCheck",
    "RelationPage",
    "RunList",
    "SetUp",
    "StoreHealth",
]

Words = Annotated[str, Meta(max_length=20_000)]
"""A text that is looked for."""

_Names = Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(max_length=100)]
_Date = Annotated[str, Meta(max_length=40)]
_Name = Annotated[str, Meta(max_length=500)]


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health`."""

    status: Annotated[Literal["healthy"], "the process answers"] = "healthy"
    version: Annotated[str, "Quipu's version"]


class ReadyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that questions need."""

    name: Annotated[Literal["store", "index", "embedder"], "what was looked at"]
    status: Annotated[Literal["ok", "degraded", "failed"], "`degraded` answers, with less"]
    detail: Annotated[str, "what was found, and what to do about it; empty without a key"]


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/ready`; with status 503 when a check failed."""

    ready: Annotated[bool, "whether questions can be answered"]
    checks: Annotated[tuple[ReadyCheck, ...], "each thing that was looked at"]


class StoreHealth(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /health/neo4j`."""

    status: Annotated[Literal["healthy", "unhealthy", "not used"], "how the store is"]
    message: Annotated[str, "what was found; secrets are taken out"]


class Episodes(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/episodes`."""

    episodes: Annotated[tuple[Episode, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class EntityPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/entities`."""

    entities: Annotated[tuple[Entity, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RelationPage(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/relations`."""

    relations: Annotated[tuple[Relation, ...], "by id"]
    next_cursor: Annotated[str | None, "what gives those after them; null at the end"]


class RunList(msgspec.Struct, frozen=True, kw_only=True):
    """The long work of a memory."""

    runs: Annotated[tuple[Run, ...], "the latest first"]


class NewRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`POST /api/v1/runs`."""

    kind: Annotated[
        RunKind,
        Meta(
            description="`index` reads files, `commits` the history, `reflect` makes reports, "
            "`reindex` embeds everything again, `golden` asks the questions of a file",
            examples=["index"],
        ),
    ]
    paths: Annotated[
        _Names, Meta(description="of `index`: files and folders below the memory's folder")
    ] = ()
    file: Annotated[_Name, Meta(description="of `golden`: a file below the memory's folder")] = ""


class SetUp(msgspec.Struct, frozen=True, kw_only=True):
    """`GET /api/v1/setup`."""

    memory: Annotated[bool, "whether there is a memory"]
    folder: Annotated[str, "the folder that is remembered, or will be"]
    namespace: Annotated[str, "the caller's namespace; empty while there is no memory"]
    scope: Annotated[str, "what the caller may do: `read`, `write` or `admin`"]
    keyed: Annotated[bool, "whether keys are asked for"]
