"""The server that Neo4j's tests run against is the real one, and its absence is never silent."""

from pathlib import Path

import pytest
from neo4j import GraphDatabase
from tests.servers.neo4j import server as servers
from tests.servers.neo4j.server import PASSWORD, USER, Neo4jServer

pytestmark = pytest.mark.enable_socket


@pytest.mark.slow
def test_it_is_neo4j_5_with_vector_and_full_text_indexes(neo4j_server: Neo4jServer) -> None:
    with GraphDatabase.driver(neo4j_server.url, auth=(USER, PASSWORD)) as driver:
        assert driver.get_server_info().agent.startswith("Neo4j/5.26.")
        found = driver.execute_query("SHOW PROCEDURES YIELD name RETURN collect(name) AS names")
        names = found.records[0]["names"]
    assert {"db.index.vector.queryNodes", "db.index.fulltext.queryNodes"} <= set(names)


@pytest.mark.parametrize(("ci", "outcome"), [("", "Skipped"), ("true", "Failed")])
def test_without_a_jdk_a_test_is_skipped_and_in_ci_it_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ci: str, outcome: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    with pytest.raises(BaseException, match="JDK") as stopped:
        servers.classpath()
    assert type(stopped.value).__name__ == outcome
