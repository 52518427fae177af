"""A memory whose models are remote: what happens while they fail, and afterwards."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.model_server import ErrorStatus, ModelServer

from quipu.config import ChatConfig, Config, EmbedConfig, IndexConfig
from quipu.memory import Memory
from quipu.serve.cli.trust import wish_of
from quipu.when.instants import system_clock

pytestmark = [pytest.mark.enable_socket, pytest.mark.filterwarnings("error")]

KEY = "sk-never-written-down-0123456789"
OWNERS = "# Owners\n\nThe payment service is owned by Team Blue. The ledger keeps bookings.\n"
OTHER = "# Cats\n\nCats sleep for most of the day in warm places.\n"
QUESTION = "Who owns the payment service?"
MINILM = "all-MiniLM-L6-v2/"
Open = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path, server: ModelServer) -> Iterator[Open]:
    made: list[Memory] = []
    home = tmp_path / "home"
    (home / ".quipu").mkdir(parents=True)
    (home / ".env").write_text(f"OPENAI_COMPATIBLE_API_KEY={KEY}\n", "utf-8")
    wish_of(home, system_clock).grant(system_clock)
    (home / "owners.md").write_text(OWNERS, "utf-8")
    (home / "cats.md").write_text(OTHER, "utf-8")

    def make(*, chat: ChatConfig | None = None, **options: Any) -> Memory:
        given: dict[str, Any] = {
            "model": "compatible:tiny",
            "dimension": 32,
            "base_url": server.base_url,
            "retries": 0,
        } | options
        if given["model"] == "minilm":
            given = {"model": "minilm"}
        index = IndexConfig(exclude=(".env",))
        config = Config(index=index, embed=EmbedConfig(**given), chat=chat or ChatConfig())
        memory = Memory.open(home / ".quipu" / "quipu.db", config=config)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        memory.close()


def spaces(memory: Memory) -> dict[str, int]:
    return {s.split("/")[0]: n for s, n in memory.store.spaces().items() if n}


def test_a_remote_model_fills_a_space_of_its_own(opened: Open, server: ModelServer) -> None:
    memory = opened()
    memory.index()
    assert spaces(memory) == {"compatible:tiny": 2}
    found = memory.search(QUESTION)
    assert found.plan.space == "compatible:tiny/32"
    assert found.hits[0].path == "owners.md"
    assert server.requests[-1].key == KEY


def test_a_key_is_written_nowhere(opened: Open, server: ModelServer, tmp_path: Path) -> None:
    memory = opened()
    memory.index()
    memory.ask(QUESTION)
    memory.export(tmp_path / "out.jsonl")
    server.always(ErrorStatus(401, said=f"bad key {KEY}"))
    reply = memory.ask("Where do cats sleep?")
    assert KEY not in str(reply.as_json())
    memory.close()
    for folder, _, names in os.walk(tmp_path):
        for name in names:
            if name != ".env":
                assert KEY.encode() not in (Path(folder) / name).read_bytes(), name


def test_a_model_that_fails_while_indexing_loses_nothing(opened: Open, server: ModelServer) -> None:
    memory = opened(fallback="off")
    server.always(ErrorStatus(503))
    report = memory.index()
    assert report.unembedded == 2
    assert "503" in " ".join(report.notes)
    server.always(None)
    assert memory.index().embedded == 2


@pytest.mark.model
def test_while_it_fails_the_space_of_minilm_is_built_and_never_mixed(
    opened: Open, server: ModelServer
) -> None:
    memory = opened()
    server.always(ErrorStatus(503))
    memory.index()
    assert spaces(memory) == {"all-MiniLM-L6-v2": 2}
    reply = memory.ask(QUESTION)
    assert (reply.plan.space or "").startswith(MINILM)
    server.always(None)
    memory.index()
    assert spaces(memory) == {"all-MiniLM-L6-v2": 2, "compatible:tiny": 2}
    assert memory.search(QUESTION).plan.space == "compatible:tiny/32"


@pytest.mark.model
def test_a_question_whose_model_fails_is_asked_of_minilm_and_says_so(
    opened: Open, server: ModelServer
) -> None:
    opened(model="minilm").index()
    memory = opened()
    memory.index()
    server.always(ErrorStatus(503))
    reply = memory.ask(QUESTION)
    assert (reply.plan.space or "").startswith(MINILM)
    assert "MiniLM answers in its own space" in reply.contract.limitations
    assert "Team Blue" in reply.contract.answer
