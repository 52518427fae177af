"""A small remembered project that answers are asked of, at a fixed moment."""

from collections.abc import Callable

import pytest
from tests.rows import rows

from quipu.memory import Memory

FILES = dict(rows(__file__, "conftest_files"))

Remember = Callable[[dict[str, str]], Memory]


@pytest.fixture
def project(remember: Remember) -> Memory:
    return remember(FILES)
