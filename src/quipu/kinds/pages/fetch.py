"""A page fetched politely: robots.txt asked, redirects followed by hand, checks at every hop.

    fetcher = Fetcher(Network(), CrawlLimits(), user_agent="Quipu/0.1")
    page = fetcher.fetch("https://example.org/guide")      # Page | None (unchanged); or an error

robots.txt is read as RFC 9309 has it, by protego: the longest rule wins.
"""

import codecs
import re
from contextlib import suppress
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from protego import Protego

from quipu.errors import InvalidInput, Unavailable
from quipu.kinds.pages.address import WebAddress, parse_url, redirected
from quipu.kinds.pages.network import CrawlLimits, Deadline, Network, Response, exchange
from quipu.limits import HEAD
from quipu.when.instants import instant

__all__ = ["Fetcher", "Page", "Validators"]

_LARGEST_ROBOTS = 512_000
"""The bytes of a robots.txt that are read; the RFC asks for 500 KiB at least."""
_PRODUCT = re.compile(r"(?=[A-Za-z_-])[^/ ]+")
"""What robots.txt knows a product by begins with one of these."""
_ALLOW_ALL = Protego.parse("")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ROBOTS = "/robots.txt"
_ROBOTS_REDIRECTS = 5
_ACCEPT = "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9"
_TYPES = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "application/pdf": ".pdf",
}
_BY_ENDING = {
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), "text/markdown"),
}
"""The type of a page that is sent without one; of any other ending it is HTML."""
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_META = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE
)
_NO_CHARSET = re.compile("utf-(?:7|16|32)|idna|punycode|.*unicode-escape")
"""Codecs of text that no page is written in, or that the readers tell by the bytes."""


class Validators(NamedTuple):
    """What a server said of the page it sent last: at which address, and its marks."""

    url: str
    etag: str = ""
    last_modified: str = ""


class Page(NamedTuple):
    """A page as it came: text in UTF-8 (or a PDF). `url` is what was asked for, `final_url` where
    redirects led, `suffix` says which reader takes it (`.html`, `.md`, `.txt`, `.pdf`);
    `changed_at` is the instant the server gives, None where it gives none."""

    url: str
    final_url: str
    data: bytes
    suffix: str
    content_type: str
    etag: str
    last_modified: str
    changed_at: str | None


class Fetcher:
    """Fetches pages, one after the other; a robots.txt is asked for once a host."""

    def __init__(self, network: Network, limits: CrawlLimits, *, user_agent: str) -> None:
        """`user_agent` begins with the product token that robots.txt knows it by."""
        product = _PRODUCT.match(user_agent)
        if not (user_agent.isprintable() and user_agent.isascii() and product):
            raise InvalidInput(
                f"crawl.user_agent {user_agent!r} is no name: use plain ASCII that begins with a "
                "letter, for example Quipu/1.0"
            )
        self._network = network
        self._limits = limits
        self._headers = {
            "User-Agent": user_agent,
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }
        self._product = product[0]
        self._robots: dict[str, Protego | str] = {}

    def fetch(self, url: str, validators: Validators | None = None) -> Page | None:
        """Return the page at `url`; None when the server says that it is as `validators` know it.

        Raises InvalidInput for what may not be fetched or read, Unavailable for what fails.
        """
        deadline = Deadline(self._limits.timeout_s)
        first = place = parse_url(url)
        for _ in range(self._limits.redirects + 1):
            self._ask_robots(place, deadline)
            answer = self._get(place, validators, deadline)
            if answer.status == 304 and validators is not None:
                return None
            if answer.status not in _REDIRECTS:
                return _page(first, place, answer)
            place = _next(place, answer)
        raise InvalidInput(
            f"{url!r} is redirected more than {self._limits.redirects} times: open it in a browser "
            "and give the address it ends at"
        )

    def _get(
        self, place: WebAddress, validators: Validators | None, deadline: Deadline
    ) -> Response:
        headers = {**self._headers, "Accept": _ACCEPT}
        if validators is not None and validators.url == place.url:
            if validators.etag:
                headers["If-None-Match"] = validators.etag
            if validators.last_modified:
                headers["If-Modified-Since"] = validators.last_modified
        return exchange(
            place,
            self._network,
            headers=headers,
            max_bytes=self._limits.max_bytes,
            deadline=deadline,
        )

    def _ask_robots(self, place: WebAddress, deadline: Deadline) -> None:
        if place.origin not in self._robots:
            self._robots[place.origin] = self._read_robots(place, deadline)
        rules = self._robots[place.origin]
        if isinstance(rules, str):
            raise Unavailable(
                f"robots.txt of {place.origin} cannot be read ({rules}): until it can, nothing "
                "there is fetched; try later"
            )
        url = f"http://host{place.target}"
        if place.target != _ROBOTS and not rules.can_fetch(url, self._product):
            raise InvalidInput(
                f"robots.txt of {place.origin} forbids {place.target!r} to {self._product}: the "
                "page is left alone; save it and index the file if you may"
            )

    def _read_robots(self, place: WebAddress, deadline: Deadline) -> Protego | str:
        """The rules of an origin, or why they cannot be read, which forbids everything. What is
        not there allows it; an address that may not be reached is the page's own error."""
        at = place._replace(target=_ROBOTS)
        for _ in range(_ROBOTS_REDIRECTS + 1):
            try:
                answer = exchange(
                    at,
                    self._network,
                    headers=self._headers,
                    max_bytes=_LARGEST_ROBOTS,
                    deadline=deadline,
                    may_cut=True,
                )
            except Unavailable as error:
                if deadline.passed:
                    raise
                return str(error)
            if answer.status in _REDIRECTS:
                at = _next(at, answer)
                continue
            if answer.status >= 500 or answer.status == 429:
                return f"{at.host!r} answers {answer.status}"
            if answer.status >= 300:
                return _ALLOW_ALL
            return Protego.parse(answer.body.decode("utf-8-sig", "replace"))
        return _ALLOW_ALL


def _next(place: WebAddress, answer: Response) -> WebAddress:
    location = answer.headers.get("location", "")
    if not location.strip():
        raise Unavailable(f"{place.host!r} redirects to nowhere ({answer.status}): try later")
    return redirected(place, location)


def _page(first: WebAddress, place: WebAddress, answer: Response) -> Page:
    _check_status(place, answer.status)
    type_, suffix, charset = _content_of(answer.headers.get("content-type", ""), place.target)
    if not answer.body.strip():
        raise InvalidInput(f"the page of {place.host!r} is empty: there is nothing to remember")
    modified = answer.headers.get("last-modified", "")
    changed_at = None
    with suppress(ValueError, TypeError, OverflowError):
        changed_at = instant(parsedate_to_datetime(modified))
    return Page(
        url=first.url,
        final_url=place.url,
        data=_utf8(answer.body, suffix, charset),
        suffix=suffix,
        content_type=type_,
        etag=answer.headers.get("etag", ""),
        last_modified=modified,
        changed_at=changed_at,
    )


def _check_status(place: WebAddress, status: int) -> None:
    if status == 200:
        return
    if status in (404, 410):
        raise InvalidInput(f"{place.host!r} has no such page ({status}): check the address")
    if status in (401, 402, 403, 407, 451):
        raise InvalidInput(
            f"{place.host!r} does not give the page to everybody ({status}): save it and ingest "
            "the file if you may"
        )
    raise Unavailable(f"{place.host!r} answers {status}: try later")


def _content_of(header: str, path: str) -> tuple[str, str, str]:
    """The type, suffix and charset that a `Content-Type` header gives the page at `path`; without
    one the path decides. Raises InvalidInput for what no reader takes."""
    by_path = _BY_ENDING.get(PurePosixPath(path.partition("?")[0]).suffix.lower(), "text/html")
    message = Message()
    message["content-type"] = header or by_path
    type_ = message.get_content_type().lower()
    if type_ not in _TYPES:
        raise InvalidInput(
            f"the page is of type {type_!r}: HTML, Markdown, plain text and PDF are read; save it "
            "and ingest the file if it is a transcript"
        )
    is_markdown = type_ == "text/plain" and by_path == "text/markdown"
    charset = message.get_param("charset", "")
    suffix = ".md" if is_markdown else _TYPES[type_]
    return type_, suffix, charset if isinstance(charset, str) else ""


def _utf8(data: bytes, suffix: str, charset: str) -> bytes:
    """The text of a page in UTF-8: by its byte order mark, the header's charset, or the one that
    HTML names itself; what names none is left to the readers, which tell. PDF stays as it is."""
    if suffix == ".pdf" or data.startswith(_BOMS):
        return data
    inside = _META.search(data[:HEAD]) if suffix == ".html" else None
    for name in (charset, inside[1].decode("ascii") if inside else ""):
        with suppress(LookupError, ValueError):
            codec = codecs.lookup(name.strip(" \"'")).name
            if codec in ("iso8859-1", "ascii"):
                codec = "cp1252"  # what pages mean that say so, as browsers read them
            if not _NO_CHARSET.match(codec):
                return data.decode(codec, "replace").encode()
    return data
