"""Ranking without scoring everything gives what scoring everything gives, to the last bit."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pytest
from tests.contract.store_sample import old_pages

from quipu.index import blobs, bm25, ranking, segments, stored
from quipu.index.blobs import FieldHead, SegmentHead
from quipu.index.postings import Postings
from quipu.index.segments import Posted, Segment

SIZE, WORDS = 24_000, 300


class Kept:
    """Segments in memory, as a backend keeps them."""

    def __init__(
        self, kept: Sequence[Segment], alive: Sequence[np.ndarray], *, old: bool = False
    ) -> None:
        """`old` is as 0.1.0 kept fields."""
        self._kept, self._alive = kept, alive
        pack = old_pages if old else blobs.pack_buckets
        self._packed = [
            {name: pack(part) for name, part in segment.fields.items()} for segment in kept
        ]

    def segments(self) -> list[SegmentHead]:
        pairs = enumerate(zip(self._kept, self._alive, strict=True))
        return [SegmentHead(n, len(a), int((~a).sum())) for n, (_, a) in pairs]

    def arrays(self, segment: int) -> bytes:
        return blobs.pack_arrays(self._kept[segment])

    def dead(self, segment: int) -> bytes:
        return blobs.pack_dead(self._alive[segment])

    def fields(self, segment: int) -> list[str]:
        return sorted(self._kept[segment].fields)

    def field(self, segment: int, field: str) -> FieldHead | None:
        packed = self._packed[segment].get(field)
        return packed and packed[0]

    def buckets(self, field: str, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, bytes]]:
        kept = {n: dict(fields[field][1]) for n, fields in enumerate(self._packed)}
        return [(n, kept[n][bucket]) for n, bucket in sorted(wanted) if bucket in kept[n]]

    def every_bucket(self, segment: int, field: str) -> list[bytes]:
        return [blob for _, blob in self._packed[segment][field][1]]


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """int64[chunks, words]: how often each word stands in each chunk."""
    chooser = np.random.default_rng(0)
    likely = 0.9 / (1 + np.arange(WORDS))
    return chooser.geometric(0.5, (SIZE, WORDS)) * (chooser.random((SIZE, WORDS)) < likely)


@pytest.fixture(scope="module")
def alive() -> np.ndarray:
    return np.random.default_rng(1).random(SIZE) < 0.95


@pytest.fixture(scope="module", params=["0.1.0", "buckets"])
def postings(request: pytest.FixtureRequest, table: np.ndarray, alive: np.ndarray) -> Postings:
    posted = [
        Posted(
            2 * n,
            f"ch_{n % 7:08x}{n:016x}",
            {"f": {f"w{i}": int(row[i]) for i in row.nonzero()[0]}},
        )
        for n, row in enumerate(table)
    ]
    cuts = [0, 15_000, 23_000, SIZE]
    spans = list(pairwise(cuts))
    kept = Kept(
        [segments.build(posted[a:b]) for a, b in spans],
        [alive[a:b] for a, b in spans],
        old=request.param == "0.1.0",
    )
    made = Postings(kept)
    made.refresh()
    return made


def everything(
    table: np.ndarray, alive: np.ndarray, postings: Postings, terms: Mapping[str, float]
) -> np.ndarray:
    """Every chunk's score, term by term."""
    live = table * alive[:, None]
    lengths = live.sum(axis=1)
    count = int((lengths > 0).sum())
    norm = bm25.norm(lengths.astype(float), int(lengths.sum()) / count, 1.2, 0.75)
    scores = np.zeros(SIZE)
    for term, weight in sorted(terms.items()):
        tf = live[:, int(term[1:])].astype(float)
        weighed = weight * bm25.idf(int((tf > 0).sum()), count)
        scores += np.where(tf > 0, bm25.contribution(tf, norm, weighed, 1.2), 0.0)
    return scores


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("limit", [1, 10, 100])
def test_pruning_changes_nothing(
    table: np.ndarray, alive: np.ndarray, postings: Postings, seed: int, limit: int
) -> None:
    chooser = np.random.default_rng(seed)
    chosen = np.unique((WORDS ** chooser.random(10)).astype(int) - 1)
    terms = {f"w{n}": float(chooser.choice([0.5, 1.0, 3.0])) for n in chosen}
    mask = None if seed % 3 else chooser.random(SIZE) < 0.1
    scores = everything(table, alive, postings, terms)
    if mask is not None:
        scores = scores * mask
    order = np.lexsort((np.arange(SIZE), postings.order_keys, -scores))
    expected = order[scores[order] > 0][:limit]
    found = ranking.best(postings, "f", terms, mask=mask, limit=limit, k1=1.2, b=0.75)
    assert found.numbers.tolist() == (2 * expected).tolist()
    assert found.scores.tolist() == scores[expected].tolist()


def test_more_buckets_than_are_held_change_nothing(
    postings: Postings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read() -> list[list[int]]:
        asked = (["w0"], ["w0", "w1"], ["w1", "w2", "w0"], ["w3", "w0"])
        return [postings.first("f", terms, 1).df.tolist() for terms in asked]

    expected = read()
    postings.clear()
    postings.refresh()
    monkeypatch.setattr(stored, "_HELD_BYTES", 100)
    assert read() == expected


def test_pruning_happens(postings: Postings, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    follow = ranking._followed

    def counted(*given: object) -> object:
        calls.append(1)
        return follow(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(ranking, "_followed", counted)
    terms = {"w0": 1.0, "w1": 1.0, "w150": 3.0, "w200": 3.0, "w250": 3.0}
    ranking.best(postings, "f", terms, mask=None, limit=5, k1=1.2, b=0.75)
    assert calls == [1]


@pytest.mark.parametrize("limit", [0, 1, 7, 500, SIZE])
@pytest.mark.parametrize("masked", [False, True])
def test_the_first_postings_are_those_of_the_whole_lists(
    postings: Postings, limit: int, masked: bool
) -> None:
    chooser = np.random.default_rng(limit)
    mask = (chooser.random(SIZE) < 0.3) & postings.alive if masked else None
    terms = ["nowhere", *(f"w{n}" for n in chooser.permutation(WORDS)[:40])]
    found = postings.first("f", terms, limit, mask)
    ends = np.cumsum(found.counts)
    for at, (term, whole) in enumerate(zip(terms, postings.lists("f", terms), strict=True)):
        expected = whole if mask is None else whole.among(mask)
        span = slice(ends[at] - found.counts[at], ends[at])
        assert found.df[at] == len(expected.rows), term
        assert found.rows[span].tolist() == expected.rows[:limit].tolist()
        assert found.tf[span].tolist() == expected.tf[:limit].tolist()
