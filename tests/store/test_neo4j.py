"""A memory on Neo4j is the memory it would be in a file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.contract.store_sample import OTHER, VERSION_A, one_source
from tests.servers.neo4j.server import Neo4jServer

from quipu.errors import StoreUnavailable
from quipu.memory import Memory
from quipu.store import open_store

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

FILES = {
    "README.md": "# Knots\n\nThey are tied by `tie_knot` in src/knots.py. See [cords](cords.md).",
    "cords.md": "# Cords\n\nOwner: Ann Ash\n\nA cord holds knots. Cords are kept dry.\n",
    "src/knots.py": 'def tie_knot(cord):\n    """Tie a knot into a cord."""\n    return cord + 1\n',
    "tests/test_knots.py": "from knots import tie_knot\n\n\ndef test_it():\n    tie_knot(1)\n",
}


def test_a_tree_is_remembered_and_answered_as_in_a_file(
    tmp_path: Path,
    neo4j_address: Callable[[str], str],
    write_files: Callable[..., None],
    open_memory: Callable[..., Memory],
    snapshot: Callable[..., Any],
) -> None:
    write_files(tmp_path, FILES)
    held: list[Any] = []
    for url in (neo4j_address("tree"), str(tmp_path / ".quipu" / "quipu.db")):
        with open_memory(url, tmp_path) as memory:
            memory.index(tmp_path)
            write_files(
                tmp_path, {"cords.md": "# Cords\n\nOwner: Ben Bay\n\nCords are kept wet.\n"}
            )
            memory.index(tmp_path)
            hits = memory.search("how are cords kept?").hits
            held.append((snapshot(memory.store), [(hit.path, hit.score) for hit in hits]))
            held[-1] += (memory.ask("What does tie_knot do?").contract,)
        write_files(tmp_path, FILES)
    assert held[0] == held[1]


def test_a_reader_sees_one_moment_while_others_write(neo4j_address: Callable[[str], str]) -> None:
    url = neo4j_address("moment")
    with open_store(url) as writer, open_store(url, read_only=True) as reader:
        writer.write(one_source(VERSION_A, "red cord", at=1))
        with reader.moment():
            before = (reader.sequence(), reader.counts(), reader.changes(0))
            writer.write(one_source(OTHER, "blue cord", at=2))
            writer.write(one_source(VERSION_A, "green cord", at=3))
            assert (reader.sequence(), reader.counts(), reader.changes(0)) == before
        assert reader.sequence() == writer.sequence() > before[0]


def test_what_is_forgotten_is_in_no_node(
    neo4j_server: Neo4jServer, neo4j_address: Callable[[str], str]
) -> None:
    with open_store(neo4j_address("forget")) as store:
        store.write(one_source(VERSION_A, "the secret cord", at=1))
        store.write(one_source(VERSION_A, "another cord", at=2))
        store.forget([VERSION_A.source_ref])
    left = neo4j_server.run("MATCH (n) WHERE NOT n:QuipuChange RETURN n")
    assert "secret" not in str([dict(record["n"]) for record in left])
    assert neo4j_server.run("MATCH (n:QuipuSupport) RETURN n") == []


def test_a_handle_that_reads_writes_nothing(neo4j_address: Callable[[str], str]) -> None:
    url = neo4j_address("reads")
    with open_store(url, namespace="nobody", read_only=True) as store:
        assert store.counts()["episode"] == 0
        with pytest.raises(StoreUnavailable, match="read-only"):
            store.write(one_source(VERSION_A, "red cord", at=1))
