"""One loaded model for all tests of the embedder; skipped, with the reason, without weights."""

import pytest

from quipu.embed.minilm import MiniLM
from quipu.errors import MissingModel


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    try:
        return MiniLM(threads=2)
    except MissingModel as error:
        pytest.skip(str(error))
