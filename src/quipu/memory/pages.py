"""Pages of the web: what `Memory` offers for URLs. Nothing is fetched that was not named."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from quipu.domain.document import Problem
from quipu.domain.progress import Progress
from quipu.errors import QuipuError
from quipu.memory.work import Works

if TYPE_CHECKING:
    from quipu.ingest.pages import Fetched
    from quipu.ingest.report import IndexReport
    from quipu.read.crawl import Fetcher, Network

__all__ = ["Pages"]


class Pages(Works):
    """A memory that fetches pages when it is told to."""

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
        fetcher = self._fetcher(network)

        def fetched() -> "Iterator[Fetched | Problem]":
            for done, url in enumerate(dict.fromkeys(urls), 1):
                yield self._fetched(fetcher, url)
                if progress:
                    progress("read", done, len(urls))

        extract = self.config.ingest.extract == "rules"
        return self._indexer().add_pages(fetched(), extract=extract, embed=embed, progress=progress)

    def _fetched(self, fetcher: "Fetcher", url: str) -> "Fetched | Problem":
        from quipu.ingest.pages import Fetched, page_ref, validators_of
        from quipu.read import redact
        from quipu.read.crawl import parse_url
        from quipu.read.url_secrets import without_url_secrets

        shown = page_ref(url)
        if "[redacted:" in url:
            return Problem(shown, "its address held a secret, which is not kept: give it again")
        try:
            ref = page_ref(parse_url(url).url)
            page = fetcher.fetch(url, validators_of(self.store, ref))
        except QuipuError as error:
            return Problem(shown, redact(without_url_secrets(str(error)))[0])
        return Fetched(ref, page)

    def _fetcher(self, network: "Network | None") -> "Fetcher":
        from quipu import __version__
        from quipu.read.crawl import CrawlLimits, Fetcher, Network

        crawl = self.config.crawl
        limits = CrawlLimits(max_bytes=crawl.max_bytes, timeout_s=crawl.timeout_s)
        agent = crawl.user_agent or f"Quipu/{__version__}"
        return Fetcher(network or Network(ports=crawl.ports), limits, user_agent=agent)
