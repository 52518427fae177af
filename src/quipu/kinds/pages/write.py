"""Pages of the web into memory: read by the readers of files, in place of their earlier version."""

from collections.abc import Sequence

from quipu.errors import QuipuError
from quipu.handle.handle import Handle
from quipu.kinds.pages.address import parse_url
from quipu.kinds.pages.fetch import Fetcher, Page, Validators
from quipu.kinds.pages.network import CrawlLimits, Network
from quipu.ports import Progress, Store
from quipu.read import SourceFile, content_hash
from quipu.read.redact import Redactor, without_url_secrets
from quipu.records.document import Problem
from quipu.records.ids import document_entity_id, episode_id_of
from quipu.records.record import Entity, Properties
from quipu.version import VERSION
from quipu.write.batches import BatchWriter
from quipu.write.passages import PassageTally
from quipu.write.prepare import FileTask, outcome
from quipu.write.report import IndexReport

__all__ = ["add_pages", "page_ref"]

CRAWL = "crawl"
"""The source type of pages."""


def page_ref(url: str) -> str:
    """Return what a citation of a page opens: its URL without secrets."""
    return Redactor().line(without_url_secrets(url))


def add_pages(
    handle: Handle,
    urls: Sequence[str],
    *,
    network: Network | None,
    embed: bool,
    progress: Progress | None,
) -> IndexReport:
    """Fetch pages and write those that are new or have changed; a page that is as before writes
    nothing, and what cannot be fetched is a problem."""
    crawl, store, indexer = handle.config.crawl, handle.store, handle.indexer()
    limits = CrawlLimits(max_bytes=crawl.max_bytes, timeout_s=crawl.timeout_s)
    agent = crawl.user_agent or f"Quipu/{VERSION}"
    fetcher = Fetcher(network or Network(ports=crawl.ports), limits, user_agent=agent)
    extract = handle.config.ingest.extract == "rules"

    def fill(writer: BatchWriter) -> PassageTally:
        tally = PassageTally()
        with indexer.workers(0) as workers:
            for done, url in enumerate(dict.fromkeys(urls), 1):
                task = _task(url, fetcher, store, handle.clock(), extract=extract)
                if isinstance(task, Problem):
                    tally.problems.append(task)
                elif task is None:
                    tally.unchanged += 1
                else:
                    prepared = outcome(workers, task)
                    ref = task.source.path
                    tally.problems += [p._replace(path=ref) for p in prepared.problems]
                    if prepared.episode is not None:
                        tally.added[ref] = None
                        writer.add(prepared)
                        writer.flush()
                if progress:
                    progress("read", done, len(urls))
        return tally

    return indexer.added(fill, embed, progress)


def _task(
    url: str, fetcher: Fetcher, store: Store, now: str, *, extract: bool
) -> FileTask | Problem | None:
    """What is to be written of the page at `url`; None where it stands already."""
    ref = page_ref(url)
    if "[redacted:" in url:
        return Problem(ref, "its address held a secret, which is not kept: give it again")
    try:
        ref = page_ref(parse_url(url).url)
        page = fetcher.fetch(url, _validators_of(store, ref))
    except QuipuError as error:
        return Problem(page_ref(url), Redactor().text(without_url_secrets(str(error))))
    if page is None:
        return None
    digest = content_hash(page.data)
    episode_id = episode_id_of(store.namespace, CRAWL, ref, digest)
    if episode_id in store.get([episode_id]):
        return None
    return FileTask(
        source=SourceFile(ref, page.data, digest, digest, page.changed_at or now),
        document_id=document_entity_id(store.namespace, ref),
        source_type=CRAWL,
        replaces=(ref,),
        namespace=store.namespace,
        ingested_at=now,
        properties=_properties(ref, page, now),
        reads_as=f"page{page.suffix}",
        extract=extract,
    )


def _validators_of(store: Store, ref: str) -> Validators | None:
    """What is known of the page that stands under a reference, to ask whether it changed."""
    document_id = document_entity_id(store.namespace, ref)
    stored = store.get([document_id]).get(document_id)
    said = stored.properties if isinstance(stored, Entity) else {}
    if "fetched_at" not in said:
        return None
    keys = (("final_url", ref), ("etag", ""), ("last_modified", ""))
    return Validators(*(str(said.get(key, default)) for key, default in keys))


def _properties(ref: str, page: Page, now: str) -> Properties:
    redactor = Redactor()
    properties: Properties = {
        "url": ref,
        "final_url": page_ref(page.final_url),
        "fetched_at": now,
        "content_type": page.content_type,
        "etag": redactor.line(page.etag),
        "last_modified": redactor.line(page.last_modified),
    }
    return {key: value for key, value in properties.items() if value}
