"""Which incidents belong together: recall by vectors and words, then the graph.

`link` makes the edges of a new incident by fixed rules (`edges.py`); `similar` finds what
happened before (`similar.py`).
"""

from quipu.incidents.edges import Link
from quipu.incidents.linking import Timelines, link
from quipu.incidents.similar import SimilarIncident, SimilarIncidents, similar

__all__ = ["Link", "SimilarIncident", "SimilarIncidents", "Timelines", "link", "similar"]
