"""Facts that front matter dates: what the status or owner of a document is, and from when."""

import re
from collections.abc import Iterator

from quipu.errors import InvalidInput
from quipu.records.document import Document
from quipu.records.ids import make_id
from quipu.records.record import Fact, Properties, Value
from quipu.when.instants import parse_instant

_PREDICATES = ("status", "lifecycle", "owner", "version")
_FROM = (
    "valid_from",
    "effective_from",
    "effective_date",
    "effective",
    "since",
    "decided_on",
    "date",
)
_TO = ("valid_to", "valid_until", "effective_to", "expires", "expires_on", "end_date", "sunset")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def facts_of(document: Document, *, document_id: str, namespace: str) -> Iterator[Fact]:
    """A fact for each dated property, and those listed under `facts:`.

    The subject is the document's title, unless a listed fact names its own.
    """
    properties = document.properties
    start, end = _date(properties, _FROM), _date(properties, _TO)
    if start or end:
        for predicate in _PREDICATES:
            value = properties.get(predicate)
            if isinstance(value, str | int | float) and str(value).strip():
                yield _fact(
                    document, document_id, namespace,
                    document.title, predicate, str(value), start, end,
                )  # fmt: skip
    listed = properties.get("facts")
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict):
            fact = _listed(item, document, document_id, namespace)
            if fact:
                yield fact


def _listed(item: Properties, document: Document, document_id: str, namespace: str) -> Fact | None:
    subject = item.get("subject") or document.title
    predicate, object_ = item.get("predicate"), item.get("object")
    if not isinstance(subject, str) or not isinstance(predicate, str) or object_ is None:
        return None
    return _fact(
        document, document_id, namespace,
        subject, predicate, str(object_), _date(item, _FROM), _date(item, _TO),
    )  # fmt: skip


def _date(properties: Properties, keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value: Value = properties.get(key)
        if isinstance(value, str) and _DATE.match(value):
            try:
                parse_instant(value)
            except InvalidInput:
                continue
            return value.strip()
    return None


def _fact(
    document: Document, document_id: str, namespace: str,
    subject: str, predicate: str, object_: str, start: str | None, end: str | None,
) -> Fact:  # fmt: skip
    return Fact(
        fact_id=make_id(
            "fact", namespace, document_id, subject, predicate, object_, start or "", end or ""
        ),
        subject=subject,
        predicate=predicate,
        object=object_,
        updated_at=document.updated_at,
        source_sha=document.source_sha,
        valid_from=start,
        valid_to=end,
        provenance={"document_id": document_id, "path": document.path},
    )
