"""Whether the server lives, is ready to answer, and what it counts."""

from collections.abc import Iterator

import msgspec
from litestar import Response, get

from quipu.errors import QuipuError
from quipu.memory import Memory
from quipu.read import redact
from quipu.serve.http.given import TheCaller, TheMemories, TheMemory, TheMetrics
from quipu.serve.http.memories import Memories
from quipu.serve.http.metrics import CONTENT_TYPE
from quipu.serve.http.shapes import Health, Ready, ReadyCheck, StoreHealth
from quipu.store.graphs import graphs
from quipu.version import VERSION

__all__ = ["ROUTES", "neo4j_health"]

_NEO4J = {"404": StoreHealth, "503": StoreHealth}


@get("/health", sync_to_thread=False)
def health() -> Health:
    """Say that the process answers."""
    return Health(version=VERSION)


@get("/health/ready", sync_to_thread=True, opt={"told": {"503": Ready}})
def ready(memories: TheMemories, caller: TheCaller) -> Response[Ready]:
    """Say whether questions can be answered: the store, the index, the embedder. Where keys are
    asked for, only a holder of one is told the details, and those of the key's own namespace."""
    checks = tuple(_checks(memories, caller.namespace))
    if not caller.is_known:
        checks = tuple(msgspec.structs.replace(each, detail="") for each in checks)
    found = Ready(ready=all(each.status != "failed" for each in checks), checks=checks)
    return Response(found, status_code=200 if found.ready else 503)


@get("/health/neo4j", sync_to_thread=True, opt={"needs": "read", "told": _NEO4J})
def neo4j(memory: TheMemory) -> Response[StoreHealth]:
    """Say how the Neo4j store is; 404 where the store is another."""
    status, body = neo4j_health(memory)
    return Response(body, status_code=status)


@get("/metrics", sync_to_thread=True, opt={"needs": "read"}, media_type=CONTENT_TYPE)
def metrics_text(metrics: TheMetrics, memories: TheMemories, caller: TheCaller) -> Response[bytes]:
    """Figures for Prometheus: of the key's namespace; of the whole server's calls and models only
    for scope `admin`. Without keys all of them."""
    if caller.namespace:
        memories.of(caller.namespace)  # the figures are of memories that are open
    text = metrics.text(namespace=caller.namespace or None, whole=caller.may("admin"))
    return Response(text, media_type=CONTENT_TYPE)


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
        memory = memories.of(namespace) if namespace else memories.first
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


ROUTES = [health, ready, neo4j, metrics_text]
