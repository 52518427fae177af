"""Which incidents belong together: recall by vectors and words, then the graph.

`link` makes the edges of a new incident by fixed rules (`edges.py`); `similar` finds what
happened before (`similar.py`).
"""

from quipu.kinds.incidents.similar.edges import NewEdge
from quipu.kinds.incidents.similar.linking import Dependencies, Timelines, causes_of, link
from quipu.kinds.incidents.similar.recall import SimilarIncident, SimilarIncidents, similar

__all__ = [
    "Dependencies",
    "NewEdge",
    "SimilarIncident",
    "SimilarIncidents",
    "Timelines",
    "causes_of",
    "link",
    "similar",
]
