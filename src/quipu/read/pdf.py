"""PDF by pdfium: each page's text is a section."""

import re
import threading

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]  # ships none

from quipu.domain.document import Section
from quipu.errors import InvalidInput
from quipu.read.decode import normalised
from quipu.read.prose import bare_urls, mentions
from quipu.read.reading import Reading

_lock = threading.Lock()  # pdfium may be used by one thread at a time
_HYPHEN = re.compile("[\ufffe\u00ad]\\s?")


def pdf_pages(data: bytes) -> tuple[list[str], str]:
    """The text of each page, and the document's title ("" without one).

    Raises InvalidInput for what pdfium cannot open: damaged, cut off, or locked by a password.
    """
    with _lock:
        try:
            pdf = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            raise InvalidInput(f"cannot be read as PDF: {error}") from error
        try:
            pages = [_page_text(pdf, number) for number in range(len(pdf))]
            title = pdf.get_metadata_dict(skip_empty=True).get("Title", "")
        except pypdfium2.PdfiumError as error:
            raise InvalidInput(f"cannot be read as PDF: {error}") from error
        finally:
            pdf.close()
    return pages, " ".join(normalised(title).split())


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
