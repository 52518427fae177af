"""Clauses whose verb no table knows: what they say in particular is read all the same."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import read_statements

pytestmark = pytest.mark.model
SAID = "2026-05-01T10:00:00.000Z"


def _read(encoder: MiniLM, text: str) -> list[tuple[str, str, str]]:
    found = read_statements(text, observed_at=SAID, speaker="user", layers=encoder.read)
    return [(each.subject, each.predicate, each.object) for each in found]


STATED = [
    ("The release manager is Goran.", ("release manager", "is", "Goran")),
    ("The best seller's the cheese scone now.", ("best seller", "is", "the cheese scone")),
    ("Dr Ferreira is leaving for Coimbra.", ("Dr Ferreira", "leaves for", "Coimbra")),
    ("Callum is off to Glasgow.", ("Callum", "is off to", "Glasgow")),
    ("Lea left in 2022.", ("Lea", "left in", "2022")),
    ("I finished the half marathon in 1:49.", ("user", "finished half marathon in", "1:49")),
    ("I've cut back to three runs.", ("user", "has cut back to", "three runs")),
    ("Hotfixes need two approvals.", ("hotfixes", "needs", "two approvals")),
    ("There are 41 people on the waiting list.", ("waiting list", "has", "41 people")),
    ("Joan keeps the books.", ("books", "is kept by", "Joan")),
    ("The flour comes on Mondays and Thursdays.", ("flour", "comes on", "Mondays and Thursdays")),
    ("Flour deliveries have moved to Fridays.", ("flour deliveries", "value", "Fridays")),
    ("Ann is our plumber, her mobile's 0733 419022.", ("Ann", "mobile", "0733 419022")),
    ("The flat's in Cottbus.", ("flat", "is located in", "Cottbus")),
    ("Our contact over there is Mr Bakke.", ("we", "contact", "Mr Bakke")),
    ("Talk to Ms Lie, she's our contact.", ("we", "contact", "Ms Lie")),
    ("Stewart's number changed: 07700 900733.", ("Stewart", "number", "07700 900733")),
    ("Snacks budget cut to 25.", ("Snacks budget", "value", "25")),
]

APART = [
    ("Rolls sell at £4.20, rye at £4.80.", ("rye", "value", "£4.80")),
    ("Adults pay 850 and juniors 300.", ("juniors", "value", "300")),
]

UNSTATED = [
    "I'm the king of the world.",
    "The gate code got changed, use it tonight.",
    "Maybe Lea left in 2022.",
    "I spoke to Mum.",
    "I had one idea.",
    "Did Lea leave in 2022?",
    "If Lea left in 2022, nobody knew.",
]


@pytest.mark.parametrize(("text", "expected"), STATED + APART)
def test_what_is_particular_is_read(
    encoder: MiniLM, text: str, expected: tuple[str, str, str]
) -> None:
    assert expected in _read(encoder, text)


@pytest.mark.parametrize("text", UNSTATED)
def test_what_says_nothing_in_particular_gives_nothing(encoder: MiniLM, text: str) -> None:
    assert _read(encoder, text) == []


def test_what_only_the_general_rule_reads_is_less_sure(encoder: MiniLM) -> None:
    general, ruled = (
        read_statements(text, observed_at=SAID, speaker="user", layers=encoder.read)
        for text in ("Joan keeps the books.", "Joan lives in Rome.")
    )
    assert 0 < general[0].confidence < ruled[0].confidence
