"""A standard stream that is closed (`quipu status >&-`) costs what it would have carried."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.rows import rows

QUIPU = "{python} -P -m quipu.serve.cli"


@pytest.mark.parametrize(
    ("line", "code", "told"),
    rows(__file__, "a_closed_stream_is_no_traceback"),
)
def test_a_closed_stream_is_no_traceback(
    quipu: Any, project: Path, line: str, code: int, told: str
) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    words = f"{QUIPU.format(python=sys.executable)} {line}"
    done = subprocess.run(
        ["bash", "-c", words], cwd=project, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert done.stderr.startswith(told)
    assert "internal" not in done.stderr.lower()
