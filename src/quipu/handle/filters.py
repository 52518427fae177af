"""Whether the words a search is bounded with mean anything here: an unknown one is an error that
lists the known ones, whichever door it came through."""

import difflib
from collections.abc import Collection, Sequence
from typing import get_args

import msgspec

from quipu.errors import InvalidInput
from quipu.limits import LISTED
from quipu.ports import Graph, Planner, every
from quipu.records.record import Relation
from quipu.records.refs import CATEGORIES, ENTRY
from quipu.records.schema import EntityType, RelationType, relation_type
from quipu.records.scope import EVERYTHING, Filter, Scope
from quipu.text import composed

__all__ = ["entity_types", "in_files", "known_scope", "relation_types"]

_FILTERS: tuple[Filter, ...] = get_args(Filter)
_WORDS: dict[Filter, str] = {
    "source_types": "source type",
    "document_types": "document type",
    "statuses": "status",
    "domains": "domain",
}
_OWN: dict[Filter, frozenset[str]] = {
    "source_types": frozenset(
        "file commit session manual_ingest memory_file crawl incident outcome policies goal task "
        "knowledge_graph evaluation report statement".split()
    ),
    "document_types": frozenset({ENTRY, "statement"}),
    "domains": frozenset(CATEGORIES),
}
"""What Quipu itself may write: no mistake where nothing of it is here yet."""


def known_scope(scope: Scope, planner: Planner) -> Scope:
    """`scope`, when each of its words is one that a source here uses, or that Quipu writes.

    Groups are free: a conversation may not have begun. In a memory without a passage every word
    passes. Raises InvalidInput with the known ones, the nearest first.
    """
    for name in _FILTERS if scope != EVERYTHING else ():
        given = getattr(scope, name)
        unknown = sorted(given - _OWN.get(name, frozenset())) if given else []
        known = planner.filter_values(name) if unknown else []
        missing = [each for each in unknown if each not in known]
        if missing and (known or planner.counts({"chunk"})["chunk"]):
            raise InvalidInput(_unknown_word(missing[0], known, _WORDS[name]))
    return scope


def in_files(
    scope: Scope, planner: Planner, *, paths: Collection[str] = (), languages: Collection[str] = ()
) -> Scope:
    """`scope` within the files that match one of `paths` (patterns as in .gitignore) and are in one
    of `languages`; raises InvalidInput where no file is left."""
    if not (paths or languages):
        return scope
    from pathspec import GitIgnoreSpec  # loaded where they are needed, as readers are

    from quipu.read.kinds import language_of

    spec = GitIgnoreSpec.from_lines(map(composed, paths)) if paths else None
    requested = {language.casefold() for language in languages}
    documents = [(s.source_ref, s.document_id) for s in planner.sources() if s.document_id]
    known = {language_of(ref) for ref, _ in documents} if requested else set[str]()
    for each in sorted(requested - known):
        raise InvalidInput(_unknown_word(each, sorted(known), "language"))
    found = {
        document_id
        for ref, document_id in documents
        if (spec is None or spec.match_file(composed(ref)))
        and (not requested or language_of(ref) in requested)
    }
    kept = found & scope.document_ids if scope.document_ids else found
    if not kept:
        raise InvalidInput(
            f"no file here matches {', '.join(map(repr, [*paths, *languages]))}: write paths as in "
            ".gitignore, 'src/' or '*.md'"
        )
    return msgspec.structs.replace(scope, document_ids=frozenset(kept))


def entity_types(given: Collection[str]) -> frozenset[str]:
    """`given` as entity types, whatever their case; InvalidInput for one there is not."""
    known = {str(each).casefold(): str(each) for each in EntityType}
    for each in given:
        if each.casefold() not in known:
            raise InvalidInput(_unknown_word(each, sorted(known.values()), "entity type"))
    return frozenset(known[each.casefold()] for each in given)


def relation_types(given: Collection[str], graph: Graph) -> frozenset[str]:
    """`given` as relation types, whatever their spelling; InvalidInput for one that neither the
    schema holds nor a relation of `graph` has."""
    requested = frozenset(relation_type(each) for each in given)
    known = {str(each) for each in RelationType}
    if missing := requested - known:
        known |= {relation.type for relation in every(graph, Relation)}
        for each in sorted(missing - known):
            raise InvalidInput(_unknown_word(each, sorted(known), "relation type"))
    return requested


def _unknown_word(unknown: str, known: Sequence[str], what: str) -> str:
    if not known:
        return f"{unknown!r} is no {what} here: nothing that is remembered has one"
    lowered = {each.casefold(): each for each in reversed(known)}
    near = difflib.get_close_matches(unknown.casefold(), list(lowered), n=1, cutoff=0.6)
    hint = f"did you mean {lowered[near[0]]!r}? " if near else ""
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return f"{unknown!r} is no {what} here: {hint}known are {', '.join(known[:LISTED])}{more}"
