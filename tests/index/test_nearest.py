"""The vector cache: read again, brought up to date, never trusted when it should not be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.contract.store_sample import chunk, episode, moment

from quipu.index.nearest import Nearest, VectorSizes
from quipu.index.pieces import Piece, Placed, by_signs
from quipu.index.rotation import decoded
from quipu.index.vector_file import SavedVectors, VectorFile
from quipu.records.batch import Batch, Embedding
from quipu.store.sqlite import SQLiteStore

SIZE, DIMENSION = 1500, 16
OF = episode("docs/a.md", "A", at=moment(1))
ITEMS = [chunk(OF, n, f"w{n}") for n in range(SIZE)]


def rows(seed: int, size: int = SIZE) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((size, DIMENSION)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def embeddings(values: np.ndarray, first: int = 0) -> tuple[Embedding, ...]:
    none = np.zeros((0, DIMENSION))
    return tuple(
        Embedding(ITEMS[first + n].chunk.chunk_id, "space", row, none)
        for n, row in enumerate(values)
    )


SOON = VectorSizes(few=50)
"""As of many vectors."""


def open_at(
    path: Path, exact_up_to: int = 200_000, sizes: VectorSizes | None = None
) -> SQLiteStore:
    sizes = sizes or (SOON if exact_up_to < SIZE else VectorSizes())
    return SQLiteStore(path, namespace="default", exact_up_to=exact_up_to, vector_sizes=sizes)


def nearest(store: SQLiteStore, query: np.ndarray, limit: int = 10) -> list[str]:
    return store.chunk_ids(store.match_vector(query, space="space", limit=limit).numbers)


def expected(values: np.ndarray, query: np.ndarray, limit: int = 10) -> list[str]:
    scores = values.astype(np.float16).astype(np.float64) @ query.astype(np.float64)
    return [ITEMS[n].chunk.chunk_id for n in np.argsort(-scores, kind="stable")[:limit]]


@pytest.fixture(params=[200_000, 100], ids=["exact", "signs"])
def exact_up_to(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.fixture
def path(tmp_path: Path, exact_up_to: int) -> Path:
    path = tmp_path / "q.db"
    with open_at(path, exact_up_to) as store:
        store.write(Batch(recorded_at=moment(1), episodes=(OF,), chunks=tuple(ITEMS)))
        store.write(Batch(recorded_at=moment(1), embeddings=embeddings(rows(0))))
        nearest(store, rows(1)[0])
    return path


def files(path: Path) -> list[Path]:
    return sorted(path.with_name("q.db.vectors").iterdir())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many vectors were read from the database each time that all of them were."""
    found: list[int] = []
    every = Nearest._read

    def reading(self: Nearest) -> None:
        every(self)
        found.append(self.unkept)

    monkeypatch.setattr(Nearest, "_read", reading)
    return found


def test_the_nearest_are_found(path: Path, exact_up_to: int) -> None:
    with open_at(path, exact_up_to) as store:
        hits = 0
        for query in rows(2)[:40]:
            hits += len(set(nearest(store, query)) & set(expected(rows(0), query)))
        assert hits == 400


def test_vectors_are_indexed_by_who_wrote_them(
    tmp_path: Path, exact_up_to: int, read: list[int]
) -> None:
    path = tmp_path / "q.db"
    with open_at(path, exact_up_to) as store:
        store.write(Batch(recorded_at=moment(1), episodes=(OF,), chunks=tuple(ITEMS)))
        store.write(Batch(recorded_at=moment(1), embeddings=embeddings(rows(0))))
    assert read == [SIZE]
    query = rows(1)[0]
    with SQLiteStore(path, namespace="default", read_only=True) as store:
        assert nearest(store, query)[0] == expected(rows(0), query)[0]
    assert read == [SIZE]


@pytest.mark.parametrize("harm", ["cut", "flip", "delete"])
def test_a_damaged_file_is_written_again(
    path: Path, exact_up_to: int, read: list[int], harm: str
) -> None:
    (harmed,) = files(path)
    data = bytearray(harmed.read_bytes())
    if harm == "delete":
        harmed.unlink()
    elif harm == "cut":
        harmed.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 0xFF
        harmed.write_bytes(data)
    query = rows(1)[0]
    with open_at(path, exact_up_to) as store:
        assert nearest(store, query)[0] == expected(rows(0), query)[0]
    assert read == [SIZE]
    with open_at(path, exact_up_to) as store:
        nearest(store, query)
    assert read == [SIZE]


def test_no_byte_of_a_large_file_is_taken_on_trust(tmp_path: Path) -> None:
    count, dimension = 9_000, 1_024  # 18 MB
    draw = np.random.default_rng(3)
    matrix = draw.standard_normal((count, dimension)).astype(np.float16)
    numbers = np.arange(count, dtype=np.int64)
    piece = Piece(numbers, matrix.view(np.uint8))
    kept = VectorFile(tmp_path, "big", writable=True)
    assert kept.save([piece], 7, space="space", dimension=dimension, mark="mark")

    def load() -> SavedVectors | None:
        found = VectorFile(tmp_path, "big", writable=True)
        return found.load("space", dimension, lambda _: "mark")

    assert load() is not None
    path = next(tmp_path.glob("*.vectors"))
    with path.open("r+b") as stream:
        for at in draw.integers(0, path.stat().st_size, 25):
            stream.seek(at)
            byte = stream.read(1)[0]
            for value in (byte ^ 1 << int(at) % 8, byte):
                stream.seek(at)
                stream.write(bytes([value]))
                stream.flush()
                assert (load() is None) == (value != byte), at


def test_a_file_of_another_database_is_not_trusted(
    path: Path, tmp_path: Path, exact_up_to: int, read: list[int]
) -> None:
    other = tmp_path / "other" / "q.db"
    with open_at(other, exact_up_to) as store:
        store.write(Batch(recorded_at=moment(1), episodes=(OF,), chunks=tuple(ITEMS)))
        store.write(Batch(recorded_at=moment(1), embeddings=embeddings(rows(5))))
        other.with_name("q.db.vectors").mkdir()
        for file in files(path):
            (other.with_name("q.db.vectors") / file.name).write_bytes(file.read_bytes())
        query = rows(1)[0]
        assert nearest(store, query)[0] == expected(rows(5), query)[0]
    assert read == [SIZE]


def test_what_came_and_went_since_is_seen(path: Path, exact_up_to: int, read: list[int]) -> None:
    values = rows(0)
    values[:20] = rows(9)[:20]
    query = values[3]
    with open_at(path, exact_up_to) as store:
        store.write(Batch(recorded_at=moment(2), embeddings=embeddings(values[:20])))
        assert nearest(store, query)[0] == ITEMS[3].chunk.chunk_id
        found = store.vectors(store.numbers([ITEMS[3].chunk.chunk_id]), "space")
        np.testing.assert_array_equal(found[0], query.astype(np.float16).astype(np.float32))
        assert store.forget(["docs/none.md"]) == 0
        later = episode("docs/a.md", "B", at=moment(3))
        kept = [chunk(later, n, f"w{n}") for n in range(SIZE) if n != 3]
        store.write(
            Batch(
                recorded_at=moment(3),
                episodes=(later,),
                chunks=tuple(kept),
                replaces=("docs/a.md",),
            )
        )
        assert ITEMS[3].chunk.chunk_id not in nearest(store, query, limit=200)
        assert store.spaces() == {"space": SIZE - 1}
        assert read == []


def test_pieces_grow_without_reading_what_is_there(
    tmp_path: Path, exact_up_to: int, read: list[int]
) -> None:
    sizes = replace(SOON if exact_up_to < SIZE else VectorSizes(), piece=100, delta=40, kept=100)
    path = tmp_path / "q.db"
    values = rows(0)
    with open_at(path, exact_up_to, sizes) as store:
        store.write(Batch(recorded_at=moment(1), episodes=(OF,), chunks=tuple(ITEMS)))
    for first in range(0, SIZE, 150):  # as many processes do, one after the other
        with open_at(path, exact_up_to, sizes) as store:
            part = embeddings(values[first : first + 150], first)
            store.write(Batch(recorded_at=moment(1), embeddings=part))
    assert read == [150]
    (file,) = files(path)
    assert 0 < file.stat().st_size - SIZE * (DIMENSION * 2 + 8) < 2_000
    with open_at(path, exact_up_to, sizes) as store:
        for query in rows(2)[:20]:
            assert nearest(store, query) == expected(values, query)
    assert read == [150]


def test_what_another_process_wrote_is_taken_from_its_file(
    path: Path, exact_up_to: int, read: list[int]
) -> None:
    sizes = replace(SOON if exact_up_to < SIZE else VectorSizes(), piece=200, delta=40, follow=150)
    values = rows(0)
    values[:300] = rows(9)[:300]
    with open_at(path, exact_up_to, sizes) as reader, open_at(path, exact_up_to, sizes) as writer:
        before = rows(9)[7]
        assert nearest(reader, before)[0] == expected(rows(0), before)[0]
        writer.write(Batch(recorded_at=moment(2), embeddings=embeddings(values[:300])))
        for query in rows(9)[:10]:
            assert nearest(reader, query) == expected(values, query)
    assert read == []


def test_what_is_forgotten_leaves_the_files_and_the_rest_stays(
    path: Path, exact_up_to: int, read: list[int]
) -> None:
    other = episode("docs/b.md", "B", at=moment(1))
    secret = chunk(other, 0, "secret")
    vector = rows(8)[0]
    embedding = Embedding(secret.chunk.chunk_id, "space", vector, np.zeros((0, DIMENSION)))
    with open_at(path, exact_up_to) as store:
        store.write(
            Batch(
                recorded_at=moment(2),
                episodes=(other,),
                chunks=(secret,),
                embeddings=(embedding, *embeddings(rows(0)[::-1].copy())),
            )
        )
        for file in files(path):
            file.unlink()
    with open_at(path, exact_up_to) as store:
        assert nearest(store, vector)[0] == secret.chunk.chunk_id
    assert read == [SIZE + 1]
    kept = vector.astype(np.float16).tobytes()
    assert any(kept in file.read_bytes() for file in files(path))
    with open_at(path, exact_up_to) as store, open_at(path, exact_up_to) as reader:
        nearest(reader, vector)
        assert store.forget(["docs/b.md"]) == 1
        assert not any(kept in file.read_bytes() for file in files(path))
        assert len(files(path)) == 1
        for handle in (store, reader):
            assert nearest(handle, vector) == expected(rows(0)[::-1], vector)
    with open_at(path, exact_up_to) as store:
        assert nearest(store, vector) == expected(rows(0)[::-1], vector)
    assert read == [SIZE + 1]


def test_what_is_forgotten_leaves_the_files_of_an_earlier_version(path: Path) -> None:
    (file,) = files(path)
    slug = file.name.split(".")[0]
    file.rename(file.with_name(f"{slug}.7.42.0.vectors"))
    file.with_name(f"{slug}.json").write_text("{}")
    with open_at(path) as store:
        assert store.forget(["docs/a.md"]) == 1
    assert files(path) == []


@pytest.mark.parametrize("harm", ["cut", "flip", "more"])
def test_what_others_have_mapped_stays_as_it_is(tmp_path: Path, harm: str) -> None:
    pieces = [
        Piece(np.arange(n, n + 90, dtype=np.int64), np.ones((90, 32), dtype=np.uint8))
        for n in (0, 90, 180)
    ]

    def opened() -> VectorFile:
        return VectorFile(tmp_path, "some", writable=True)

    said = {"space": "space", "dimension": 16, "mark": "mark"}
    first = opened().save(pieces[:2], 7, **said)
    assert first is not None
    path = tmp_path / "some.vectors"
    data = bytearray(path.read_bytes())
    if harm == "flip":
        data[-100] ^= 0xFF
    path.write_bytes({"cut": data[:-80], "more": data + data[:80]}.get(harm, data))
    kept = opened()
    found = kept.load("space", 16, lambda _: "mark")
    assert found is not None
    assert len(found.pieces) == (2 if harm == "more" else 1)
    before = path.read_bytes()
    with path.open("rb") as mapped:
        saved = kept.save([*found.pieces, pieces[2]], 8, **said)
        assert saved is not None
        assert mapped.read() == before
    again = opened().load("space", 16, lambda _: "mark")
    assert again is not None
    assert [len(each.numbers) for each in again.pieces] == [90] * len(saved)


def test_signs_lose_nothing_of_the_best_hundred() -> None:
    draw = np.random.default_rng(4)
    topics = draw.standard_normal((300, 384))
    values = topics[draw.integers(0, 300, 30_000)] + draw.standard_normal((30_000, 384))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    piece = Piece(np.arange(30_000), values.astype(np.float16).view(np.uint8))
    placed = Placed(piece, np.ones(30_000, bool), np.arange(30_000), np.ones(30_000, bool))
    scored = decoded(piece.codes)
    found = 0
    for query in values[:50].astype(np.float32):
        (places,) = by_signs([placed], [placed.alive], [30_000], query, 100, few=1000)
        found += len(set(places.tolist()) & set(np.argsort(-(scored @ query))[:100].tolist()))
    assert found >= 0.997 * 50 * 100
