"""Pages of the web into memory: read by the readers of files, in place of their earlier version."""

from collections.abc import Iterator
from typing import NamedTuple

from quipu.kinds.pages.fetch import Page, Validators
from quipu.ports import Store
from quipu.read import SourceFile, content_hash
from quipu.read.redact import Redactor, without_url_secrets
from quipu.records.document import Problem
from quipu.records.ids import episode_id_of
from quipu.records.naming import document_entity_id
from quipu.records.record import Entity, Properties
from quipu.when.instants import Clock
from quipu.write.batches import BatchWriter
from quipu.write.passages import PassageTally
from quipu.write.prepare import FileTask, Preparing, outcome

__all__ = ["FetchedPage", "add_pages", "page_ref", "validators_of"]

CRAWL = "crawl"
"""The source type of pages."""


class FetchedPage(NamedTuple):
    """What became of one URL: its page, `None` where the server said that nothing changed."""

    ref: str
    page: Page | None


def page_ref(url: str) -> str:
    """What a citation of a page opens: its URL without secrets."""
    return Redactor().line(without_url_secrets(url))


def validators_of(store: Store, ref: str) -> Validators | None:
    """What is known of the page that stands under a reference, to ask whether it changed."""
    document_id = document_entity_id(store.namespace, ref)
    stored = store.get([document_id]).get(document_id)
    if not isinstance(stored, Entity):
        return None
    said = {key: value for key, value in stored.properties.items() if isinstance(value, str)}
    if "fetched_at" not in said:
        return None
    return Validators(
        said.get("final_url", ref), said.get("etag", ""), said.get("last_modified", "")
    )


def add_pages(
    fetched: Iterator[FetchedPage | Problem],
    store: Store,
    writer: BatchWriter,
    workers: "Preparing",
    *,
    clock: Clock,
    extract: bool,
) -> PassageTally:
    """Write the pages that are new or have changed; a page that is as before writes nothing."""
    tally = PassageTally()
    for each in fetched:
        if isinstance(each, Problem):
            tally.problems.append(each)
            continue
        task = None if each.page is None else _task(each.ref, each.page, store, clock(), extract)
        if task is None:
            tally.unchanged += 1
            continue
        prepared = outcome(workers, task)
        tally.problems += [p._replace(path=each.ref) for p in prepared.problems]
        if prepared.episode is not None:
            tally.added[each.ref] = None
            writer.add(prepared)
            writer.flush()
    return tally


def _task(ref: str, page: Page, store: Store, now: str, extract: bool) -> FileTask | None:
    """What is to be written of a page; None where it stands already."""
    digest = content_hash(page.data)
    episode_id = episode_id_of(store.namespace, CRAWL, ref, digest)
    if episode_id in store.get([episode_id]):
        return None
    redactor = Redactor()
    properties: Properties = {
        "url": ref,
        "final_url": page_ref(page.final_url),
        "fetched_at": now,
        "content_type": page.content_type,
        "etag": redactor.line(page.etag),
        "last_modified": redactor.line(page.last_modified),
    }
    return FileTask(
        source=SourceFile(ref, page.data, digest, digest, page.changed_at or now),
        document_id=document_entity_id(store.namespace, ref),
        source_type=CRAWL,
        replaces=(ref,),
        namespace=store.namespace,
        ingested_at=now,
        properties={key: value for key, value in properties.items() if value},
        reads_as=f"page{page.suffix}",
        extract=extract,
    )
