"""Clauses whose verb no table knows: what they say in particular is read all the same."""

import pytest

from quipu.embed import MiniLM
from quipu.extract.statements import read_statements

pytestmark = pytest.mark.model
SAID = "2026-05-01T10:00:00.000Z"


def _read(encoder: MiniLM, text: str) -> list[tuple[str, str, str]]:
    found = read_statements(text, observed_at=SAID, speaker="user", layers=encoder.read)
    return [(each.subject, each.predicate, each.object) for each in found]


_HALL = "the Methodist hall"
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
    ("The roof will be Welsh slate.", ("roof", "value", "Welsh slate")),
    ("The caching layer will be Redis.", ("caching layer", "is", "Redis")),
    ("The fair is on Tuesdays at half past seven.", ("fair", "is at", "half past seven")),
    ("The backup runs at two in the morning.", ("backup", "runs at", "two in the morning")),
    ("There are 112 tests.", ("tests", "value", "112")),
    ("From today we're open 8 till 6.", ("we", "is open", "8 till 6")),
    ("I've settled the kitchen colour: sage green.", ("kitchen colour", "value", "sage green")),
    ("Title's settled: Cold Clouds.", ("title", "value", "Cold Clouds")),
    (
        "Our accountant wants the papers before 28 February.",
        ("papers", "is due before", "28 February"),
    ),
    ("Ann wants 25 pounds a week.", ("Ann", "wants", "25 pounds a week")),
    ("I'll do Tuesdays and Thursdays.", ("user", "does", "Tuesdays and Thursdays")),
    ("Operation's on 9 September.", ("Operation", "is on", "9 September")),
    ("Our nurse is Ann Bo, who's off on Fridays.", ("Ann Bo", "is off on", "Fridays")),
    ("Our baker is Bo Lie, who asks 40 pounds a day.", ("Bo Lie", "asks", "40 pounds a day")),
    ("The paid plan, which costs 9 euros, is closed.", ("paid plan", "costs", "9 euros")),
    ("The run takes 4 s and peaks at 410 MB.", ("run", "peaks at", "410 MB")),
    ("The pipeline takes 4 min 5 s now.", ("pipeline", "takes", "4 min 5 s")),
    ("The default is now 8 threads.", ("default", "value", "8 threads")),
    ("Yes, issue 58 is closed.", ("issue 58", "status", "closed")),
    ("Bridie next door has the spare key.", ("spare key", "is held by", "Bridie next door")),
    ("Our carer is a woman called Agnes.", ("we", "carer", "Agnes")),
    ("im in leeds now", ("user", "is in", "leeds")),
    ("Rehearsals move to Wednesdays, in the Methodist hall.", ("rehearsals", "is in", _HALL)),
    ("We bought a Koga, second hand, 480 euros.", ("Koga", "costs", "480 euros")),
    ("We bought a Clearview for 900 pounds from Bo.", ("Clearview", "costs", "900 pounds")),
    ("The attic is done, so that makes four rooms.", ("rooms", "value", "four")),
    ("Ingest runs on Kafka 3.4 with 12 partitions.", ("ingest", "runs with", "12 partitions")),
    ("Which means that the budget has gone up to 92,000.", ("budget", "value", "92,000")),
    ("I'm writing the report, review is on 25 Feb.", ("review", "value", "25 Feb")),
    ("I hired a second physio, Sander, who's in on Mondays.", ("Sander", "is in on", "Mondays")),
    ("The root cause was an expired key.", ("root cause", "value", "an expired key")),
    ("bin day's Thursday now", ("bin day", "value", "Thursday")),
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
    "The meeting will be fun.",
    "He won't manage the stairs alone.",
    "Management wanted the timeout at 5 minutes.",
    "Famous last words, I daresay.",
    "Half the users open the thing.",
    "The backup doesn't start till quarter to three.",
    "The alert's been raised, by the way.",
    "There are about 300 minutes left.",
    "There are two options here.",
    "There's one thing I forgot.",
    "Ann will be in Rome on 3 May.",
    "My landlord never picks up his phone.",
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
