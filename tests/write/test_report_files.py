"""The files that a run leaves behind, where they cannot be written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quipu.errors import StoreUnavailable
from quipu.write.lock import Holder, WriteLock
from quipu.write.report import write_report_files
from quipu.write.stamps import Resolutions


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder that cannot be written, whoever runs this: it lies below a file."""
    (tmp_path / "file").write_text("")
    return tmp_path / "file" / ".quipu"


def _take_turn(state: Path) -> None:
    with WriteLock(state).taken():
        pass


@pytest.mark.parametrize(
    "write",
    [
        lambda state: write_report_files(
            state, [], document_count=0, source_sha="x", generated_at="t"
        ),
        lambda state: Resolutions(state, "a").set([]),
        lambda state: Holder(state / "workers" / "1"),
        _take_turn,
    ],
)
def test_the_folder_that_cannot_be_written_is_named(
    state: Path, write: Callable[[Path], None]
) -> None:
    with pytest.raises(StoreUnavailable, match=r"^the folder .*\.quipu.*--store"):
        write(state)
