"""LangChain's own standard tests of a retriever, over `QuipuRetriever`.

Not collected here: `test_suites.py` runs it where the package `langchain-tests` is installed.
"""

from pathlib import Path
from typing import Any

import pytest
from langchain_tests.integration_tests import RetrieversIntegrationTests

from quipu.config import Config
from quipu.memory import Memory
from quipu.serve.langchain import QuipuRetriever
from quipu.testing.fakes import HashEmbedder


class TestQuipuRetriever(RetrieversIntegrationTests):
    """The five tests of the library; none differs on purpose."""

    @pytest.fixture(autouse=True)
    def _told(self, tmp_path: Path) -> Any:
        text = "\n\n".join(f"# Topic {n}\n\nThe example number {n} is about tea." for n in range(9))
        (tmp_path / "topics.md").write_text(text)
        config, embedder = Config(), HashEmbedder(64)
        with Memory.open("memory:", config=config, embedder=embedder, home=tmp_path) as memory:
            memory.index(tmp_path / "topics.md")
            self._memory = memory
            yield

    @property
    def retriever_constructor(self) -> type[QuipuRetriever]:
        return QuipuRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"memory": self._memory}

    @property
    def retriever_query_example(self) -> str:
        return "example about tea"
