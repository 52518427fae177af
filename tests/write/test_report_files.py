"""The files that a run leaves behind, where they cannot be written."""

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


def test_the_folder_that_cannot_be_written_is_named(state: Path) -> None:
    told: list[str] = []
    with pytest.raises(StoreUnavailable) as caught:
        write_report_files(state, [], document_count=0, source_sha="x", generated_at="t")
    told.append(str(caught.value))
    with pytest.raises(StoreUnavailable) as caught:
        Resolutions(state, "a").set([])
    told.append(str(caught.value))
    with pytest.raises(StoreUnavailable) as caught, WriteLock(state).taken():
        pass
    told.append(str(caught.value))
    with pytest.raises(StoreUnavailable) as caught:
        Holder(state / "workers" / "1")
    told.append(str(caught.value))
    for said in told:
        assert said.startswith(f"the folder {str(state)!r}") or "workers" in said
        assert "--store" in said
        assert ".index" not in said
