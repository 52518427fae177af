"""What is read from the figures of a memory that grows, and how its corpus grows."""

from pathlib import Path
from typing import Any

import pytest
from bench.corpus import Pages, write_corpus
from bench.scale import exponent, exponents


def _at(size: int, power: float) -> dict[str, Any]:
    figure = size**power
    return {
        "search_ms": {"processor_p50": figure, "processor_p95": 2 * figure},
        "first_search_ms": {"processor": figure},
        "opening_s": {"processor": 1.0},
        "resident_mb": {"searched": figure},
        "disk_mb": {"all": 14 * size},
    }


def test_an_exponent_is_a_slope_of_logarithms() -> None:
    assert exponent((10_000, 3.0), (1_000_000, 30.0)) == pytest.approx(0.5)


def test_exponents_are_told_from_each_size_to_the_next() -> None:
    figures = {size: _at(size, 0.5) for size in (10_000, 100_000, 300_000, 1_000_000)}
    found = exponents(figures)
    assert set(found["search, processor p50"].values()) == {0.5}
    assert found["disk"]["100000 to 1000000"] == 1.0
    assert found["opening, processor"]["10000 to 100000"] == 0.0


def test_a_corpus_that_grows_is_the_corpus_of_that_size(tmp_path: Path) -> None:
    pages = Pages(tmp_path / "grown")
    assert [pages.grow(40), pages.grow(100)] == [2, 5]
    assert write_corpus(tmp_path / "whole", 100) == 5
    for whole in (tmp_path / "whole").rglob("*.md"):
        grown = tmp_path / "grown" / whole.relative_to(tmp_path / "whole")
        assert grown.read_bytes() == whole.read_bytes()
