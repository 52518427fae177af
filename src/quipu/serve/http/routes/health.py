"""Whether the server lives, is ready to answer, and what it counts."""

from collections.abc import Iterator

import msgspec
from starlette.responses import Response

from quipu.errors import QuipuError
from quipu.memory import Memory
from quipu.read import redact
from quipu.serve.http.caller import Caller
from quipu.serve.http.endpoints import json_response
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import CONTENT_TYPE, ServerMetrics
from quipu.serve.http.shapes import Health, Ready, ReadyCheck, StoreHealth
from quipu.serve.operations import Http, operation
from quipu.store.graphs import graphs
from quipu.version import VERSION

__all__ = ["neo4j_health"]


@operation(None, Http("GET /health"))
def health() -> Health:
    """Say that the process answers."""
    return Health(version=VERSION)


@operation(None, Http("GET /health/ready", gives=Ready, told={503: Ready}))
def ready(memories: Memories, caller: Caller) -> Response:
    """Say whether questions can be answered: the store, the index, the embedder.

    Where keys are asked for, only a holder of one is told the details, and those of the key's own
    namespace.
    """
    checks = tuple(_checks(memories, caller.namespace))
    if not caller.is_known:
        checks = tuple(msgspec.structs.replace(each, detail="") for each in checks)
    found = Ready(ready=all(each.status != "failed" for each in checks), checks=checks)
    return json_response(found, 200 if found.ready else 503)


@operation(
    "read",
    Http("GET /health/neo4j", gives=StoreHealth, told={404: StoreHealth, 503: StoreHealth}),
)
def neo4j(memory: Memory) -> Response:
    """Say how the Neo4j store is; 404 where the store is another."""
    status, body = neo4j_health(memory)
    return json_response(body, status)


@operation("read", Http("GET /metrics"))
def metrics_text(metrics: ServerMetrics, memories: Memories, caller: Caller) -> Response:
    """Give figures for Prometheus: what the memory of the caller's namespace holds.

    What the server counts (requests, latencies, confidence) is for whoever runs it: for the key it
    was started with, and without keys for everybody.
    """
    memory = memories.of(caller.namespace) if memories.exist else None
    text = metrics.text(memory, whole=caller.is_operator)
    return Response(text, headers={"content-type": CONTENT_TYPE})


def neo4j_health(memory: Memory) -> tuple[int, StoreHealth]:
    """The status and the body of `/health/neo4j`. Where the store is none of Neo4j it is 404."""
    url = memory.home.url
    if (graph := graphs(url)) is None:
        kind = url.partition(":")[0] if "://" in url or url == "memory:" else "sqlite"
        detail = f"the store is {kind}, not Neo4j: /health/ready tells of it"
        return 404, StoreHealth(status="not used", message=detail)
    status, body = graph.health(url)
    said = redact(body["message"])[0]
    return status, StoreHealth(status="healthy" if status == 200 else "unhealthy", message=said)


def _checks(memories: Memories, namespace: str) -> Iterator[ReadyCheck]:
    try:
        memory = memories.of(namespace)
        status = memory.stats()
    except (QuipuError, OSError) as error:
        yield ReadyCheck(name="store", status="failed", detail=redact(str(error))[0])
        return
    yield ReadyCheck(name="store", status="ok", detail=f"generation {status.generation}")
    chunks = status.counts.get("chunk", 0)
    if not chunks:
        detail = "it holds nothing: run `quipu index`, or remember something"
        yield ReadyCheck(name="index", status="degraded", detail=detail)
    elif status.stale:
        detail = f"{chunks} passages, and it is {(status.age_s or 0) / 3600:.0f} hours old"
        yield ReadyCheck(name="index", status="degraded", detail=f"{detail}: run `quipu index`")
    else:
        yield ReadyCheck(name="index", status="ok", detail=f"{chunks} passages")
    yield _embedder(memory, status.unembedded)


def _embedder(memory: Memory, lacking: int) -> ReadyCheck:
    try:
        embedder = memory.embedder
    except (QuipuError, OSError) as error:
        detail = f"words and graph only: {redact(str(error))[0]}"
        return ReadyCheck(name="embedder", status="degraded", detail=detail)
    if embedder is None:
        return ReadyCheck(name="embedder", status="degraded", detail="none: words and graph only")
    if lacking:
        detail = f"{embedder.space}; {lacking} passages lack a vector: run `quipu index`"
        return ReadyCheck(name="embedder", status="degraded", detail=detail)
    return ReadyCheck(name="embedder", status="ok", detail=embedder.space)
