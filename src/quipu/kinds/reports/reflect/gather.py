"""What all reports are written from, read once: documents, names, and how dated facts stand."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.kinds.reports.model import ReflectionBudget
from quipu.kinds.reports.reflect.labels import words_of
from quipu.kinds.reports.reflect.mentioned import Mentioned
from quipu.kinds.reports.reflect.network import EntityNetwork
from quipu.kinds.reports.reflect.sentences import Line
from quipu.ports import Graph, Planner
from quipu.records.attributes import Attributes
from quipu.records.facts import FactStanding, standings
from quipu.records.record import Chunk, Entity, Episode, Fact
from quipu.text import name_key, stems

__all__ = ["Material", "Quotable", "Say", "gathered", "is_current", "read_entities", "sources_of"]

Quotable = Callable[[Chunk], Sequence[Line]]
Say = Callable[[Fact], str]

_PAGE = 500


class StandingFacts(NamedTuple):
    """Facts that hold or are disputed, by id, and their ids by folded name and by document."""

    standing: Mapping[str, FactStanding]
    by_name: Mapping[str, Sequence[str]]
    by_document: Mapping[str, Sequence[str]]

    def about(self, keys: Iterable[str], documents: Iterable[str]) -> list[FactStanding]:
        """The facts about any of the names or stated in any of the documents, the latest
        first."""
        ids = {i for key in keys for i in self.by_name.get(key, ())}
        ids |= {i for document in documents for i in self.by_document.get(document, ())}
        found = [self.standing[i] for i in sorted(ids)]
        return sorted(found, key=lambda s: s.valid_from or s.fact.updated_at, reverse=True)


class Material(NamedTuple):
    """What all reports are written from.

    `places` are the units by id, `refs` the sources of documents; `words` counts the words of
    titles and paths over all documents. `quotable` gives the sentences of a passage, `say` a fact
    in words.
    """

    planner: Planner
    mentioned: Mentioned
    network: EntityNetwork
    documents: Mapping[str, Entity]
    refs: Mapping[str, str]
    places: Mapping[str, int]
    words: Mapping[str, int]
    facts: StandingFacts
    quotable: Quotable
    say: Say
    budget: ReflectionBudget


def gathered(
    planner: Planner,
    mentioned: Mentioned,
    network: EntityNetwork,
    refs: Mapping[str, str],
    facts: Sequence[Fact],
    *,
    table: Attributes,
    quotable: Quotable,
    say: Say,
    budget: ReflectionBudget,
) -> Material:
    """The material for every report of a store."""
    documents = read_entities(planner, sorted(refs))
    return Material(
        planner=planner,
        mentioned=mentioned,
        network=network,
        documents=documents,
        refs=refs,
        places={unit: place for place, unit in enumerate(mentioned.units)},
        words=Counter(word for each in documents.values() for word in words_of(each)),
        facts=read_standing(facts, table=table),
        quotable=quotable,
        say=say,
        budget=budget,
    )


def read_standing(facts: Iterable[Fact], *, table: Attributes) -> StandingFacts:
    """How facts stand: those that hold, and those that others disagree with, whenever they did.
    What was superseded, or says nothing ("likes it"), is left out."""
    live = {
        s.fact.fact_id: s
        for s in standings(facts, table=table)
        if (is_current(s) or s.contradicted_by) and stems(s.fact.object)
    }
    by_name: dict[str, list[str]] = {}
    by_document: dict[str, list[str]] = {}
    for fact_id in sorted(live):
        fact = live[fact_id].fact
        for key in dict.fromkeys((name_key(fact.subject), name_key(fact.object))):
            by_name.setdefault(key, []).append(fact_id)
        document = fact.provenance.get("document_id")
        if isinstance(document, str):
            by_document.setdefault(document, []).append(fact_id)
    return StandingFacts(live, by_name, by_document)


def is_current(standing: FactStanding) -> bool:
    """Whether a fact holds: nothing took its place, and it has no end."""
    return standing.superseded_by is None and standing.valid_to is None


def read_entities(graph: Graph, ids: Sequence[str]) -> dict[str, Entity]:
    """The live entities among `ids`."""
    found: dict[str, Entity] = {}
    for at in range(0, len(ids), _PAGE):
        page = graph.get(ids[at : at + _PAGE])
        found |= {i: r for i, r in page.items() if isinstance(r, Entity)}
    return found


def sources_of(graph: Graph, episode_ids: Sequence[str]) -> dict[str, str]:
    """The source reference of each episode."""
    found = graph.get(sorted(set(episode_ids)))
    return {i: e.source_ref for i, e in found.items() if isinstance(e, Episode)}
