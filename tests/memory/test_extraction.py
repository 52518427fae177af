"""Facts that a model reads: proven by the source, mended once, else skipped and reported."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.model_server import ModelServer

from quipu.config import ChatConfig, Config
from quipu.memory import Memory
from quipu.memory.extraction import Extracted, extract_facts

pytestmark = pytest.mark.enable_socket

QUOTE = "Mira Holt took over the billing desk in 2021"
TEXT = f"# Desks\n\nAfter the move {QUOTE}, and people were glad.\n"
GOOD = {
    "subject": "Mira Holt",
    "predicate": "took over",
    "object": "the billing desk",
    "valid_from": "2021",
    "valid_to": None,
    "quote": QUOTE,
}
Run = Callable[..., tuple[Extracted, Memory, ModelServer]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    (tmp_path / "desks.md").write_text(TEXT, "utf-8")
    with ModelServer() as server:
        opened: list[Memory] = []

        def extracting(*replies: Any) -> tuple[Extracted, Memory, ModelServer]:
            texts = [r if isinstance(r, str) else json.dumps({"facts": r}) for r in replies]
            server.replies.extend(texts)
            chat = ChatConfig(model="compatible:tiny", base_url=server.base_url, retries=0)
            memory = Memory.open("memory:", home=tmp_path, config=Config(chat=chat), embedder=None)
            opened.append(memory)
            memory.index([tmp_path])
            return extract_facts(memory, "desks.md"), memory, server

        yield extracting
        for memory in opened:
            memory.close()


def test_a_fact_names_its_model_its_prompt_and_its_span(run: Run) -> None:
    done, memory, server = run([GOOD])
    assert (done.facts, done.skipped) == (1, ())
    (fact,) = memory.store.facts("Mira Holt")
    assert fact.object == "billing desk" or fact.object == "the billing desk"
    assert fact.valid_from == "2021"
    assert fact.provenance["model"] == "compatible:tiny (tiny)"
    assert fact.provenance["prompt"] == "facts/1"
    assert fact.provenance["text"] == QUOTE
    assert server.requests[0].body["response_format"]["json_schema"]["strict"] is True


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Mira Holt left the billing desk"},
        {"object": "the payments desk"},
        {"subject": "Ann Lee"},
        {"valid_from": "2021-02-30"},
        {"valid_from": "1999"},
        {"valid_from": "2021-05", "valid_to": "2021-01"},
        {"object": " "},
    ],
    ids=str,
)
def test_what_the_source_does_not_prove_is_refused(run: Run, change: dict[str, Any]) -> None:
    wrong = GOOD | change
    done, memory, server = run([wrong], [wrong])
    assert done.facts == 0
    assert len(done.skipped) == 1
    assert len(server.requests) == 2
    assert memory.store.facts("Mira Holt") == []
