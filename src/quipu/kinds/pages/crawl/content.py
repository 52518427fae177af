"""What a page is, by its content type, and its text as UTF-8, by its charset."""

import codecs
import re
from email.message import Message
from pathlib import PurePosixPath
from typing import NamedTuple

from quipu.errors import InvalidInput
from quipu.when.instants import instant

__all__ = ["content_of", "http_date", "utf8"]

_KINDS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "application/pdf": ".pdf",
}
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_META = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{2,40})", re.IGNORECASE
)
_HEAD = 4_096
# What browsers read these as: pages that say Latin-1 mean what Windows wrote.
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252"}
# Codecs that Python counts among those of text and no page is written in.
_NO_CHARSET = frozenset(
    {"utf-7", "idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
)
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class PageContent(NamedTuple):
    """`suffix` says which reader takes it (`.html`, `.md`, `.txt`, `.pdf`)."""

    suffix: str
    type: str
    charset: str


def content_of(header: str, path: str) -> PageContent:
    """What a `Content-Type` header says of the page at `path`; without one the path decides.

    Raises InvalidInput for what no reader takes.
    """
    message = Message()
    message["content-type"] = header or "application/octet-stream"
    kind = message.get_content_type().lower()
    ending = PurePosixPath(path.partition("?")[0]).suffix.lower()
    if not header:
        by_path = {
            ".html": "text/html",
            ".htm": "text/html",
            ".pdf": "application/pdf",
            ".txt": "text/plain",
        }
        kind = "text/markdown" if ending in _MARKDOWN else by_path.get(ending, "text/html")
    if kind not in _KINDS:
        raise InvalidInput(
            f"the page is of type {kind!r}: HTML, Markdown, plain text and PDF are read; save it "
            "and ingest the file if it is a transcript"
        )
    suffix = ".md" if kind == "text/plain" and ending in _MARKDOWN else _KINDS[kind]
    charset = message.get_param("charset", "")
    return PageContent(suffix, kind, charset if isinstance(charset, str) else "")


def utf8(data: bytes, content: PageContent) -> bytes:
    """The text of a page in UTF-8: by its byte order mark, the header's charset, or the one that
    HTML names itself; what names none is left to the readers, which tell. PDF stays as it is."""
    if content.suffix == ".pdf" or data.startswith(_BOMS):
        return data
    codec = _codec(content.charset)
    if not codec and content.suffix == ".html" and (named := _META.search(data[:_HEAD])):
        codec = _codec(named[1].decode("ascii"))
        if codec.startswith(("utf-16", "utf-32")):  # what could be read byte by byte is not that
            codec = "utf-8"
    return data.decode(codec, "replace").encode() if codec else data


def http_date(header: str) -> str | None:
    """A `Last-Modified` header as an instant; None for what is no date."""
    from email.utils import parsedate_to_datetime

    try:
        return instant(parsedate_to_datetime(header))
    except (ValueError, TypeError, OverflowError):
        return None


def _codec(name: str) -> str:
    """The codec of a charset; empty for none that is known, or that is no text."""
    try:
        found = codecs.lookup(name.strip().strip("\"'")) if name else None
    except (LookupError, ValueError, UnicodeError):
        return ""
    if found is None or not getattr(found, "_is_text_encoding", True):
        return ""
    if found.name in _NO_CHARSET:
        return ""
    return _MEANT.get(found.name, found.name)
