"""The cache of vectors: found again, never wrong, never an error."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from quipu.embed.cache import VectorCache, content_key, make_passages
from quipu.ports import Embedded
from quipu.testing.fakes import HashEmbedder

TEXTS = ["one knot", "two cords", "three dates"]
PASSAGES = [(text, [(0, 3), (4, 20)]) for text in TEXTS]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "vectors.db"


@pytest.fixture
def cache(path: Path) -> Iterator[VectorCache]:
    cache = VectorCache(path)
    yield cache
    cache.close()


def entry(seed: int, parts: int = 0, dimension: int = 8) -> Embedded:
    rows: NDArray[np.float32] = (
        np.random.default_rng(seed)
        .standard_normal((parts + 1, dimension))
        .astype(np.float16)
        .astype(np.float32)
    )
    return Embedded(rows[0], rows[1:])


def bytes_of(found: Embedded) -> tuple[bytes, bytes]:
    return found.vector.tobytes(), found.parts.tobytes()


def test_kept_vectors_are_found_after_reopening(path: Path, cache: VectorCache) -> None:
    kept = {content_key("a"): entry(1), content_key("b", [(0, 1)]): entry(2, parts=3)}
    cache.put("space", kept)
    cache.close()
    again = VectorCache(path)
    found = again.get("space", [*kept, content_key("unknown")])
    again.close()
    assert {key: bytes_of(value) for key, value in found.items()} == {
        key: bytes_of(value) for key, value in kept.items()
    }
    assert found[content_key("b", [(0, 1)])].parts.shape == (3, 8)


def test_size_is_bounded_and_the_oldest_leave(path: Path) -> None:
    cache = VectorCache(path, max_bytes=200_000)
    keys = [content_key(str(number)) for number in range(400)]
    for number, key in enumerate(keys):
        cache.put("space", {key: entry(number, parts=2, dimension=384)})
    found = cache.get("space", keys)
    cache.close()
    assert 20 < len(found) < 100
    assert set(found) == set(keys[-len(found) :])
    assert path.stat().st_size < 400_000


@pytest.mark.parametrize("damage", ["text", "zeros", "truncated", "other table", "empty"])
def test_damaged_file_is_begun_anew(
    path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    first = VectorCache(path)
    first.put("space", {content_key(str(number)): entry(number, 9) for number in range(200)})
    first.close()
    whole = path.read_bytes()
    contents = {
        "text": b"this is no database " * 500,
        "zeros": b"\x00" * len(whole),
        "truncated": whole[: len(whole) // 2],
        "empty": b"",
    }
    path.unlink()
    if damage == "other table":
        apsw.Connection(str(path)).execute("CREATE TABLE vector (something)")
    else:
        path.write_bytes(contents[damage])
    with caplog.at_level(logging.ERROR):
        cache = VectorCache(path)
        cache.get("space", [content_key(str(number)) for number in range(200)])
        cache.put("space", {content_key("new"): entry(5)})
        assert list(cache.get("space", [content_key("new")])) == [content_key("new")]
        cache.close()
    assert not caplog.records


def test_changed_bytes_of_a_vector_are_not_served(path: Path, cache: VectorCache) -> None:
    key = content_key("a")
    cache.put("space", {key: entry(1)})
    cache.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE vector SET rows = zeroblob(16)")
    connection.close()
    again = VectorCache(path)
    assert again.get("space", [key]) == {}
    again.close()


def test_folder_that_cannot_be_made_means_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = VectorCache(tmp_path / "file" / "vectors.db")
    cache.put("space", {content_key("a"): entry(1)})
    assert cache.get("space", [content_key("a")]) == {}
    cache.close()


def test_locked_file_is_done_without_and_used_later(path: Path, cache: VectorCache) -> None:
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    quick = VectorCache(path, busy_timeout_ms=10)
    quick.put("space", {content_key("a"): entry(1)})
    assert quick.get("space", [content_key("a")]) == {}
    other.execute("ROLLBACK")
    other.close()
    quick.put("space", {content_key("a"): entry(1)})
    assert quick.get("space", [content_key("a")])
    quick.close()


FILL = """
import sys
from pathlib import Path
import numpy as np
from quipu.embed.cache import VectorCache, content_key
from quipu.ports import Embedded

cache, start = VectorCache(Path(sys.argv[1])), int(sys.argv[2])
for number in range(start, start + 100):
    rows = np.full((1, 8), number, np.float32)
    cache.put("space", {content_key(str(number)): Embedded(rows[0], rows[1:])})
cache.close()
"""


def test_two_processes_fill_one_file(path: Path) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", FILL, str(path), str(start)]) for start in (0, 50)
    ]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    cache = VectorCache(path)
    keys = [content_key(str(number)) for number in range(150)]
    found = cache.get("space", keys)
    cache.close()
    assert [found[key].vector[0] for key in keys] == list(range(150))


def test_second_run_embeds_nothing_and_gives_the_same_bytes(cache: VectorCache) -> None:
    first, second = HashEmbedder(), HashEmbedder()
    fresh = make_passages(first, PASSAGES, cache=cache, threads=2)
    again = make_passages(second, PASSAGES[::-1], cache=cache)[::-1]
    assert first.calls == len(PASSAGES)
    assert second.calls == 0
    assert [bytes_of(one) for one in fresh] == [bytes_of(one) for one in again]


def test_only_the_missing_are_embedded_and_each_once(cache: VectorCache) -> None:
    inner = HashEmbedder()
    make_passages(inner, PASSAGES[:1], cache=cache)
    made = make_passages(inner, [PASSAGES[1], PASSAGES[0], PASSAGES[1]], cache=cache)
    assert inner.calls == 2
    assert bytes_of(made[0]) == bytes_of(made[2])
    assert np.allclose(made[1].vector, inner.embed([TEXTS[0]])[0], atol=1e-3)
    assert made[0].parts.shape == (2, inner.dimension)
