"""A model for each content type: two spaces at once, never mixed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.model_server import ModelServer

from quipu.config import Config, EmbedConfig
from quipu.memory import Memory

pytestmark = [pytest.mark.enable_socket, pytest.mark.model, pytest.mark.filterwarnings("error")]

OWNERS = "# Owners\n\nThe payment service is owned by Team Blue. The ledger keeps bookings.\n"
CATS = "# Cats\n\nCats sleep for most of the day in warm places.\n"
RETRY = 'def retry_payment(count):\n    """Retry a payment."""\n    return count + 1\n'
NAP = 'def nap(cat):\n    """Let a cat sleep."""\n    return cat\n'
TINY, MINILM = "compatible:tiny", "all-MiniLM-L6-v2"
Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path, server: ModelServer) -> Iterator[Open]:
    made: list[Memory] = []
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    for name, text in (
        ("owners.md", OWNERS),
        ("cats.md", CATS),
        ("retry.py", RETRY),
        ("nap.py", NAP),
    ):
        (home / name).write_text(text, "utf-8")

    def make(**options: Any) -> Memory:
        given = {
            "model": "minilm",
            "types": {"code": TINY},
            "dimension": 32,
            "retries": 0,
            "base_url": server.base_url,
        } | options
        config = Config(embed=EmbedConfig(**given))
        memory = Memory.open(home / ".quipu" / "quipu.db", config=config)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        memory.close()


def spaces(memory: Memory, *profiles: str) -> dict[str, int]:
    return {s.split("/")[0]: n for s, n in memory.store.spaces(profiles).items() if n}


def sent(server: ModelServer) -> str:
    given = [r.body["input"] for r in server.requests]
    return "\n".join(text for texts in given for text in texts)


def test_each_content_type_is_embedded_by_its_model_alone(
    opened: Open, server: ModelServer
) -> None:
    memory = opened()
    report = memory.index()
    assert spaces(memory, "code") == {TINY: 2}
    assert spaces(memory, "prose") == {MINILM: 2}
    assert "retry" in sent(server)
    assert "Team Blue" not in sent(server)
    assert (report.embedded, report.unembedded) == (4, 0)
    status = memory.stats()
    assert status.unembedded == 0
    assert f"{TINY}/32[code]" in (status.model or "")
