"""What a passage bears and what it does not, in varied wording: numbers with their nouns, sides,
order and denial."""

import pytest

from quipu.answer.by_model import supported
from quipu.answer.contradiction import in_numerals

RETRY = "The client retries a failed charge three times, one minute apart, before it gives up."
ALERT = "The pager alerts when disk usage is above 71 % for five minutes."
ROUNDS = "Deploys take 3 minutes in staging and 20 minutes in production."
CACHE = "Caching is enabled by default and holds at most 500 entries."
ORDER = "Run the migrations before the deploy."
OWNER = "Team Blue owns the ledger, and Team Green owns the queue."
NEW = "ADR-7 supersedes ADR-3."
LATENCY = "Raising the batch size from 10 to 50 increased the latency by 12 ms."
PLAN = "The free plan allows 2 users; the team plan allows 25 users."
LOG = "Logs are kept for 30 days and backups for 90 days."
SORT = "Results are sorted by date in ascending order, and the oldest entry comes first."
ACCESS = "The admin role may delete records, and the reader role must not."
BACKUP = "The nightly backup starts after the index is closed and fails when the disk is full."

SAID = [
    (RETRY, "The client retries a failed charge three times, one minute apart.", True),
    (RETRY, "It retries a failed charge 3 times, 1 minute apart, before it gives up.", True),
    (RETRY, "The client retries a failed charge one time, three minutes apart.", False),
    (RETRY, "The client retries a failed charge 3 minutes apart.", False),
    (ALERT, "The pager alerts when disk usage is above 71 %.", True),
    (ALERT, "The pager alerts when disk usage is over 71% for 5 minutes.", True),
    (ALERT, "The pager alerts when disk usage is below 71 %.", False),
    (ALERT, "The pager alerts when disk usage is above 5 % for 71 minutes.", False),
    (ROUNDS, "Deploys take 3 minutes in staging.", True),
    (ROUNDS, "Deploys take 20 minutes in staging.", False),
    (ROUNDS, "Deploys take 3 minutes in production and 20 minutes in staging.", False),
    (CACHE, "By default, caching is enabled and holds at most 500 entries.", True),
    (CACHE, "Caching is disabled by default and holds at most 500 entries.", False),
    (CACHE, "Caching is enabled by default and holds at least 500 entries.", False),
    (ORDER, "The migrations run before the deploy.", True),
    (ORDER, "The migrations run after the deploy.", False),
    (ORDER, "Run the deploy before the migrations.", False),
    (OWNER, "The ledger is owned by Team Blue.", True),
    (NEW, "ADR-3 is superseded by ADR-7.", True),
    (NEW, "ADR-3 supersedes ADR-7.", False),
    (NEW, "ADR-7 is superseded by ADR-3.", False),
    (LATENCY, "Raising the batch size increased the latency by 12 ms.", True),
    (LATENCY, "Raising the batch size decreased the latency by 12 ms.", False),
    (PLAN, "The team plan allows 25 users.", True),
    (PLAN, "The free plan forbids 2 users.", False),
    (LOG, "Backups are kept for 90 days.", True),
    (LOG, "Logs are kept for 30 months.", False),
    (LOG, "Logs are never kept for 30 days.", False),
    (SORT, "The newest entry comes first.", False),
    (SORT, "The oldest entry comes last.", False),
    (ACCESS, "The reader role may delete records.", False),
    (BACKUP, "The nightly backup starts before the index is closed.", False),
    (BACKUP, "The nightly backup stops after the index is closed.", False),
    (BACKUP, "When the disk is full, the nightly backup fails.", True),
    (LATENCY, "The latency fell by 12 ms.", False),
    (OWNER, "Team Blue is owned by the ledger.", False),
    (ROUNDS, "A deploy takes 20 seconds in production.", False),
]


@pytest.mark.parametrize(("source", "sentence", "borne"), SAID)
def test_a_sentence_is_borne_by_what_says_the_same(source: str, sentence: str, borne: bool) -> None:
    assert supported(sentence, [("Notes", source)]) is borne


@pytest.mark.parametrize(
    ("text", "numerals"),
    [
        ("Three times, twice a day", "3 times, 2 times a day"),
        ("once per hour, once it is done", "1 times per hour, once it is done"),
        ("1,000,000 rows and 1_000 keys", "1000000 rows and 1000 keys"),
        ("the one that counts", "the one that counts"),
    ],
)
def test_numbers_are_read_in_digits(text: str, numerals: str) -> None:
    assert in_numerals(text) == numerals
