"""What a fetch of a page may take: the section `[crawl]` of the configuration."""

from typing import Annotated

import msgspec
from msgspec import Meta

from quipu.records.declared import NEEDS_TRUST

__all__ = ["CrawlConfig"]


class CrawlConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How pages are fetched when `quipu ingest` is given a URL (`docs/how-to/pages.md`)."""

    max_bytes: Annotated[
        int, Meta(ge=1, description="A larger page, packed or unpacked, is an error.")
    ] = 10_000_000
    timeout_s: Annotated[
        float,
        Meta(gt=0, le=600, description="Seconds for one page with its robots.txt and redirects."),
    ] = 30.0
    ports: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=65535)], ...],
        Meta(extra=NEEDS_TRUST, description="The ports that may be asked."),
    ] = (80, 443)
    user_agent: Annotated[
        str,
        Meta(
            description="Who asks; robots.txt knows it by the word before the slash. Empty: "
            "`Quipu/VERSION`."
        ),
    ] = ""
