"""Pages of the web, fetched when a person says so: source → `Page`, and nothing else.

    fetcher = Fetcher(Network(), CrawlLimits(), user_agent="Quipu/0.1")
    page = fetcher.fetch("https://example.org/guide")      # Page | None (unchanged); or an error

The files from the outside in: `fetch` follows redirects and asks robots.txt at every hop,
`exchange` speaks HTTP over one pinned connection, `network` finds addresses and says which may be
reached, `address` reads URLs, `content` is pure rules.
"""

from quipu.kinds.pages.crawl.address import parse_url
from quipu.kinds.pages.crawl.exchange import CrawlLimits
from quipu.kinds.pages.crawl.fetch import Fetcher, Page, Validators
from quipu.kinds.pages.crawl.network import Network, is_public

__all__ = ["CrawlLimits", "Fetcher", "Network", "Page", "Validators", "is_public", "parse_url"]
