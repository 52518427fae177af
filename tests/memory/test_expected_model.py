"""A model that is expected is loaded beside other work, once, and keeps its errors for its user."""

import threading

import pytest

from quipu.config import EmbedConfig
from quipu.embed import MiniLM, minilm
from quipu.handle.model import AUTO, EmbedderSource


def wait() -> None:
    for thread in threading.enumerate():
        if thread.name == "quipu-model":
            thread.join()


@pytest.mark.model
def test_an_expected_model_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load = minilm._session

    def counted(*given: object) -> object:
        loaded.append(threading.current_thread().name)
        return load(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(minilm, "_session", counted)
    model = EmbedderSource(AUTO, EmbedConfig(threads=2))
    for _ in range(3):
        model.expect()
    embedder = model.require()
    wait()
    assert loaded == ["quipu-model"]
    found = embedder.embed_windows("who owns the ledger?")
    assert loaded == ["quipu-model"]
    assert (
        found.vector.tobytes()
        == MiniLM(threads=2, precision="auto").embed_windows("who owns the ledger?")[0].tobytes()
    )
