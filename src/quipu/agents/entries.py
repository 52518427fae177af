"""Durable entries: what an agent decides to remember, by category and priority.

An entry is a passage whose document says `type: memory` and, as its domain, the category. The
same again, in the same words but for articles, endings and punctuation, is merged: the newest
wording stands, the higher priority and all tags stay, and every source is kept under `sources`.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from quipu.answer.dated_facts import said
from quipu.errors import InvalidInput, UnknownRecord
from quipu.handle.expiry import is_expired
from quipu.handle.lookup import end_of_relation
from quipu.limits import LONGEST_ENTRY, LONGEST_TITLE
from quipu.read import redact
from quipu.records.batch import Batch
from quipu.records.ids import document_entity_id
from quipu.records.passage import SPOKEN, PassageInput, is_saying
from quipu.records.record import Entity
from quipu.records.refs import CATEGORIES, ENTRY, Category
from quipu.records.scope import Scope
from quipu.text import name_key, stem_words, tokens
from quipu.when.instants import expiry_instant, observed_instant
from quipu.write.lock import WriteLock
from quipu.write.passages import prepared_passages
from quipu.write.relations import related

if TYPE_CHECKING:
    from quipu.memory.memory import Memory

__all__ = ["Entries", "Entry", "Origin", "Priority", "ReplacedFact", "StoredEntry", "said_on"]

Priority: TypeAlias = Literal["critical", "high", "medium", "low"]
Origin: TypeAlias = Literal["session", "manual", "migration", "consolidation"]

PRIORITIES: tuple[Priority, ...] = get_args(Priority)

_ARTICLES = frozenset({"a", "an", "the"})
_MOST_KEPT = 50
"""Tags of an entry, and sources."""
_MOST_LIVE = 2_000
_REF = "manual:"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry as it stands. `id` is its source reference: what `get` and `forget` take."""

    id: str
    category: Category
    content: str
    priority: Priority
    stored_at: str
    context: str = ""
    tags: tuple[str, ...] = ()
    related_to: tuple[str, ...] = ()
    expires: str | None = None
    sources: tuple[dict[str, str], ...] = ()


class ReplacedFact(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A fact that no longer holds because of what was stored."""

    ref: Annotated[str, "the source that states it; `memory_get` opens it"]
    fact_id: Annotated[str, "its id"]
    said: Annotated[str, "what it says"]


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an entry: it is new, or `merged_with` names the one that took it in.
    `replaces` are the facts whose place those of the entry take; nothing of them is lost."""

    entry: Entry
    merged_with: str | None = None
    unknown: tuple[str, ...] = ()
    replaces: tuple[ReplacedFact, ...] = ()


class Entries:
    """The entries of one memory. Of several processes that store at once, none loses anything."""

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._turns = WriteLock(memory.home.state, "entries.lock")

    def store(
        self,
        content: str,
        *,
        category: Category,
        context: str = "",
        priority: Priority = "medium",
        tags: Sequence[str] = (),
        related_to: Sequence[str] = (),
        source: Origin = "manual",
        expires: str | None = None,
        observed_at: str | None = None,
    ) -> StoredEntry:
        """Remember `content`, or merge it with the entry that says the same.

        `related_to` names entries by their ids; those that are not there are kept as written and
        given back as `unknown`. `observed_at` (any ISO date from the year 1000 to a day from now)
        is when it was true to say it, by default now. Raises InvalidInput for what cannot be
        stored.
        """
        now = self._memory.clock()
        seen = observed_instant(observed_at, now)
        given = Entry(
            id=self._id(category, _told_words(_content(content))),
            category=_one_of(category, CATEGORIES, "category"),
            content=_content(content),
            priority=_one_of(priority, PRIORITIES, "priority"),
            stored_at=now,
            context=_bounded(context, "context"),
            tags=_words(tags, "tags"),
            related_to=_words(related_to, "related_to"),
            expires=expiry_instant(expires, now) if expires else None,
        )
        source_of = {
            "source": _one_of(source, get_args(Origin), "source"),
            "observed_at": seen,
            "content": given.content,
        }
        given = msgspec.structs.replace(given, sources=(source_of,))
        before = self._memory.store.sequence()
        with self._turns.taken():
            # An earlier version named entries by all their words.
            earlier = self._id(category, name_key(given.content))
            stored = self.get(given.id) or self.get(earlier)
            if stored is not None and is_expired(stored.expires, now):
                stored = None
            entry = merged(stored, given) if stored else given
            unknown, episode_id = self._write(entry, now)
        self._memory.indexer().embed_since(before)
        return StoredEntry(
            entry=entry,
            merged_with=stored.id if stored else None,
            unknown=unknown,
            replaces=self._replaces(episode_id),
        )

    def get(self, entry_id: str) -> Entry | None:
        """The entry with this id, or None."""
        document_id = document_entity_id(self._memory.store.namespace, entry_id)
        return self.of_documents([document_id]).get(document_id)

    def of_documents(self, document_ids: Sequence[str]) -> dict[str, Entry]:
        """The entries among documents, by document id."""
        store = self._memory.store
        found = {
            document_id: record
            for document_id, record in store.get(list(document_ids)).items()
            if isinstance(record, Entity) and record.properties.get("type") == ENTRY
        }
        texts: dict[str, str] = dict.fromkeys(found, "")
        for numbers in store.numbers_in(list(found)).values():
            for chunk in store.chunks(numbers):
                texts[chunk.document_id] += chunk.text
        return {i: _entry(record, texts[i]) for i, record in found.items()}

    def live(self, categories: Sequence[str] = ()) -> list[Entry]:
        """The entries of some categories (by default all) that still hold, at most 2,000."""
        store, now = self._memory.store, self._memory.clock()
        ids = [source.document_id for source in store.sources(prefix=_REF) if source.document_id]
        kept = {
            i: record.properties
            for i, record in store.get(ids).items()
            if isinstance(record, Entity) and record.properties.get("type") == ENTRY
        }
        chosen = [
            i for i, said in kept.items() if not categories or said.get("domain") in categories
        ]
        found = self.of_documents(chosen[:_MOST_LIVE]).values()
        return [entry for entry in found if not is_expired(entry.expires, now)]

    def _replaces(self, episode_id: str) -> tuple[ReplacedFact, ...]:
        """The facts whose place the facts of an entry took."""
        return tuple(
            ReplacedFact(
                ref=str(fact.provenance.get("path") or ""), fact_id=fact.fact_id, said=said(fact)
            )
            for fact in self._memory.facts.stated_by(episode_id).replaced
        )

    def _id(self, category: str, words: str) -> str:
        key = f"{self._memory.store.namespace}\0{category}\0{words}"
        return f"{_REF}{hashlib.sha256(key.encode()).hexdigest()[:16]}"

    def _write(self, entry: Entry, now: str) -> tuple[tuple[str, ...], str]:
        """Write the entry with what ties it to others, in one batch; what of that is not there,
        and the id of its episode."""
        kept = msgspec.to_builtins(entry)
        own_id, content, category = (kept.pop(name) for name in ("id", "content", "category"))
        passage = PassageInput(
            source_ref=own_id,
            text=content,
            observed_at=said_on(entry) or now,
            profile=SPOKEN if is_saying(content) else "prose",
            properties={"type": ENTRY, "domain": category, **kept},
        )
        memory, store = self._memory, self._memory.store
        (made,) = prepared_passages(
            [passage],
            namespace=store.namespace,
            now=now,
            extract=memory.config.ingest.extract != "off",
            attributes=memory.attributes,
        )
        assert made.episode is not None
        document_id = document_entity_id(store.namespace, own_id)
        records = (claim.record for claim in made.claims)
        document = next(r for r in records if isinstance(r, Entity) and r.entity_id == document_id)
        tied: dict[str, Batch] = {}
        unknown: list[str] = []
        for other in entry.related_to:
            try:
                end = end_of_relation(store, other)
                rel_id, batch = related(store, document, "related_to", end, clock=memory.clock)
            except (UnknownRecord, InvalidInput):
                if other != own_id:
                    unknown.append(other)
                continue
            if batch is not None:
                tied[rel_id] = batch
        batches = list(tied.values())
        store.write(
            Batch(
                recorded_at=now,
                episodes=(made.episode, *(e for batch in batches for e in batch.episodes)),
                chunks=made.chunks,
                claims=(*made.claims, *(c for batch in batches for c in batch.claims)),
                replaces=(*made.replaces, *(r for batch in batches for r in batch.replaces)),
                ends=tuple(rel_id for batch in batches for rel_id in batch.ends),
            )
        )
        return tuple(unknown), made.episode.episode_id


def entry_scope(
    categories: Sequence[str] = (), *, after: str | None = None, before: str | None = None
) -> Scope:
    """What bounds a search to entries."""
    return Scope(
        document_types=frozenset({ENTRY}),
        domains=frozenset(categories),
        after=after,
        before=before,
    )


def merged(stored: Entry, given: Entry) -> Entry:
    """Two entries that say the same as one: the wording that was said last, the higher priority,
    all tags, the later expiry (none at all wins), every source."""
    later = said_on(given) >= said_on(stored)
    forever = stored.expires is None or given.expires is None
    return msgspec.structs.replace(
        stored,
        content=given.content if later else stored.content,
        priority=min(stored.priority, given.priority, key=PRIORITIES.index),
        context=given.context or stored.context,
        tags=tuple(sorted({*stored.tags, *given.tags})),
        related_to=tuple(sorted({*stored.related_to, *given.related_to})),
        expires=None if forever else max(stored.expires or "", given.expires or ""),
        sources=(
            *(source for source in stored.sources if source not in given.sources),
            *given.sources,
        )[-_MOST_KEPT:],
    )


def said_on(entry: Entry) -> str:
    """When an entry was said last."""
    return max((source.get("observed_at", "") for source in entry.sources), default="")


def _told_words(text: str) -> str:
    """The stems that tell two texts apart: all but articles; of one without words, all of it."""
    told = [token.word for token in tokens(text) if token.word not in _ARTICLES]
    return " ".join(stem_words(told)) or name_key(text)


def by_priority(entries: Iterable[Entry]) -> list[Entry]:
    """Entries by priority, then the newest first."""
    newest = sorted(entries, key=lambda entry: (entry.stored_at, entry.id), reverse=True)
    return sorted(newest, key=lambda entry: PRIORITIES.index(entry.priority))


def _entry(record: Entity, text: str) -> Entry:
    said = {name: value for name, value in record.properties.items() if value is not None}
    fields = {name: said[name] for name in Entry.__struct_fields__ if name in said}
    return msgspec.convert(
        {
            "priority": "medium",
            "stored_at": record.first_seen,
            **fields,
            "id": str(said.get("file_path") or record.name),
            "category": said.get("domain"),
            "content": text,
        },
        Entry,
    )


def _content(content: str) -> str:
    if not content.strip():
        raise InvalidInput("there is no content to remember: give some")
    return _bounded(content, "content")


def _bounded(text: str, name: str) -> str:
    if len(text) > LONGEST_ENTRY:
        raise InvalidInput(
            f"{name} has {len(text):,} characters, an entry at most {LONGEST_ENTRY:,}: "
            "store the gist, or the whole with memory_ingest"
        )
    return redact(text.strip())[0]


def _words(words: Sequence[str], name: str) -> tuple[str, ...]:
    found = sorted({word for given in words if (word := redact(given.strip())[0])})
    if len(found) > _MOST_KEPT or any(len(word) > LONGEST_TITLE for word in found):
        raise InvalidInput(f"{name} holds too much: at most {_MOST_KEPT} of 200 characters each")
    return tuple(found)


def _one_of(value: Any, allowed: Sequence[Any], name: str) -> Any:
    if value not in allowed:
        raise InvalidInput(f"{name} {value!r} is not known: give one of {', '.join(allowed)}")
    return value
