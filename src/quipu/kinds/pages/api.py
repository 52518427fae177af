"""Pages of the web: what is offered for URLs. Nothing is fetched that was not named."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quipu.handle.handle import Handle
from quipu.records.progress import Progress

if TYPE_CHECKING:
    from quipu.kinds.pages.network import Network
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

        return add_pages(self._handle, urls, network=network, embed=embed, progress=progress)
