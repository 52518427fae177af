"""What other libraries are told of a passage beside its text."""

from typing import Any

import msgspec

from quipu.records.reply import Hit

__all__ = ["metadata_of"]


def metadata_of(hit: Hit) -> dict[str, Any]:
    """Where a hit stands, how sure it is, and why it was found, as plain data."""
    return {
        "source": hit.source_ref,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "title": hit.title,
        "score": hit.score,
        "source_type": hit.source_type,
        "updated_at": hit.updated_at,
        "graph_ids": list(hit.graph_ids),
        "why_ranked": msgspec.to_builtins(hit.why_ranked, order="deterministic"),
        "temporal_context": msgspec.to_builtins(hit.temporal_context, order="deterministic"),
    }
