"""What a reader keeps while others write is what a new one finds, read only where it is new."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contract.store_sample import chunk, episode, moment

from quipu.records.batch import Batch
from quipu.store.derived.rows import SegmentRows
from quipu.store.sqlite import SQLiteStore

TERMS = [f"w{n}" for n in range(12)]


def batch(draw: random.Random, step: int) -> Batch:
    of = episode(f"docs/{draw.randrange(9)}.md", f"{step}", at=moment(1 + step % 20))
    texts = [" ".join(draw.choices(TERMS, k=6)) for _ in range(draw.randint(1, 40))]
    return Batch(
        recorded_at=moment(1 + step % 20),
        episodes=(of,),
        chunks=tuple(chunk(of, n, text) for n, text in enumerate(texts)),
        replaces=(of.source_ref,) if draw.random() < 0.6 else (),
    )


@pytest.mark.parametrize("seed", range(4))
def test_what_is_kept_is_what_a_new_reader_finds(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    path = tmp_path / "q.db"
    with SQLiteStore(path, namespace="default") as writer:
        writer.write(batch(draw, 0))
        with SQLiteStore(path, namespace="default") as reader:
            for step in range(1, 60):
                writer.write(batch(draw, step))
                if draw.random() < 0.1:
                    writer.forget([f"docs/{draw.randrange(9)}.md"])
                if draw.random() < 0.5:
                    continue  # a reader that looks now and then
                asked = draw.sample(TERMS, 5)
                with SQLiteStore(path, namespace="default") as fresh:
                    for store in (reader, fresh):
                        store.match_text("prose", dict.fromkeys(asked, 1.0))
                    kept, new = reader._postings, fresh._postings
                    for ours, theirs in zip(
                        kept.lists("prose", asked), new.lists("prose", asked), strict=True
                    ):
                        np.testing.assert_array_equal(ours.rows, theirs.rows)
                        np.testing.assert_array_equal(ours.tf, theirs.tf)
                    ours, theirs = kept.statistics("prose"), new.statistics("prose")
                    np.testing.assert_array_equal(ours.lengths, theirs.lengths)
                    assert (ours.count, ours.average) == (theirs.count, theirs.average)


def test_after_a_write_only_the_new_segment_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    path = tmp_path / "q.db"
    with (
        SQLiteStore(path, namespace="default") as writer,
        SQLiteStore(path, namespace="default") as reader,
    ):
        first = episode("docs/large.md", "A", at=moment(1))
        many = tuple(chunk(first, n, " ".join(draw.choices(TERMS, k=6))) for n in range(3000))
        writer.write(Batch(recorded_at=moment(1), episodes=(first,), chunks=many))
        reader.match_text("prose", dict.fromkeys(TERMS, 1.0))
        asked: list[int] = []
        buckets = SegmentRows.buckets

        def counted(self: SegmentRows, field: str, wanted: Any) -> list[tuple[int, bytes]]:
            asked.extend(segment for segment, _ in wanted)
            return buckets(self, field, wanted)

        monkeypatch.setattr(SegmentRows, "buckets", counted)
        other = episode("docs/small.md", "B", at=moment(2))
        one = chunk(other, 0, "w0 w1 w2")
        writer.write(Batch(recorded_at=moment(2), episodes=(other,), chunks=(one,)))
        found = reader.match_text("prose", {"w0": 1.0}, limit=5000)
        assert one.chunk.chunk_id in reader.chunk_ids(found.numbers)
        old, new = SegmentRows(reader._session).segments()
        assert old.size == 3000
        assert set(asked) == {new.segment}
