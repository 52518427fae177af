"""Posting segments: what is built can be merged, packed and read without a difference."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.index import blobs, segments
from quipu.index.segments import Posted, Segment

TERMS = st.dictionaries(st.sampled_from("abcdefgh") | st.text(max_size=3), st.integers(1, 400))
CHUNKS = st.lists(st.dictionaries(st.sampled_from(["prose", "name"]), TERMS), max_size=12)


def posted(columns: list[dict[str, dict[str, int]]], first: int = 0) -> list[Posted]:
    return [Posted(first + n, f"ch_{first + n:024x}", each) for n, each in enumerate(columns)]


def same(one: Segment, two: Segment) -> bool:
    return (
        one.numbers.tolist() == two.numbers.tolist()
        and one.order_keys.tolist() == two.order_keys.tolist()
        and one.fields.keys() == two.fields.keys()
        and all(
            np.array_equal(getattr(part, name), getattr(two.fields[field], name))
            for field, part in one.fields.items()
            for name in ("lengths", "high", "low", "counts", "rows", "tf")
        )
    )


@given(CHUNKS, CHUNKS, st.randoms(use_true_random=False))
def test_merging_is_building_from_what_is_alive(left, right, chooser) -> None:
    chunks = posted(left), posted(right, len(left))
    alive = [np.array([chooser.random() < 0.7 for _ in part], dtype=bool) for part in chunks]
    merged = segments.merge([segments.build(part) for part in chunks], alive)
    kept = [
        c
        for part, mask in zip(chunks, alive, strict=True)
        for c, a in zip(part, mask, strict=True)
        if a
    ]
    assert same(merged, segments.build(kept))


@given(CHUNKS, st.integers(32, 400))
def test_buckets_hold_the_terms_of_their_bits(columns, size: int) -> None:
    with mock.patch.object(blobs, "_BUCKET_BYTES", size):
        parts = segments.build(posted(columns)).fields.values()
        packed = [(part, *blobs.pack_buckets(part)) for part in parts]
    for part, head, buckets in packed:
        assert blobs.is_bucketed(head)
        numbers = [number for number, _ in buckets]
        assert numbers == sorted(set(blobs.bucket_of(part.high, head.directory[0]).tolist()))
        found = [blobs.unpack_bucket(blob, *head[:2]) for _, blob in buckets]
        for name in blobs.Bucket._fields:
            together = [n for bucket in found for n in getattr(bucket, name).tolist()]
            assert together == getattr(part, name).tolist()


@pytest.mark.parametrize(
    ("sizes", "run"),
    [
        ([], 0),
        ([1, 1, 1], 0),
        ([1, 1, 1, 1], 4),
        ([4, 1, 1, 1, 1], 4),
        ([4, 4, 4, 4, 1], 5),
        ([16, 4, 4, 4, 1, 4], 5),
        ([300_000] * 5, 0),
    ],
)
def test_four_of_a_size_are_merged(sizes: list[int], run: int) -> None:
    assert segments.due(sizes) == run
