"""One file to one `Document`: picks the reader, takes out secrets, never surprises its caller.

Text is redacted before it is read, as it will be stored. A reader still brings out what stood
otherwise in the file: a title beside the text, an escape resolved, markup taken away. So the last
look for secrets is at everything that a reader found and is not the text itself.

Minutes, notes and records of decisions say of which day they are, and speak as of it: the time of
the file is that of a copy, and that of a commit the day on which a whole folder was taken in.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import PurePosixPath
from typing import Any, cast

from quipu.errors import InvalidInput
from quipu.read.code import read_code
from quipu.read.decode import decode
from quipu.read.front_matter import key_lines, relations_from, relations_of, thing_of
from quipu.read.kinds import FileReader, Reader, format_of, reader_of
from quipu.read.languages import CodeLanguage
from quipu.read.prose import bare_urls, mentions, sections_of
from quipu.read.reading import Reading
from quipu.read.redact import redact
from quipu.read.source import SourceFile, escaped
from quipu.records.document import Document, Problem
from quipu.records.record import Properties
from quipu.records.role import role_of
from quipu.records.wiki import CONTENTS_PAGES, note_names
from quipu.when import find_spans
from quipu.when.instants import parse_instant
from quipu.when.intervals import iso, read_iso

__all__ = ["read_document", "read_text", "written_on"]


_DAY_KEYS = ("updated", "last_updated", "modified", "date")
_DAY_IN_NAME = re.compile(r"(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?!\d)")
_FIRST_LINES, _LONGEST_LINE = 6, 100
_DAY_LINE = re.compile(
    r"\s*(?:#{1,6}\s|[*_]{0,2}(?:date|day|(?:last )?updated|written|held|as of|minutes of)\b)",
    re.IGNORECASE,
)
_ADR_PATH = re.compile(
    r"(?i)(?:^|/)(?:adrs?|decisions|architecture-decisions)/[^/]+$|(?:^|/)adr[-_]?\d"
)
_POLICY_PATH = re.compile(r"(?i)(?:^|/)polic(?:y|ies)/[^/]+$")

_SCRUBBED = (
    "title",
    "description",
    "properties",
    "sections",
    "definitions",
    "uses",
    "imports",
    "links",
    "things",
    "relations",
    "owner_rules",
    "observations",
    "problems",
)
assert {field.name for field in fields(Document)} > set(_SCRUBBED)


def read_document(source: SourceFile) -> Document:
    """What is in `source`. Raises InvalidInput, and nothing else, for what cannot be read; a reader
    of another package may raise what it will.

    A file whose format is broken but whose bytes are text is read as plain text with a warning.
    Text is redacted before it is looked at, and what was found in it once more (`_scrub`).
    """
    of_kind = format_of(source.path, source.data)
    if of_kind is None:
        reader, language = reader_of(source.path)
        text, title, warning, reader = _text(source, reader)
    else:
        reader = "code" if isinstance(of_kind, CodeLanguage) else "text"
        language, title = of_kind.name, ""
        text, warning = of_kind.text(source.data)
    text, redactions = redact(text)
    document = Document(
        path=source.path,
        title=escaped(source.path),
        type="doc",
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
        return _scrub(_with_code(document))
    if isinstance(of_kind, FileReader):
        reading = _read_by(of_kind, text)
    else:
        reading = _reading(reader, text, document)
    if title:
        reading.title = title
    return _scrub(_with_reading(document, reading))


def _read_by(reader: FileReader, text: str) -> Reading:
    """What a kind's reader finds; the text that it made has no secrets either."""
    try:
        reading = reader.read(text)
    except InvalidInput as error:
        reading = read_text(text)
        reading.warnings.append((f"{error}; it was read as plain text", 0))
    reading.text, redactions = redact(reading.text)
    reading.redactions = _together(reading.redactions, redactions)
    return reading


def _text(source: SourceFile, reader: Reader) -> tuple[str, str, str | None, Reader]:
    """The file as text, a title that stands outside of the text, a warning, and who is to read."""
    if reader == "pdf":
        from quipu.read.pdf import pdf_pages

        pages, title, warning = pdf_pages(source.data)
        return "\f".join(page.replace("\f", " ") for page in pages), title, warning, reader
    if reader == "docx":
        from quipu.read.word import word_as_markdown

        text, title = word_as_markdown(source.data)
        return text, title, None, reader
    text, warning = decode(source.data)
    if reader == "notebook":
        from quipu.read.markdown import notebook_as_markdown

        try:
            text = notebook_as_markdown(text)
        except InvalidInput as error:
            return text, "", f"{error}; it was read as plain text", "text"
    return text, "", warning, reader


def _reading(reader: Reader, text: str, document: Document) -> Reading:
    """Runs one reader. Libraries are imported when a file first needs them."""
    match reader:
        case "markdown" | "docx" | "notebook":
            from quipu.read.markdown import read_markdown
            from quipu.read.notes import read_note

            is_note = reader == "markdown"
            return read_note(text, document.path) if is_note else read_markdown(text)
        case "rst" | "asciidoc" | "org" | "html":
            return _marked(reader, text)
        case "pdf":
            from quipu.read.pdf import read_pages

            return read_pages(text.split("\f"), "")
        case "data" | "manifest" | "compose" | "codeowners" | "workflow":
            return _data(reader, text, document)
        case _:
            return read_text(text)


def _marked(reader: Reader, text: str) -> Reading:
    if reader == "html":
        from quipu.read.html import read_html

        return read_html(text)
    from quipu.read import outlines

    readers = {"rst": outlines.read_rst, "asciidoc": outlines.read_asciidoc}
    return readers.get(reader, outlines.read_org)(text)


def _data(reader: Reader, text: str, document: Document) -> Reading:
    from quipu.read.forms import add_tools, read_codeowners, read_workflow
    from quipu.read.keys import read_keys
    from quipu.read.services import add_services, read_compose, read_terraform

    if reader == "manifest":
        from quipu.read.manifest import read_manifest

        name = PurePosixPath(document.path).name.lower()
        return read_manifest(text, name, document.language)
    if reader == "compose":
        return read_compose(text)
    if reader == "workflow":
        return read_workflow(text, document.path)
    if reader == "codeowners":
        return read_codeowners(text)
    if document.language == "terraform":
        return read_terraform(text)
    reading = read_keys(text, document.language)
    if document.language in ("yaml", "json"):
        add_services(reading)
    if document.language in ("json", "jsonc"):
        add_tools(reading, comments=document.language == "jsonc")
    return reading


def read_text(text: str) -> Reading:
    """Plain text: no headings, but names, paths and addresses."""
    reading = Reading(text)
    reading.uses = mentions(text)
    reading.links = bare_urls(text)
    reading.sections = sections_of([], text.count("\n") + 1)
    return reading


def _with_code(document: Document) -> Document:
    code = read_code(document.text, document.language)
    problems = document.problems
    if code.hopeless:
        message = f"cannot be parsed as {document.language}; only its text was read"
        problems += (Problem(document.path, message, "warning"),)
    exports: Properties = {"exports": [*code.exports]} if code.exports else {}
    return replace(
        document,
        type="code",
        family="code",
        description=code.doc,
        definitions=code.definitions,
        uses=code.uses,
        imports=code.imports,
        links=tuple(bare_urls(document.text)),
        relations=code.relations,
        properties=exports,
        problems=problems,
    )


def _with_reading(document: Document, reading: Reading) -> Document:
    properties = reading.properties
    title = _title_stated(properties)
    problems = tuple(
        Problem(document.path, message, "warning", line) for message, line in reading.warnings
    )
    lines = key_lines(reading.text, reading.spans[0].end_line) if reading.spans else {}
    relations = relations_of(properties, lines) if reading.family == "prose" else []
    usual = note_names(document.path)[0] if document.language == "markdown" else document.title
    named = title or reading.title or escaped(usual)
    type_ = reading.type or _type_of(document.path, properties)
    if reading.family == "prose" and (thing := thing_of(type_, properties, named)):
        reading.things.append(thing)
        relations += relations_from(thing, relations)
    own = reading.family == "prose" and written_on(
        document.path, reading.text, properties, until=document.updated_at
    )
    return replace(
        document,
        title=named,
        updated_at=own or document.updated_at,
        type=type_,
        family=reading.family,
        text=reading.text,
        properties=properties,
        sections=tuple(reading.sections),
        spans=tuple(sorted(reading.spans)),
        links=tuple(reading.links),
        uses=tuple(reading.uses),
        things=tuple(reading.things),
        relations=(*relations, *reading.relations),
        owner_rules=tuple(reading.owner_rules),
        observations=tuple(reading.observations),
        facts=tuple(reading.facts),
        redactions=_together(document.redactions, reading.redactions),
        problems=document.problems + problems,
    )


def _title_stated(properties: Properties) -> str:
    """The title that front matter gives, which may look like a number; "" where there is none."""
    title = properties.get("title")
    if isinstance(title, bool):
        return str(title).lower()
    return str(title) if isinstance(title, str | int | float) else ""


def _type_of(path: str, properties: Properties) -> str:
    written = properties.get("type") or properties.get("doc_type")
    if isinstance(written, str) and written.strip():
        return written.strip().lower()
    if PurePosixPath(path).stem.lower() in CONTENTS_PAGES:
        return "doc"
    if _ADR_PATH.search(path):
        return "adr"
    return "policy" if _POLICY_PATH.search(path) else "doc"


def _scrub(document: Document) -> Document:
    """`document` without secrets in anything that was found in it, and with their counts.

    Its text, path and hashes stay as they are. A name that held a secret is no use of a name.
    """
    every = {text for name in _SCRUBBED for text in _texts(getattr(document, name), "")}
    _, counts = redact("\n".join(sorted(every)))
    if not counts:
        return document
    clean = {name: _clean(getattr(document, name), "") for name in _SCRUBBED}
    clean["uses"] = tuple(use for use in document.uses if _clean(use, "") == use)
    return replace(
        document,
        **cast("dict[str, Any]", clean),
        redactions=_together(document.redactions, counts),
    )


def _together(one: dict[str, int], two: dict[str, int]) -> dict[str, int]:
    """The sums of two counts, by kind."""
    return {kind: one.get(kind, 0) + two.get(kind, 0) for kind in sorted({*one, *two})}


def _texts(value: object, key: str) -> Iterator[str]:
    """Every text in `value`; one that a key names, as a line with its name."""
    if isinstance(value, str):
        yield f"{key}: {value}" if key else value
    elif isinstance(value, dict):
        for inner, each in cast("dict[str, object]", value).items():
            yield inner
            yield from _texts(each, inner)
    elif isinstance(value, list | tuple):
        for each in cast("list[object]", value):
            yield from _texts(each, key)


def _clean(value: object, key: str) -> object:
    if isinstance(value, str):
        named = f"{key}: " if key else ""
        cleaned = redact(named + value)[0]
        return cleaned.removeprefix(named) if cleaned.startswith(named) else redact(value)[0]
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {redact(inner)[0]: _clean(each, inner) for inner, each in items}
    if isinstance(value, list):
        return [_clean(each, key) for each in cast("list[object]", value)]
    if isinstance(value, tuple):
        values = cast("tuple[object, ...]", value)
        cleaned = [_clean(each, key) for each in values]
        make = getattr(type(values), "_make", tuple)  # named tuples keep their type
        return make(cleaned)
    return value


def written_on(path: str, text: str, properties: Properties, *, until: str) -> str:
    """The instant (ISO 8601) at which the day begins that a document names as its own; "" where it
    names none, or one that is later than `until`, the time of its file. What tells of many days, a
    list of changes, names none."""
    if role_of(path, code=False) == "changelog":
        return ""
    kept = next((_day_of(properties[key]) for key in _DAY_KEYS if key in properties), "")
    day = kept or _of_name(PurePosixPath(path).name) or _of_first_lines(text)
    return instant if day and (instant := parse_instant(day)) <= until else ""


def _of_name(name: str) -> str:
    found = _DAY_IN_NAME.search(name)
    day = read_iso(f"{found[1]}-{found[3]}-{found[4]}") if found else None
    return iso(day) if day is not None else ""


def _of_first_lines(text: str) -> str:
    """Of the first heading, or line that says so, that names one day."""
    lines = [line for line in text[: _FIRST_LINES * _LONGEST_LINE].splitlines() if line.strip()]
    named = (
        _day_of(line) for line in lines[:_FIRST_LINES] if _DAY_LINE.match(line[:_LONGEST_LINE])
    )
    return next(filter(None, named), "")


def _day_of(value: object) -> str:
    """The one day that a value names."""
    days = {
        iso(at)
        for span in find_spans(str(value)[:_LONGEST_LINE])
        if span.dated and (at := span.interval.start) is not None and at.month and at.day
    }
    return days.pop() if len(days) == 1 else ""
