"""Claims about one record become one claim."""

import pytest

from quipu.records.batch import Claim
from quipu.records.ids import identity_key, named_entity_id
from quipu.records.record import Entity
from quipu.resolve import resolve

NOW = "2024-01-01T00:00:00.000Z"


def owner(name: str, *, description: str = "") -> Entity:
    return Entity(
        entity_id=named_entity_id("n", "Owner", name),
        type="Owner",
        name=name,
        updated_at=NOW,
        source_sha="s",
        description=description,
    )


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [
        ("Package", "Foo.Bar_baz", "foo-bar-baz"),
        ("Owner", "@Team Core", "team-core"),
        ("Service", "Auth_Service", "auth-service"),
        ("Service", "Café", "cafe"),
    ],
)
def test_spellings_of_one_name_share_an_id(type_: str, one: str, other: str) -> None:
    assert named_entity_id("n", type_, one) == named_entity_id("n", type_, other)


@pytest.mark.parametrize(
    ("type_", "one", "other"),
    [("URL", "http://x/A", "http://x/a"), ("Owner", "ann", "anna"), ("Package", "ab", "a-b")],
)
def test_different_names_stay_apart(type_: str, one: str, other: str) -> None:
    assert identity_key(type_, one) != identity_key(type_, other)


def test_names_mentions_and_evidence_are_united() -> None:
    (claim,) = resolve(
        [
            Claim(owner("@Core"), "ep_1", ("ch_1",)),
            Claim(owner("core", description="The team."), "ep_1", ("ch_2", "ch_1")),
        ]
    )
    assert isinstance(claim.record, Entity)
    assert (claim.record.name, claim.record.aliases) == ("@Core", ("core",))
    assert (claim.record.description, claim.record.mention_count) == ("The team.", 2)
    assert claim.chunk_ids == ("ch_1", "ch_2")
