"""A memory as a LangChain retriever (the extra `langchain`).

retriever = QuipuRetriever(memory=memory, limit=6)
retriever.invoke("who owns the payment service?")
"""

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from quipu.domain.plan import Mode
from quipu.domain.scope import EVERYTHING, Scope
from quipu.memory import Memory
from quipu.serve.passages import metadata_of

__all__ = ["QuipuRetriever"]


class QuipuRetriever(BaseRetriever):
    """Passages as Documents, best first; their metadata says where from and why."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Memory = Field(exclude=True, repr=False)
    limit: int = 6
    min_score: float = 0.0
    mode: Mode = "local"
    scope: Scope = EVERYTHING
    use_graph: bool = True

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002  the library's signature
    ) -> list[Document]:
        found = self.memory.search(
            query, limit=self.limit, mode=self.mode, scope=self.scope, use_graph=self.use_graph
        )
        return [
            Document(id=hit.id, page_content=hit.text, metadata=metadata_of(hit))
            for hit in found.hits
            if hit.score >= self.min_score
        ]
