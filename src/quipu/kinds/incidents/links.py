"""What a dependency that became known later says of the incidents that are here already.

A report ties its incident by what is known when it comes. When it, or a file, tells of another
dependency, the causes of the services above are drawn again: one episode a service asserts those
that no report asserts. It remembers by which dependencies it did so, and is taken back when they
are gone.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from quipu.kinds.incidents.records import INCIDENT, incident_entity_id
from quipu.kinds.incidents.similar import Dependencies, NewEdge, Timelines, causes_of
from quipu.ports import Store
from quipu.records.record import Episode, Relation
from quipu.records.schema import RelationType
from quipu.records.scope import Scope
from quipu.source import Draft
from quipu.when.instants import Clock

__all__ = ["draw_all_causes", "draw_causes"]

LINKS_SOURCE = "incident_links"
_PAGE = 1000


def draw_all_causes(store: Store, *, clock: Clock) -> int:
    """`draw_causes` for every service that incidents were reported on."""
    services = _with_incidents(store)
    return draw_causes(store, services, Dependencies(store), Timelines(store), clock=clock)


def _with_incidents(store: Store) -> list[str]:
    """The services that incidents were reported on, by name."""
    found: set[str] = set()
    scope, after = Scope(source_types=frozenset({INCIDENT})), ""
    while page := store.scan("episode", scope=scope, after=after, limit=_PAGE):
        episodes = [each for each in page if isinstance(each, Episode)]
        found |= {each.group for each in episodes if each.group}
        after = episodes[-1].episode_id
    return sorted(found)


def draw_causes(
    store: Store, services: Iterable[str], needs: Dependencies, times: Timelines, *, clock: Clock
) -> int:
    """Draw the CAUSED_BY edges of the incidents on these services again, where what the services
    need has changed since it was done last; how many edges stand that no report asserts."""
    return sum(_drawn(store, service, needs, times, clock) for service in dict.fromkeys(services))


def _drawn(store: Store, service: str, needs: Dependencies, times: Timelines, clock: Clock) -> int:
    ref = f"incident-links:{service}"
    below = needs.below(service)
    above = needs.above(service)
    known = {name: [hops, name in above] for name, hops in sorted(below.items())}
    sha = hashlib.sha256(msgspec.json.encode(known)).hexdigest()
    draft = Draft(namespace=store.namespace, type=LINKS_SOURCE, ref=ref, sha=sha, group=service)
    stored = store.get([draft.episode_id]).get(draft.episode_id)
    if isinstance(stored, Episode):
        return int(str(stored.properties.get("edges") or 0))
    links = causes_of(times.of(service), below, above, times)
    own = _own_episodes(store, ref)
    claims = tuple(_unasserted(store, _relations(draft, links, clock()), own))
    if not claims and not own:
        return 0
    now = clock()
    episode = draft.episode(
        now,
        preview=f"{len(claims)} causes of incidents on {service}",
        properties={"edges": len(claims)},
    )
    store.write(draft.batch(episode, claims, now=now))
    return len(claims)


def _own_episodes(store: Store, ref: str) -> frozenset[str]:
    sources = store.sources(frozenset({LINKS_SOURCE}), refs=[ref])
    return frozenset(each.episode_id for each in sources)


def _relations(draft: Draft, links: Iterable[NewEdge], now: str) -> Mapping[str, Relation]:
    made = (
        draft.relation(
            incident_entity_id(draft.namespace, each.source.incident_id),
            RelationType.CAUSED_BY,
            incident_entity_id(draft.namespace, each.target.incident_id),
            seen=now,
            confidence=each.confidence,
            why=each.why,
        )
        for each in links
    )
    return {relation.rel_id: relation for relation in made}


def _unasserted(
    store: Store, relations: Mapping[str, Relation], own: frozenset[str]
) -> Iterator[Relation]:
    """Those that nothing but our own episodes asserts."""
    support = store.support(list(relations))
    for rel_id, relation in relations.items():
        rows = support.get(rel_id, ())
        if all(row.known_until is not None or row.episode_id in own for row in rows):
            yield relation
