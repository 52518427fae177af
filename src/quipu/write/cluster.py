"""Reading and embedding on the nodes of a Ray cluster (`pip install 'quipu-memory[ray]'`).

What is read or embedded there comes back in order and is written by this process: the store is the
same, to the byte. Ray does again what a node that dies had under way; what the cluster does not do
in time is done here. Nodes are given bytes and give back records: they need this package and the
model, but neither the files nor the database.
"""

import logging
import socket
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeVar

from quipu.embed.minilm import MiniLM
from quipu.errors import MissingExtra, ModelUnavailable, Unavailable
from quipu.facts.attributes import Attributes
from quipu.ports import Embedded, Embedder, Passage, Vectors
from quipu.telemetry import alone
from quipu.version import VERSION
from quipu.write.limits import Limits
from quipu.write.options import EmbeddedProfiles
from quipu.write.prepare import Prepared, Preparing, Task, is_cheap, prepare, preparing, size_of
from quipu.write.workers import WorkerDied, Workers

__all__ = ["Cluster"]

G = TypeVar("G")
R = TypeVar("R")

_AHEAD = 3
"""Calls in flight for each processor: enough to keep it busy, few enough to bound memory."""
_TRIES = 8
"""So often may nodes die under one call before it is done here."""
_SLICE = 16
_PAGE = 128
"""Passages of one processor that are embedded before they are written."""
_LONGEST_S = 300.0
"""A call that the nodes have not answered by then is done here."""
_REACH_S = 5.0


class Cluster:
    """The nodes behind `address` (`host:port` on one of its machines, `ray://host:port` from
    elsewhere, `auto`); with none, processes of this machine. Connected when it is first needed,
    until this process ends; where the program has a connection to Ray, that one is used."""

    def __init__(self, address: str) -> None:
        self._address = address

    def preparing(self, limits: Limits, attributes: Attributes) -> "Readers":
        """Nodes that make sources ready to be written, each within `limits`."""
        return Readers(self, limits, attributes)

    def shelves(self, given: Iterable[EmbeddedProfiles]) -> tuple[EmbeddedProfiles, ...]:
        """The same, embedded on the nodes where the local model does it: a remote one is no work
        of theirs."""
        return tuple(
            each._replace(embedder=partial(self._embedder, each.embedder)) for each in given
        )

    def _embedder(self, model: Callable[[], Embedder | None]) -> Embedder | None:
        found = model()
        return ClusterEmbedder(self, found) if isinstance(found, MiniLM) else found

    def run(
        self,
        there: Callable[..., R],
        given: Iterable[G],
        *common: object,
        here: Callable[[G], R],
    ) -> Iterator[tuple[G, R]]:
        """Each of `given`, drawn as they are needed, and what `there` makes of it, of this version
        and of what is `common` to all, on a node; or, where that cannot be, `here`."""
        ray = self._connected()
        task = ray.remote(there).options(num_cpus=1, max_retries=_TRIES)
        waiting: deque[tuple[G, Any]] = deque()
        for each in given:
            waiting.append((each, task.remote(each, VERSION, *common)))
            if len(waiting) >= _AHEAD * self.processors:
                yield _result(ray, here, *waiting.popleft())
        for first, reference in waiting:
            yield _result(ray, here, first, reference)

    @property
    def processors(self) -> int:
        """How many the nodes have now; 1 where they have none."""
        return max(1, int(self._connected().cluster_resources().get("CPU", 0)))

    def _connected(self) -> Any:
        ray = _ray()
        if not ray.is_initialized():
            _connect(ray, self._address)
        return ray


class Readers(Workers[Task, Prepared]):
    """Makes sources ready on the nodes of a cluster, as `Workers` does in processes."""

    def __init__(self, cluster: Cluster, limits: Limits, attributes: Attributes) -> None:
        reading = partial(prepare, attributes=attributes)
        super().__init__(reading, 0, limits=limits, size=size_of, here=is_cheap)
        self._cluster = cluster
        self._attributes = attributes

    def map(self, jobs: Iterable[Sequence[Task]]) -> Iterator[tuple[Task, Prepared | WorkerDied]]:
        """Each task and its result, in the order of `jobs`, which are drawn as they are needed."""
        run = self._cluster.run(
            _prepare_all, jobs, self._limits, self._attributes, here=self._all_here
        )
        for job, results in run:
            yield from zip(job, results, strict=True)

    def _all_here(self, job: Sequence[Task]) -> list[Prepared | WorkerDied]:
        return [self.one(task) for task in job]


class ClusterEmbedder:
    """The local model, its passages embedded on the nodes of a cluster and its questions here."""

    def __init__(self, cluster: Cluster, model: MiniLM) -> None:
        self._cluster = cluster
        self._model = model
        self.space = model.space
        self.dimension = model.dimension
        self.embed_parts = model.embed_parts
        self.embed_windows = model.embed_windows

    def at_once(self) -> int:
        """How many passages keep the nodes busy."""
        return _PAGE * self._cluster.processors

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the model does."""
        return self._model.embed(texts)

    def embed_passages(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Each passage's vector and parts, in order. Raises ModelUnavailable where a node's
        processor embeds in another space."""
        slices = (passages[at : at + _SLICE] for at in range(0, len(passages), _SLICE))
        made = self._cluster.run(
            _embed_all, slices, self._model.made_by, self.space, here=self._here
        )
        return [each for _, some in made for each in some]

    def _here(self, passages: Sequence[Passage]) -> list[Embedded]:
        return [self._model.embed_parts(*each) for each in passages]


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise MissingExtra(
            "engine 'ray' needs ray, which is not installed; run `pip install 'quipu-memory[ray]'`"
        ) from error


def _connect(ray: Any, address: str) -> None:
    if address and address != "auto":
        _reach(address)
    with tempfile.TemporaryDirectory(prefix="quipu-") as empty:
        # An empty working directory: else Ray has the nodes import from the folder this process
        # is in, which may hold a `json.py` that somebody else wrote.
        options = {"runtime_env": {"working_dir": empty}, "log_to_driver": False}
        if not address:
            options["include_dashboard"] = False
        try:
            with nullcontext() if address else alone():
                ray.init(address=address or "local", logging_level=logging.ERROR, **options)
        except (Exception, SystemExit) as error:
            raise Unavailable(
                f"no Ray cluster can be used at {address or 'this machine'!r}: {error}; check "
                "index.address (`ray status` there), and that its version of Ray is "
                f"{ray.__version__}"
            ) from error
    # Ray prints what it says of nodes on standard output, where a command's result belongs, and
    # offers no option against it.
    vars(import_module("ray._private.worker"))["_worker_logs_enabled"] = False


def _reach(address: str) -> None:
    """Ray itself tries for two minutes, and then ends the process."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_REACH_S).close()
    except (OSError, ValueError) as error:
        raise Unavailable(
            f"nothing listens at index.address {address!r} ({error}): give host:port, "
            "ray://host:port or auto of a cluster that is there (`ray start --head`)"
        ) from error


def _result(ray: Any, here: Callable[[G], R], given: G, reference: Any) -> tuple[G, R]:
    try:
        return given, ray.get(reference, timeout=_LONGEST_S)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError:  # its nodes are gone, or take too long
        return given, here(given)


def _require(version: str) -> None:
    if version != VERSION:
        raise Unavailable(
            f"a node of the cluster has Quipu {VERSION}, this is {version}: run "
            f"`pip install quipu-memory=={version}` there"
        )


def _prepare_all(
    job: Sequence[Task], version: str, limits: Limits, attributes: Attributes
) -> list[Prepared | WorkerDied]:
    _require(version)
    readers = _readers(limits, attributes)
    return [readers.one(task) for task in job]


@lru_cache(maxsize=1)
def _readers(limits: Limits, attributes: Attributes) -> Preparing:
    return preparing(0, limits, attributes)


def _embed_all(
    passages: Sequence[Passage], version: str, made_by: tuple[object, ...], space: str
) -> list[Embedded]:
    _require(version)
    model = _model(*made_by)
    if model.space != space:
        raise ModelUnavailable(
            f"a node of the cluster embeds in {model.space!r}, this machine in {space!r}: its "
            'processor differs; set embed.precision = "fp32", which every one has'
        )
    return [model.embed_parts(*each) for each in passages]


@lru_cache(maxsize=1)
def _model(*made_by: Any) -> MiniLM:
    folder, precision = made_by
    return MiniLM(folder, precision=precision)
