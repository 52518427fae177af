"""A memory as a LlamaIndex retriever (the extra `llama-index`).

retriever = QuipuRetriever(memory, limit=6)
retriever.retrieve("who owns the payment service?")
"""

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from quipu.memory import Memory
from quipu.records.plan import Mode
from quipu.records.reply import Hit
from quipu.records.scope import EVERYTHING, Scope
from quipu.serve.shapes import metadata_of

__all__ = ["QuipuRetriever"]

_SHOWN = frozenset({"path", "title", "start_line", "end_line", "updated_at"})


class QuipuRetriever(BaseRetriever):
    """Passages as scored nodes, best first; their metadata says where from and why."""

    def __init__(
        self,
        memory: Memory,
        *,
        limit: int = 6,
        min_score: float = 0.0,
        mode: Mode = "local",
        scope: Scope = EVERYTHING,
        use_graph: bool = True,
    ) -> None:
        self._memory = memory
        self._limit = limit
        self._min_score = min_score
        self._mode: Mode = mode
        self._scope = scope
        self._use_graph = use_graph
        super().__init__()  # pyright: ignore[reportUnknownMemberType]  # untyped upstream

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._memory.search(
            query_bundle.query_str,
            limit=self._limit,
            mode=self._mode,
            scope=self._scope,
            use_graph=self._use_graph,
        )
        return [
            NodeWithScore(node=_node(hit), score=hit.score)
            for hit in found.hits
            if hit.score >= self._min_score
        ]


def _node(hit: Hit) -> TextNode:
    """A passage as a node: prompts are shown where it stands, and neither scores nor ids."""
    metadata = metadata_of(hit)
    hidden = [key for key in metadata if key not in _SHOWN]
    return TextNode(
        id_=hit.id,
        text=hit.text,
        metadata=metadata,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
