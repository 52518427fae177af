"""The command line on a memory in Neo4j."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.serve.cli.conftest import Quipu
from tests.servers.neo4j.server import Neo4jServer

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

FILES = {
    "docs/release.md": "# Release\n\nReleases are made by `make_release`, see [the code]"
    "(../src/release.py).\n",
    "docs/tea.md": "# Tea\n\nTea is drunk in the afternoon.\n",
    "src/release.py": 'def make_release(name):\n    """Make a release."""\n    return name\n',
    "tests/test_release.py": "from src.release import make_release\n\n\ndef test_release():\n"
    "    assert make_release('a') == 'a'\n",
    "CODEOWNERS": "docs/release.md @team-release\n",
}


@pytest.mark.model
def test_the_printed_queries_run_on_the_graph(
    quipu: Quipu,
    tmp_path: Path,
    neo4j_server: Neo4jServer,
    neo4j_address: Callable[[str], str],
    write_files: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QUIPU_EMBED_MODEL")
    write_files(tmp_path, FILES)
    store = ("--store", neo4j_address("cypher"))
    assert quipu(*store, "index", ".").code == 0
    neo4j_server.run("CALL db.awaitIndexes(60)")
    asked = {
        "documents": "how is a release made?",
        "failing-test": "tests/test_release.py",
        "owners": "docs/release.md",
        "callers": "make_release",
    }
    answers = {}
    for name, about in asked.items():
        (query,) = quipu("--json", *store, "cypher", name, about).document["queries"]
        found = neo4j_server.run(query["cypher"], **query["parameters"])
        answers[name] = [tuple(record.values()) for record in found]
    assert answers["documents"][0][0] in {"docs/release.md", "src/release.py"}
    assert {path for path, *_ in answers["documents"]} >= {"docs/release.md", "docs/tea.md"}
    assert answers["documents"][0][1] > answers["documents"][-1][1]
    assert ("docs/release.md", ["make_release"]) in [
        (path, [t for t in touched if "make" in t]) for path, touched in answers["failing-test"]
    ]
    assert answers["owners"] == [("docs/release.md", "@team-release", 1.0)]
    assert answers["callers"] == [("test_release", "tests/test_release.py")]


def test_all_queries_are_printed_with_their_parameters(
    quipu: Quipu, neo4j_address: Callable[[str], str]
) -> None:
    done = quipu("--store", neo4j_address("all"), "cypher")
    assert done.code == 0
    assert done.out.count('\n:param group => "default";') == 4
    assert ":param queryEmb => [];" in done.out
    assert "queryEmb, the vector of the question" in done.err
    assert quipu("cypher", "nonsense").code == 2
