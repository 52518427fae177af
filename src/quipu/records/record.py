"""The five kinds of record, and the support that stands behind them.

Everything is asserted by an episode. What an entity, a relation or a fact *is* now follows from
the assertions whose support is live (`merge.py`); a record whose last support ended is history.
Instants are the text of `instants.py`.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

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

    episode_id: str
    source_type: str
    source_ref: str
    observed_at: str
    ingested_at: str
    content_hash: str
    source_sha: str
    document_id: str | None = None
    group: str = ""
    preview_text: str = ""
    summary_text: str | None = None
    properties: Properties = {}


class Chunk(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A passage of an episode; it belongs to exactly one Document entity.

    Lines are 1-based and inclusive. `title` is what the passage is called where it stands: the
    document's title, and the headings or the symbol it is under. `profile` names the ranking
    profile whose fields and features it carries.
    """

    chunk_id: str
    episode_id: str
    document_id: str
    profile: str
    position: int
    text: str
    start_line: int
    end_line: int
    title: str = ""
    heading_path: tuple[str, ...] = ()
    symbol: str | None = None


class Entity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A thing with a name. `updated_at` and `source_sha` are those of its latest source."""

    entity_id: str
    type: str
    name: str
    updated_at: str
    source_sha: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    properties: Properties = {}
    first_seen: str = ""
    last_seen: str = ""
    mention_count: int = 1


class Relation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A typed, directed edge. `type` is normalised; `properties["as_written"]` keeps the word.

    `confidence` in [0, 1] says how sure the reading is; `weight` > 0 how strong the tie is.
    """

    rel_id: str
    source_entity_id: str
    target_entity_id: str
    type: str
    created_at: str
    updated_at: str
    source_sha: str
    confidence: float = 1.0
    weight: float = 1.0
    description: str = ""
    properties: Properties = {}


class Fact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A dated statement. `valid_from` and `valid_to` are ISO dates, instants or None (open)."""

    fact_id: str
    subject: str
    predicate: str
    object: str
    updated_at: str
    source_sha: str
    valid_from: str | None = None
    valid_to: str | None = None
    confidence: float = 1.0
    supersedes_fact_id: str | None = None
    provenance: Properties = {}


Asserted: TypeAlias = Entity | Relation | Fact
Record: TypeAlias = Episode | Chunk | Entity | Relation | Fact


class Support(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That `episode_id` asserted `record_id`, and the chunks it stands in.

    Known from `recorded_at` (included) until `known_until` (excluded; None while it is live).
    """

    record_id: str
    episode_id: str
    recorded_at: str
    chunk_ids: tuple[str, ...] = ()
    known_until: str | None = None


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
