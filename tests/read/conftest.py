"""Documents made out of text, as the walker and the readers make them out of files."""

from collections.abc import Callable

import pytest

from quipu.read import SourceFile, content_hash, read_document
from quipu.records.document import Document

MOMENT = "2024-05-06T07:08:09.000Z"


@pytest.fixture(scope="session")
def read() -> Callable[[str, str | bytes], Document]:
    def read_file(path: str, data: str | bytes) -> Document:
        raw = data.encode() if isinstance(data, str) else data
        hashed = content_hash(raw)
        return read_document(SourceFile(path, raw, hashed, hashed, MOMENT))

    return read_file
