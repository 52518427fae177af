"""Watching ends on Ctrl-C, and says nothing of its own."""

import signal
import threading
from pathlib import Path

import pytest

from quipu.write.watch import changes_in


def test_ctrl_c_ends_watching_without_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    assert list(changes_in([tmp_path], None)) == []
    timer.join()
    assert [record.getMessage() for record in caplog.records] == []
