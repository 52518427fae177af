"""One audit of a subject whose truth changed in every way there is."""

from collections.abc import Iterator

import pytest

from quipu.agents.audits import Audit, audit
from quipu.config import Config
from quipu.memory import Memory

SERVICE = "ledger service"


def day(text: str) -> str:
    return f"{text}T09:00:00.000Z"


@pytest.fixture
def told() -> Iterator[Memory]:
    """A use, a switch, a correction, an end, a late arrival, a contradiction: each on its day."""
    now = [day("2024-02-01")]

    def said(on: str, name: str, text: str) -> None:
        now[0] = day(on)
        memory.add(text, source_ref=f"talk-{on}", observed_at=on, properties={"speaker": name})

    def wrote(on: str, ref: str, text: str, observed_at: str = "") -> None:
        now[0] = day(on)
        memory.add(text, source_ref=ref, observed_at=observed_at or on)

    with Memory.open("memory:", config=Config(), embedder=None, clock=lambda: now[0]) as memory:
        said("2024-02-01", "Ann", "The ledger service uses MySQL since March 2021.")
        said("2025-06-10", "Bo", "The ledger service switched from MySQL to Postgres in May 2025.")
        wrote("2025-07-01", "ledger.md", "# Ledger service\n\nOwner: Team Blue\n")
        wrote("2025-09-01", "ledger.md", "# Ledger service\n\nOwner: Team Green\n")
        wrote(
            "2026-01-15",
            "old.md",
            "The ledger service uses Oracle from January 2018 to March 2021.",
            "2020-05-01",
        )
        wrote(
            "2026-02-01", "n.md", "The ledger service no longer uses Postgres as of January 2026."
        )
        now[0] = day("2026-03-01")
        yield memory


def state(found: Audit) -> list[tuple[str, str | None, str | None]]:
    return [(held.object, held.valid_from, held.valid_to) for held in found.state]


def test_one_text_says_the_state_the_chain_and_who_said_it(told: Memory) -> None:
    text = audit(told, SERVICE, as_of="2025-12-24").text
    head, timeline = text.split("\n\nTimeline\n", 1)
    assert head.splitlines() == [
        "ledger service, as of 2025-12-24, by what is known now",
        "",
        "Holds then",
        "  owner: Team Green (ledger.md)",
        "  uses: Postgres, 2025-05 → 2026-01 (talk-2025-06-10, n.md)",
    ]
    assert "  2021-03 → 2025-05  ledger service — uses — MySQL" in timeline
    assert "Bo, talk-2025-06-10 on 2025-06-10, known since 2025-06-10" in timeline
    assert "known since 2025-07-01 until 2025-09-01" in timeline
    assert "known since 2026-01-15" in timeline
    assert "superseded by: The ledger service uses Postgres (since May 2025)" in timeline
