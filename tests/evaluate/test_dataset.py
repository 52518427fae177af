"""The store of a measurement: kept for the same set, made anew for any other."""

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from quipu.evaluate.dataset import written


def place_of(directory: Path, folder: Path | None, key: str = "") -> Path:
    opened: list[Path] = []

    def open_memory(path: str) -> AbstractContextManager[Path]:
        opened.append(Path(path))
        return nullcontext(Path(path))

    def write(database: Path, place: Path) -> float:
        assert database.parent == place
        return 60.0

    with written(directory, open_memory, write, folder=folder, key=key) as (_, writing):  # type: ignore[arg-type]
        assert writing.index_s == 0.0  # never less, whatever the report says
        assert writing.embed_s == 60.0
    return opened[0]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text(json.dumps({"id": "a", "text": "x"}) + "\n")
    return tmp_path


def test_the_same_set_finds_its_store_again(labelled: Path, tmp_path: Path) -> None:
    first = place_of(labelled, tmp_path / "kept")
    assert first.parent.is_dir()
    assert place_of(labelled, tmp_path / "kept") == first


def test_other_rows_or_another_use_get_a_store_of_their_own(labelled: Path, tmp_path: Path) -> None:
    first = place_of(labelled, tmp_path / "kept")
    assert place_of(labelled, tmp_path / "kept", key="by conv") != first
    (labelled / "corpus.jsonl").write_text(json.dumps({"id": "a", "text": "y"}) + "\n")
    assert place_of(labelled, tmp_path / "kept") != first
