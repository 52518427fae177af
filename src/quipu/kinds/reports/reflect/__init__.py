"""Reflection: the graph in communities, and a report on each, made offline within a budget.

    network → communities → reporting → keeping

It reads the store alone and asks no model. The same graph gives the same reports, byte for byte;
only those that come out different are written, in one atomic batch, and what they take the place
of is erased afterwards. A run that is killed leaves the old reports, or both, and the next mends
that.
"""

from quipu.facts.attributes import Attributes
from quipu.kinds.reports.model import ReflectionBudget, Report
from quipu.kinds.reports.reflect.communities import Community, find_communities
from quipu.kinds.reports.reflect.keeping import Author, Reflected, keep
from quipu.kinds.reports.reflect.network import Mentions, build_network, documents_of, read_mentions
from quipu.kinds.reports.reflect.reporting import (
    Material,
    read_entities,
    report_on,
    report_on_all,
)
from quipu.kinds.reports.reflect.stated import StatedFacts
from quipu.ports import Planner, Store
from quipu.records.progress import Progress
from quipu.when.instants import Clock

__all__ = ["Author", "Reflected", "reflect"]

_LEAST_PASSAGES = 2
_SESSION = "session"


def reflect(
    store: Store,
    *,
    budget: ReflectionBudget,
    table: Attributes,
    clock: Clock,
    author: Author | None = None,
    progress: Progress | None = None,
) -> Reflected:
    """Bring the reports up to date with the store.

    With an `author` (a language model) what is made anew gets a summary. Raises InvalidInput for a
    budget that allows nothing.
    """
    with store.moment():
        sequence = store.sequence()
        found, reports = _reports(store, budget, table, progress)
    return keep(
        store,
        reports,
        sequence=sequence,
        communities=found,
        budget=budget,
        clock=clock,
        author=author,
    )


def _reports(
    planner: Planner,
    budget: ReflectionBudget,
    table: Attributes,
    progress: Progress | None,
) -> tuple[int, list[Report]]:
    """How many communities there are, and the reports on all and on the largest of them."""
    sources = documents_of(planner.sources())
    sessions = frozenset(d for d, s in sources.items() if s.source_type == _SESSION)
    mentions = read_mentions(planner, sources, sessions)
    network = build_network(planner, mentions)
    material = Material(
        planner=planner,
        mentions=mentions,
        network=network,
        documents=read_entities(planner, sorted(mentions.passages)),
        refs={
            d: source.source_ref.partition("#")[0] if d in sessions else source.source_ref
            for d, source in sources.items()
        },
        sessions=sessions,
        facts=StatedFacts(planner, planner.facts(), table=table),
        budget=budget,
    )
    sized = [(_passages(c, mentions), c) for c in find_communities(network.edges)]
    large = [(n, c) for n, c in sized if n >= _LEAST_PASSAGES]
    large.sort(key=lambda each: (-each[0], each[1].hub))
    whole = report_on_all(material)
    reports = [whole] if whole else []
    for done, (_, community) in enumerate(large[: budget.communities], 1):
        if report := report_on(community, material):
            reports.append(report)
        if progress:
            progress("reflect", done, min(len(large), budget.communities))
    return len(large), reports


def _passages(community: Community, mentions: Mentions) -> int:
    return sum(len(mentions.passages.get(node, ())) for node, _ in community.members)
