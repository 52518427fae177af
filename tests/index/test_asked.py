"""A question is embedded once, beside other work, and a failure is not remembered."""

from threading import Event, current_thread, main_thread

from quipu.index.asked import begin_vectors, question_vectors
from quipu.ports import Embedded
from quipu.testing.fakes import HashEmbedder


class Slow(HashEmbedder):
    """Waits until it is let go; raises while it is broken."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = Event()
        self.broken = False
        self.begun = 0

    def embed_windows(self, text: str, *, size: int = 6, stride: int = 3) -> Embedded:
        self.begun += 1
        assert current_thread() is not main_thread()
        assert self.let_go.wait(10)
        if self.broken:
            raise ValueError("the model is broken")
        return super().embed_windows(text, size=size, stride=stride)


def test_a_question_is_embedded_beside_and_once() -> None:
    embedder = Slow()
    first = begin_vectors(embedder, "who lives in Basel")
    second = begin_vectors(embedder, "who lives in Basel")
    embedder.let_go.set()
    expected = HashEmbedder().embed_windows("who lives in Basel")
    for found in (first(), second(), question_vectors(embedder, "who lives in Basel")):
        assert found.vector.tolist() == expected.vector.tolist()
        assert found.parts.tolist() == expected.parts.tolist()
    assert embedder.begun == 1
