"""Attributes of facts that the configuration adds to the table."""

import pytest

from quipu.config import AttributeConfig, Config, FactsConfig
from quipu.embed import MiniLM
from quipu.memory import Memory

pytestmark = pytest.mark.model
ON_CALL = AttributeConfig(verbs=("is on call for", "cover"), single=True, opposite="is covered by")


def _memory(*said: tuple[str, str], **attributes: AttributeConfig) -> Memory:
    config = Config(
        facts=FactsConfig(attributes={k.replace("_", " "): v for k, v in attributes.items()})
    )
    memory = Memory.open(
        "memory:",
        config=config,
        embedder=MiniLM(threads=1),
        clock=lambda: "2026-06-20T12:00:00.000Z",
    )
    for place, (day, text) in enumerate(said):
        memory.add(text, observed_at=day, source_ref=f"note:{place}")
    return memory


def _stated(memory: Memory) -> list[tuple[str, str, str]]:
    return [(f.subject, f.predicate, f.object) for f in memory.facts(live=True)]


SAID = (
    ("2026-01-05", "Nadia covers the gateway."),
    ("2026-03-05", "Tomas is on call for the gateway."),
)


def test_what_is_taught_is_one_attribute_of_what_stands_on_the_other_side() -> None:
    with _memory(*SAID, covers=ON_CALL) as memory:
        assert _stated(memory) == [("gateway", "is covered by", "Tomas")]
