"""What a test does that lacks a program it needs, and the line that tells of all of them."""

import os
from collections import Counter
from typing import NoReturn

import pytest

__all__ = ["cannot", "pytest_terminal_summary"]


def cannot(why: str) -> NoReturn:
    """Skip the test; fail it in CI, where nothing may be skipped."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """End a run with one line: how many tests were skipped, and what was missing for them."""
    skipped = terminalreporter.stats.get("skipped", ())
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if reasons:
        told = "; ".join(f"{count} ({why})" for why, count in reasons.most_common())
        terminalreporter.write_line(f"Tests skipped for what is missing here: {told}")
