"""How near pieces of passages are to a question: from stored vectors, and little is embedded."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from quipu.config import Config
from quipu.memory import Memory
from quipu.ports import Embedder, Vectors
from quipu.testing.fakes import HashEmbedder

PROSE = "\n\n".join(
    f"The {name} oven bakes at {heat} degrees and cools down in {heat // 10} minutes."
    for heat, name in enumerate(("small", "large", "round", "old", "blue", "long"), 180)
)
CODE = "\n\n\n".join(
    f"def bake_{n}(oven):\n    heat = oven.heat + {n}\n    oven.bake(heat)\n    return heat"
    for n in range(12)
)


class Counting(HashEmbedder):
    """Notes what is embedded."""

    def __init__(self) -> None:
        super().__init__(64)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


@pytest.mark.parametrize("question", ["At what heat does the old oven bake?", "what bakes heat"])
def test_an_answer_embeds_its_question_and_three_texts_at_most(
    tmp_path_factory: pytest.TempPathFactory, question: str
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / "ovens.md").write_text(f"# Ovens\n\n{PROSE}\n", "utf-8")
    (home / "bake.py").write_text(CODE, "utf-8")
    embedder = Counting()
    with Memory.open("memory:", home=home, config=Config(), embedder=embedder) as memory:
        memory.index([home])
        embedder.texts.clear()
        memory.ask(question)
    assert 1 <= len(embedder.texts) <= 4


def test_words_that_are_met_speak_for_an_answer(
    remember: Callable[..., Memory], encoder: Embedder
) -> None:
    memory = remember({"ovens.md": f"# Ovens\n\n{PROSE}\n"}, encoder)
    near, far = (
        memory.ask(question).confidence.inputs["met"]
        for question in (
            "At how many degrees does the old oven bake?",
            "At how many degrees does the old harbour freeze?",
        )
    )
    assert near is not None
    assert far is not None
    assert near > far + 0.05
    assert np.isfinite([near, far]).all()
