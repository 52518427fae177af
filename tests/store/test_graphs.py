"""What a graph database offers beside the ports is found by its address."""

import pytest

from quipu.errors import InvalidInput
from quipu.store.graphs import graphs_of


@pytest.mark.parametrize("url", ["neo4j://ann:s3cret@host/db", "bolt+s://host", "NEO4J://host"])
def test_the_address_of_a_graph_leads_to_it(url: str) -> None:
    found = graphs_of(url)
    assert [each.name for each in found.queries][:2] == ["documents", "failing-test"]
    assert found.group_of("team one") != found.group_of("team two")


def test_an_address_of_no_graph_database_is_refused_without_its_password() -> None:
    with pytest.raises(InvalidInput, match="no graph database: give one") as refused:
        graphs_of("postgres://ann:s3cret@host")
    assert "s3cret" not in str(refused.value)
