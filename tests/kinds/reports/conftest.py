"""Memories over a small town of documents."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from quipu import Memory
from quipu.config import Config
from quipu.testing.fakes import HashEmbedder

NOW = "2026-03-01T10:00:00.000Z"
PAYMENTS = {
    "docs/payments.md": (
        "# Payment service\n\nThe Payment Service charges cards through Stripe Gateway and keeps "
        "every charge in the Ledger Store.\n\nRefunds of the Payment Service are booked by the "
        "Ledger Store on the next working day.\n"
    ),
    "docs/refunds.md": (
        "# Refunds\n\nA refund goes from the Ledger Store back through Stripe Gateway to the card "
        "that paid.\n\nThe Payment Service retries a refund three times before it tells Dana "
        "Reyes.\n"
    ),
    "docs/ledger.md": (
        "# Ledger\n\nThe Ledger Store is an append-only table that Dana Reyes audits every month."
        "\n\nStripe Gateway reports are compared with the Ledger Store each night.\n"
    ),
}
GARDENS = {
    "notes/roses.md": (
        "# Roses\n\nThe Old Garden grows roses that Emil Voss prunes in February every year.\n\n"
        "Roses of the Old Garden are watered by the Rain Barrel behind the shed.\n"
    ),
    "notes/water.md": (
        "# Water\n\nThe Rain Barrel holds two hundred litres and serves the whole Old Garden.\n\n"
        "Emil Voss empties the Rain Barrel before the first frost of November.\n"
    ),
    "notes/frost.md": (
        "# Frost\n\nFrost kills young roses, so Emil Voss covers the Old Garden with fleece.\n\n"
        "The Rain Barrel cracks when frost finds water standing in it.\n"
    ),
}
MUSIC = {
    "music/choir.md": (
        "# Choir\n\nThe Harbour Choir sings at the Lantern Hall on the first Sunday of May.\n\n"
        "Ines Calder leads the Harbour Choir and keeps its scores in order.\n"
    ),
    "music/hall.md": (
        "# Hall\n\nThe Lantern Hall seats four hundred people and lends chairs to the Harbour "
        "Choir.\n\nInes Calder holds the only key to the Lantern Hall this season.\n"
    ),
    "music/season.md": (
        "# Season\n\nThis season the Harbour Choir sings six times in the Lantern Hall of the "
        "town.\n\nInes Calder plans the season of the Harbour Choir with the mayor.\n"
    ),
}


class Town(NamedTuple):
    """Three subjects that have nothing to do with each other, as files by name."""

    payments: dict[str, str] = PAYMENTS
    gardens: dict[str, str] = GARDENS
    music: dict[str, str] = MUSIC


@pytest.fixture
def town() -> Town:
    """What there is to be remembered."""
    return Town()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    url = tmp_path / ".quipu" / "quipu.db"
    url.parent.mkdir()
    with Memory.open(
        url, home=tmp_path, config=Config(), embedder=HashEmbedder(), clock=lambda: NOW
    ) as opened:
        yield opened


@pytest.fixture
def remember(tmp_path: Path, write_files: Callable[[Path, dict[str, str]], None]):
    """Write files and index them."""

    def made(memory: Memory, *files: dict[str, str]) -> None:
        for each in files:
            write_files(tmp_path, each)
        memory.index(tmp_path)

    return made
