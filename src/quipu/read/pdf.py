"""PDF by pdfium: each page's text is a section."""

import re
import threading

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]  # ships none

from quipu.errors import InvalidInput
from quipu.read.decode import normalised
from quipu.read.prose import bare_urls, mentions
from quipu.read.reading import Reading
from quipu.records.document import Section

_lock = threading.Lock()  # pdfium may be used by one thread at a time
_LARGEST_TEXT = 20_000_000
_HYPHEN = re.compile("[\ufffe\u00ad]\\s?")


def pdf_pages(data: bytes) -> tuple[list[str], str, str | None]:
    """The text of each page, the document's title ("" without one), and a warning when pages
    could not be read.

    Raises InvalidInput for what pdfium cannot open: damaged, cut off, or locked by a password.
    """
    with _lock:
        try:
            pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise InvalidInput(f"cannot be read as PDF: {error}") from error
        try:
            pages, warning = _pages(pdf)
            title = _title(pdf)
        except pypdfium2.PdfiumError as error:
            raise InvalidInput(f"cannot be read as PDF: {error}") from error
        finally:
            pdf.close()
    return pages, " ".join(normalised(title).split()), warning


def _pages(pdf: pypdfium2.PdfDocument) -> tuple[list[str], str | None]:
    pages: list[str] = []
    bad: list[int] = []
    size = 0
    for number in range(len(pdf)):
        try:
            page = _page_text(pdf, number)
        except (pypdfium2.PdfiumError, UnicodeError):
            page = ""
            bad.append(number + 1)
        size += len(page)
        if size > _LARGEST_TEXT:
            return pages, f"has more than {_LARGEST_TEXT} characters; read up to page {number}"
        pages.append(page)
    if bad and len(bad) == len(pages):
        raise pypdfium2.PdfiumError("no page can be read")
    listed = ", ".join(map(str, bad[:5]))
    return pages, f"{len(bad)} pages cannot be read, among them page {listed}" if bad else None


def _title(pdf: pypdfium2.PdfDocument) -> str:
    try:
        return str(pdf.get_metadata_dict(skip_empty=True).get("Title", ""))
    except UnicodeError:  # half a surrogate pair, say
        return ""


def _page_text(pdf: pypdfium2.PdfDocument, number: int) -> str:
    page = pdf[number]
    textpage = page.get_textpage()
    text: str = textpage.get_text_bounded(errors="replace")  # pyright: ignore[reportUnknownMemberType]
    textpage.close()
    page.close()
    lines = (line.rstrip() for line in _HYPHEN.sub("", normalised(text)).split("\n"))
    return "\n".join(lines).strip("\n")


def read_pages(pages: list[str], title: str) -> Reading:
    """Pages as one text, a blank line between them. Lines count the extracted text."""
    sections: list[Section] = []
    line = 1
    for number, page in enumerate(pages, 1):
        height = page.count("\n") + 2
        sections.append(Section((f"page {number}",), line, line + height - 1))
        line += height
    text = "\n\n".join(pages)
    reading = Reading(text, title=title, properties={"pages": len(pages)})
    last = text.count("\n") + 1
    reading.sections = [s._replace(end_line=min(s.end_line, last)) for s in sections]
    if not text.strip():
        reading.warnings.append(("has no text, only pictures of pages perhaps", 0))
    reading.uses = mentions(text)
    reading.links = bare_urls(text)
    return reading
