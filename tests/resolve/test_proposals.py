"""What is proposed to be one thing, and what is not."""

from collections.abc import Sequence

import numpy as np

from quipu.ports import Vectors
from quipu.records.record import Entity
from quipu.resolve.proposals import propose


def entity(number: int, name: str, *, type_: str = "Owner", mentions: int = 1) -> Entity:
    return Entity(
        entity_id=f"en_{number:024d}",
        type=type_,
        name=name,
        updated_at="",
        source_sha="",
        mention_count=mentions,
    )


def all_alike(texts: Sequence[str]) -> Vectors:
    """A model to which everything means the same."""
    return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))


def all_apart(texts: Sequence[str]) -> Vectors:
    """A model to which nothing does."""
    return np.eye(len(texts), dtype=np.float32)


TEAMS = [
    entity(1, "Payments Team", mentions=2),
    entity(2, "Payment Team", mentions=5),
    entity(3, "Payment-Team", mentions=1),
    entity(4, "Mercury (planet)"),
    entity(5, "Mercury (element)"),
    entity(6, "Payment Team", type_="Service"),
]


def test_a_pair_needs_both_its_letters_and_its_meaning() -> None:
    found = {(p.merged_name, p.kept_name) for p in propose(TEAMS, all_alike)}
    assert ("Payments Team", "Payment Team") in found
    assert not any("Mercury" in name for pair in found for name in pair)
    assert {p.type for p in propose(TEAMS, all_alike)} == {"Owner"}
    apart = propose(TEAMS, all_apart)
    assert [(p.merged_name, p.kept_name, p.score) for p in apart] == [
        ("Payment-Team", "Payment Team", 1.0)
    ]
    assert apart == propose(TEAMS, all_apart)


def test_the_better_known_is_kept_and_the_reasons_are_told() -> None:
    first = next(p for p in propose(TEAMS, all_alike) if p.merged_name == "Payments Team")
    assert (first.kept_id, first.cosine) == ("en_000000000000000000000002", 1.0)
    assert first.reasons == (
        "the same words in other forms or another order",
        "they mean the same (cosine 1.00)",
    )
