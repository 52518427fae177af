"""Attributes of facts that the configuration adds to the table."""

import pytest

from quipu.config import AttributeConfig, Config, FactsConfig
from quipu.embed import MiniLM
from quipu.memory import Memory

pytestmark = pytest.mark.model
ON_CALL = AttributeConfig(verbs=("is on call for", "cover"), single=True, opposite="is covered by")


SAID = (
    ("2026-01-05", "Nadia covers the gateway."),
    ("2026-03-05", "Tomas is on call for the gateway."),
)


def test_what_is_taught_is_one_attribute_of_what_stands_on_the_other_side(
    encoder: MiniLM,
) -> None:
    config = Config(facts=FactsConfig(attributes={"covers": ON_CALL}))
    clock = "2026-06-20T12:00:00.000Z"
    with Memory.open("memory:", config=config, embedder=encoder, clock=lambda: clock) as memory:
        for place, (day, text) in enumerate(SAID):
            memory.add(text, observed_at=day, source_ref=f"note:{place}")
        (fact,) = memory.facts(live=True)
    assert (fact.subject, fact.predicate, fact.object) == ("gateway", "is covered by", "Tomas")
