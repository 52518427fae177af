"""One text by hand: settled when it is given, so that writing it later gives the same."""

from pathlib import PurePath

import msgspec

from quipu.errors import InvalidInput
from quipu.ports import Store
from quipu.read import SourceFile, content_hash
from quipu.read.decode import holds_nul
from quipu.read.redact import Redactor
from quipu.records.ids import document_entity_id, read_episode_id
from quipu.records.record import Properties
from quipu.when.instants import observed_instant
from quipu.write.batches import BatchWriter
from quipu.write.passages import PassageTally
from quipu.write.prepare import FileTask, Preparing, outcome

__all__ = ["TextInput", "add_text", "episode_of", "settled"]


class TextInput(msgspec.Struct, frozen=True, kw_only=True):
    """A text and where it belongs, as `Memory.add` takes it. `observed_at` is an instant once it
    is settled, `given_at` when that was."""

    text: str
    source_ref: str = ""
    title: str = ""
    source_type: str = "manual_ingest"
    group: str = ""
    observed_at: str = ""
    properties: Properties = {}
    given_at: str = ""


def settled(given: TextInput, now: str) -> TextInput:
    """The text without its secrets, with its reference and its time. Raises InvalidInput for a
    blank text, binary data or a date on which nothing can have been observed."""
    if not given.text.strip():
        raise InvalidInput("there is no text to remember: give some")
    given_data = given.text.encode("utf-8", "replace")
    if holds_nul(given_data):
        raise InvalidInput("the text holds NUL characters, as binary data does: give plain text")
    redactor = Redactor()
    text = redactor.text(given_data.decode())
    digest = content_hash(text.encode())
    return TextInput(
        text=text,
        source_ref=redactor.line(given.source_ref) or f"manual:{digest[:16]}",
        title=redactor.line(given.title),
        source_type=redactor.line(given.source_type),
        group=redactor.line(given.group),
        observed_at=observed_instant(given.observed_at or now, now),
        properties=redactor.properties(given.properties),
        given_at=now,
    )


def episode_of(given: TextInput, namespace: str) -> str:
    """The id of the episode that a settled text becomes."""
    digest = content_hash(given.text.encode())
    return read_episode_id(namespace, given.source_type, given.source_ref, digest)


def add_text(
    given: TextInput,
    store: Store,
    writer: BatchWriter,
    workers: "Preparing",
    *,
    extract: bool,
) -> PassageTally:
    """Write a settled text, read as Markdown unless its reference says otherwise. Raises
    InvalidInput when it cannot be read."""
    tally = PassageTally()
    ref = given.source_ref
    if episode_of(given, store.namespace) in store.get([episode_of(given, store.namespace)]):
        tally.unchanged = 1
        return tally
    data = given.text.encode()
    digest = content_hash(data)
    task = FileTask(
        source=SourceFile(ref, data, digest, digest, given.observed_at),
        document_id=document_entity_id(store.namespace, ref),
        source_type=given.source_type,
        replaces=(ref,),
        namespace=store.namespace,
        ingested_at=given.given_at,
        group=given.group,
        title=given.title,
        properties=given.properties,
        reads_as=ref if PurePath(ref).suffix else f"{ref}.md",
        said=not given.title and not PurePath(ref).suffix,
        extract=extract,
    )
    prepared = outcome(workers, task)
    if prepared.episode is None:
        raise InvalidInput(f"{ref!r} {prepared.problems[0].error}")
    tally.problems += prepared.problems
    tally.added[ref] = None
    writer.add(prepared)
    writer.flush()
    return tally
