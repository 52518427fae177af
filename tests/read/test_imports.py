"""Import statements of every form say what they bring in, and how it is called here."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.rows import rows

from quipu.records.document import Document, Import

Read = Callable[[str, str | bytes], Document]

CASES = rows(__file__, "imports")


@pytest.mark.parametrize(("path", "text", "imports"), CASES, ids=[c[1][:30] for c in CASES])
def test_imports(path: str, text: str, imports: tuple[Any, ...], read: Read) -> None:
    assert list(read(path, text + "\n").imports) == [Import(*each) for each in imports]
