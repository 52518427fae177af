"""The five kinds of record, and the support that stands behind them.

Everything is asserted by an episode. What an entity, a relation or a fact *is* now follows from
the assertions whose support is live (`merge.py`); a record whose last support ended is history.
Instants are the text of `instants.py`.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    Value: TypeAlias = str | int | float | bool | None | list["Value"] | dict[str, "Value"]
else:
    Value = Any  # msgspec cannot decode into a recursive alias; plain JSON values are the same
Properties: TypeAlias = dict[str, Value]


class Episode(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One observation of one source: a file version, a turn, a commit, a tool manifest.

    `source_ref` is what a person opens (`docs/guide.md`, `session:<id>#12-18`, a URL).
    `content_hash` is the SHA-256 of the bytes read; `source_sha` the git blob id where there is
    one, else the content hash. `group` is the conversation or repository it belongs to.
    """

    episode_id: Annotated[str, "its id"]
    source_type: Annotated[str, "`file`, `manual_ingest` …"]
    source_ref: Annotated[str, "what a person opens"]
    observed_at: Annotated[str, "when it was true to say it"]
    ingested_at: Annotated[str, "when it was read"]
    content_hash: Annotated[str, "the SHA-256 of the bytes"]
    source_sha: Annotated[str, "the git blob id of that source, else the SHA-256 of its content"]
    document_id: Annotated[str | None, "its document, or null"] = None
    group: Annotated[str, "its conversation or repository"] = ""
    preview_text: Annotated[str, "its beginning"] = ""
    summary_text: Annotated[str | None, "a summary, or null"] = None
    properties: Annotated[Properties, "what else the source says of it, by name"] = {}


class Chunk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage of an episode; it belongs to exactly one Document entity.

    Lines are 1-based and inclusive. `title` is what the passage is called where it stands: the
    document's title, and the headings or the symbol it is under. `profile` names the ranking
    profile whose fields and features it carries.
    """

    chunk_id: Annotated[str, "its id"]
    episode_id: Annotated[str, "the episode it was read from"]
    document_id: Annotated[str, "its document"]
    profile: Annotated[str, "the ranking profile: `prose`, `code`, `conversation` …"]
    position: Annotated[int, "its place in the document, from 0"]
    text: Annotated[str, "the passage"]
    start_line: Annotated[int, "its first line, from 1"]
    end_line: Annotated[int, "its last line, included"]
    title: Annotated[str, "the document's title, with the heading or symbol it stands under"] = ""
    heading_path: Annotated[tuple[str, ...], "the headings above it"] = ()
    symbol: Annotated[str | None, "the symbol it defines, or null"] = None


class Entity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A thing with a name. `updated_at` and `source_sha` are those of its latest source."""

    entity_id: Annotated[str, "its id"]
    type: Annotated[str, "its type"]
    name: Annotated[str, "its name"]
    updated_at: Annotated[str, "when its latest source was last changed, not imported"]
    source_sha: Annotated[str, "the git blob id of that source, else the SHA-256 of its content"]
    aliases: Annotated[tuple[str, ...], "its other names"] = ()
    description: Annotated[str, "what the sources say of it"] = ""
    properties: Annotated[Properties, "what else the source says of it, by name"] = {}
    first_seen: Annotated[str, "when it was first observed"] = ""
    last_seen: Annotated[str, "when it was last observed"] = ""
    mention_count: Annotated[int, "how often it is asserted"] = 1


class Relation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A typed, directed edge. `confidence` says how sure the reading is, `weight` > 0 how strong
    the tie is."""

    rel_id: Annotated[str, "its id"]
    source_entity_id: Annotated[str, "where it begins"]
    target_entity_id: Annotated[str, "where it ends"]
    type: Annotated[str, "its type, normalised; `properties.as_written` keeps the word"]
    created_at: Annotated[str, "when it was first observed"]
    updated_at: Annotated[str, "when its latest source was last changed, not imported"]
    source_sha: Annotated[str, "the git blob id of that source, else the SHA-256 of its content"]
    confidence: Annotated[float, "how sure it is, in [0, 1]"] = 1.0
    weight: Annotated[float, "how strong the tie is; not a confidence"] = 1.0
    description: Annotated[str, "what it means here"] = ""
    properties: Annotated[Properties, "what else the source says of it, by name"] = {}


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A dated statement. `valid_from` and `valid_to` are ISO dates, instants or None (open)."""

    fact_id: Annotated[str, "its id"]
    subject: Annotated[str, "what it is about"]
    predicate: Annotated[str, "what it says of it"]
    object: Annotated[str, "what it says it is"]
    updated_at: Annotated[str, "when its latest source was last changed, not imported"]
    source_sha: Annotated[str, "the git blob id of that source, else the SHA-256 of its content"]
    valid_from: Annotated[str | None, "true from this date; null: always was"] = None
    valid_to: Annotated[str | None, "true until this date; null: still is"] = None
    confidence: Annotated[float, "how sure it is, in [0, 1]"] = 1.0
    supersedes_fact_id: Annotated[str | None, "the fact it takes the place of, or null"] = None
    provenance: Annotated[Properties, "where it comes from"] = {}


Asserted: TypeAlias = Entity | Relation | Fact
Record: TypeAlias = Episode | Chunk | Entity | Relation | Fact


class Support(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That an episode asserted a record."""

    record_id: Annotated[str, "the record"]
    episode_id: Annotated[str, "the episode that asserts it"]
    recorded_at: Annotated[str, "known from this instant"]
    chunk_ids: Annotated[tuple[str, ...], "the chunks it stands in"] = ()
    known_until: Annotated[str | None, "known until this instant; null: still is"] = None


def record_id(record: Record) -> str:
    """The id of any record."""
    match record:
        case Episode():
            return record.episode_id
        case Chunk():
            return record.chunk_id
        case Entity():
            return record.entity_id
        case Relation():
            return record.rel_id
        case Fact():
            return record.fact_id


def nearest_neighbors(near: str, relations: Iterable[Relation], limit: int) -> list[Relation]:
    """At most `limit` of the relations that have `near` at one end, each once, by (type, other
    end, id). Of more, the types take turns, so that none is left out for its name."""
    unique = {relation.rel_id: relation for relation in relations}
    ordered = sorted(unique.values(), key=lambda relation: _neighbor_order(relation, near))
    kept = in_turns([relation.type for relation in ordered], limit)
    return [ordered[place] for place in kept]


def in_turns(types: Iterable[str], limit: int) -> list[int]:
    """The places, in order, of the first `limit` of a sequence where its types take turns, each
    with its first ones first."""
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, str, int]] = []
    for place, each in enumerate(types):
        ranked.append((turns[each], each, place))
        turns[each] += 1
    if len(ranked) > max(limit, 0):
        ranked = sorted(ranked)[: max(limit, 0)]
    return sorted(place for _, _, place in ranked)


def _neighbor_order(relation: Relation, near: str) -> tuple[str, str, str]:
    """By type, the end that is not `near`, and id."""
    forward = relation.source_entity_id == near
    far = relation.target_entity_id if forward else relation.source_entity_id
    return (relation.type, far, relation.rel_id)
