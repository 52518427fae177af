"""Pages of the web: what is offered for URLs. Nothing is fetched that was not named."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.errors import QuipuError
from quipu.handle.handle import Handle
from quipu.records.document import Problem
from quipu.records.progress import Progress

if TYPE_CHECKING:
    from quipu.kinds.pages.fetch import Fetcher
    from quipu.kinds.pages.network import Network
    from quipu.kinds.pages.write import FetchedPage
    from quipu.write.batches import BatchWriter
    from quipu.write.passages import PassageTally
    from quipu.write.report import IndexReport

__all__ = ["Pages"]


class Pages:
    """How pages are fetched, when told, and written to a memory."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def add_pages(
        self,
        urls: Sequence[str],
        *,
        network: "Network | None" = None,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> "IndexReport":
        """Fetch and remember pages (docs/how-to/pages.md), in place of their earlier versions.

        What cannot be fetched is a row of `errors`, and the others go in. `network` says which
        addresses may be reached, by default those of the public internet.
        """
        from quipu.kinds.pages.write import add_pages

        fetcher = self._fetcher(network)

        def fetched() -> "Iterator[FetchedPage | Problem]":
            for done, url in enumerate(dict.fromkeys(urls), 1):
                yield self._fetched(fetcher, url)
                if progress:
                    progress("read", done, len(urls))

        indexer = self._handle.indexer()

        def fill(writer: "BatchWriter") -> "PassageTally":
            with indexer.workers(0) as workers:
                return add_pages(
                    fetched(),
                    self._handle.store,
                    writer,
                    workers,
                    clock=self._handle.clock,
                    extract=self._handle.config.ingest.extract == "rules",
                )

        return indexer.added(fill, embed, progress)

    def _fetched(self, fetcher: "Fetcher", url: str) -> "FetchedPage | Problem":
        from quipu.kinds.pages.address import parse_url
        from quipu.kinds.pages.write import FetchedPage, page_ref, validators_of
        from quipu.read import redact
        from quipu.read.redact import without_url_secrets

        shown = page_ref(url)
        if "[redacted:" in url:
            return Problem(shown, "its address held a secret, which is not kept: give it again")
        try:
            ref = page_ref(parse_url(url).url)
            page = fetcher.fetch(url, validators_of(self._handle.store, ref))
        except QuipuError as error:
            return Problem(shown, redact(without_url_secrets(str(error)))[0])
        return FetchedPage(ref, page)

    def _fetcher(self, network: "Network | None") -> "Fetcher":
        from quipu.kinds.pages.exchange import CrawlLimits
        from quipu.kinds.pages.fetch import Fetcher
        from quipu.kinds.pages.network import Network
        from quipu.version import VERSION

        crawl = self._handle.config.crawl
        limits = CrawlLimits(max_bytes=crawl.max_bytes, timeout_s=crawl.timeout_s)
        agent = crawl.user_agent or f"Quipu/{VERSION}"
        return Fetcher(network or Network(ports=crawl.ports), limits, user_agent=agent)
