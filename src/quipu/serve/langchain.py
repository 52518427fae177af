"""A memory as a LangChain retriever (the extra `langchain`).

retriever = QuipuRetriever(memory=memory, limit=6)
retriever.invoke("who owns the payment service?")
retriever.invoke("who pays?", limit=1)  # `k` is another word for `limit`, here and above
"""

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables.config import run_in_executor
from pydantic import AliasChoices, ConfigDict, Field

from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.records.plan import Mode
from quipu.records.scope import EVERYTHING, Scope
from quipu.serve.shapes import metadata_of

__all__ = ["QuipuRetriever"]


class QuipuRetriever(BaseRetriever):
    """Passages as Documents, best first; their metadata says where from and why."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    memory: Memory = Field(exclude=True, repr=False)
    limit: int = Field(default=6, validation_alias=AliasChoices("limit", "k"))
    min_score: float = 0.0
    mode: Mode = "local"
    scope: Scope = EVERYTHING
    use_graph: bool = True

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  the library's signature
        limit: int | None = None,
        k: int | None = None,
    ) -> list[Document]:
        return self._found(query, limit, k)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002  the library's signature
        limit: int | None = None,
        k: int | None = None,
    ) -> list[Document]:
        return await run_in_executor(None, self._found, query, limit, k)

    def _found(self, query: str, limit: int | None, k: int | None) -> list[Document]:
        if limit is not None and k is not None and limit != k:
            raise InvalidInput(f"limit={limit!r} and k={k!r} are one thing: give one of them")
        asked = next((each for each in (limit, k) if each is not None), self.limit)
        found = self.memory.search(
            query, limit=asked, mode=self.mode, scope=self.scope, use_graph=self.use_graph
        )
        return [
            Document(id=hit.id, page_content=hit.text, metadata=metadata_of(hit))
            for hit in found.hits
            if hit.score >= self.min_score
        ]
