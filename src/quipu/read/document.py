"""One file to one `Document`: picks the reader, takes out secrets, never surprises its caller."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from quipu.domain.document import Document, Problem
from quipu.domain.records import Properties
from quipu.read.code import read_code
from quipu.read.decode import decode
from quipu.read.front_matter import key_lines, ties_of
from quipu.read.kinds import reader_of
from quipu.read.markdown import read_markdown
from quipu.read.prose import Prose, bare_urls, mentions, sections_of
from quipu.read.redact import redact
from quipu.read.source import Source

_ADR_PATH = re.compile(
    r"(?i)(?:^|/)(?:adrs?|decisions|architecture-decisions)/[^/]+$|(?:^|/)adr[-_]?\d"
)
_POLICY_PATH = re.compile(r"(?i)(?:^|/)polic(?:y|ies)/[^/]+$")


def read_document(source: Source) -> Document:
    """What is in `source`. Raises InvalidInput, and nothing else, for what cannot be read.

    A file whose format is broken but whose bytes are text is read as plain text with a warning.
    """
    reader, language = reader_of(source.path)
    text, warning = decode(source.data)
    text, redactions = redact(text)
    document = Document(
        path=source.path,
        title=source.path,
        type="text",
        family="prose",
        language=language,
        text=text,
        content_hash=source.content_hash,
        source_sha=source.source_sha,
        updated_at=source.updated_at,
        properties={},
        redactions=redactions,
        problems=(Problem(source.path, warning, "warning"),) if warning else (),
    )
    if reader == "code":
        return _as_code(document)
    if reader == "markdown":
        return _as_prose(document, read_markdown(text))
    return _as_prose(document, read_text(text))


def read_text(text: str) -> Prose:
    """Plain text: no headings, but names, paths and addresses."""
    prose = Prose(text)
    prose.uses = mentions(text)
    prose.links = bare_urls(text)
    prose.sections = sections_of([], text.count("\n") + 1)
    return prose


def _as_code(document: Document) -> Document:
    code = read_code(document.text, document.language)
    problems = document.problems
    return replace(
        document,
        type="code",
        family="code",
        description=code.doc,
        definitions=code.definitions,
        uses=code.uses,
        imports=code.imports,
        links=tuple(bare_urls(document.text)),
        problems=problems,
    )


def _as_prose(document: Document, prose: Prose) -> Document:
    properties = prose.properties
    title = properties.get("title")
    problems = tuple(
        Problem(document.path, message, "warning", line) for message, line in prose.warnings
    )
    lines = key_lines(prose.text, next((s.end_line for s in prose.spans), 0))
    return replace(
        document,
        title=title if isinstance(title, str) and title else prose.title or document.path,
        type=_document_type(document.path, properties),
        properties=properties,
        sections=tuple(prose.sections),
        spans=tuple(sorted(prose.spans)),
        links=tuple(prose.links),
        uses=tuple(prose.uses),
        ties=tuple(ties_of(properties, lines)),
        problems=document.problems + problems,
    )


def _document_type(path: str, properties: Properties) -> str:
    written = properties.get("type") or properties.get("doc_type")
    if isinstance(written, str) and written.strip():
        return written.strip().lower()
    if _ADR_PATH.search(path) and PurePosixPath(path).stem.lower() not in {"readme", "index"}:
        return "adr"
    if _POLICY_PATH.search(path):
        return "policy"
    return "doc"
