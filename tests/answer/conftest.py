"""A small remembered project that answers are asked of, at a fixed moment."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.ports import Embedder
from quipu.testing.fakes import HashEmbedder

NOW = "2026-11-22T01:05:00.000Z"
FILES = {
    "payments.md": (
        "---\ntitle: Payments\nstatus: accepted\ndate: 2025-03-01\n---\n# Payments\n\n"
        "The payments service charges cards through Stripe. It retries three times [12] before "
        "it gives up.\n\n## Configuration\n\nSet `PAY_TIMEOUT` to a number of seconds. The default "
        "timeout is 30 seconds.\n"
    ),
    "CODEOWNERS": "*.py @team-core\n/pay.py @team-pay\n",
    "docker-compose.yml": (
        "services:\n  payments:\n    image: x\n    depends_on: [db, cache]\n  db:\n    image: pg\n"
        "  cache:\n    image: redis\n"
    ),
    "pay.py": (
        '"""Charging."""\nimport util\n\n\ndef charge_card(number, cents):\n'
        '    """Charge a card. Raises on failure."""\n    return util.parse_url(number)\n'
    ),
    "util.py": 'def parse_url(text):\n    """Split a URL into its parts."""\n    return text\n',
    "old.md": "---\ntitle: Old Payments\nsuperseded_by: payments.md\n---\n# Old Payments\n\n"
    "Zanzibar Cards were charged through Adyen in those days.\n",
}

Remember = Callable[[dict[str, str]], Memory]


@pytest.fixture
def remember(tmp_path: Path) -> Iterator[Remember]:
    opened: list[Memory] = []

    def make(files: dict[str, str]) -> Memory:
        home = tmp_path / str(len(opened))
        for name, text in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        memory = Memory.open(
            "memory:", home=home, config=Config(), embedder=HashEmbedder(64), clock=lambda: NOW
        )
        opened.append(memory)
        report = memory.index([home])
        assert not report.errors
        return memory

    yield make
    for memory in opened:
        memory.close()


@pytest.fixture
def project(remember: Remember) -> Memory:
    return remember(FILES)


@pytest.fixture
def remember_with(tmp_path: Path) -> Iterator[Callable[[dict[str, str], Embedder], Memory]]:
    """Files remembered with an embedder of one's choice."""
    opened: list[Memory] = []

    def make(files: dict[str, str], embedder: Embedder) -> Memory:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        memory = Memory.open(
            "memory:", home=tmp_path, config=Config(), embedder=embedder, clock=lambda: NOW
        )
        opened.append(memory)
        memory.index([tmp_path])
        return memory

    yield make
    for memory in opened:
        memory.close()
