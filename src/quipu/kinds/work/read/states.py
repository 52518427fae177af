"""What of a piece of work changes: its status, owner, priority and deadline, each with its date.

A status that the record dates itself (`history`, `status_since`, `started_at`, `completed_at`)
begins then. Any other value begins, as far as the record can say, when the record was last
changed, or else when the work was created. Dates are as precise as they were written.
"""

import math
import re
from datetime import date
from typing import Any

from quipu.errors import InvalidInput
from quipu.kinds.work.model import DatedValue, is_closed
from quipu.read.fields import Fields, instant_of
from quipu.when.instants import parse_instant

__all__ = ["first_date", "read_states"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_OPEN = frozenset({"open", "todo", "to do", "new", "planned", "backlog", "proposed", "pending"})
_LONGEST = 100
_STAGES = {
    "open": ("created_at", "created"),
    "in progress": ("started_at", "started"),
    "done": ("completed_at", "completed", "closed_at", "done_at"),
}
"""What a piece of work is from these dates on, in their order."""


def first_date(fields: Fields, *names: str) -> tuple[str, str]:
    """The first of these that is a date, and its name: a day as it is, anything finer (or seconds
    from 1970) as an instant; two empty ones where none is."""
    for name in names:
        if at := fields.read(name, _date, ""):
            return at, name
    return "", ""


def _date(value: object) -> str:
    if isinstance(value, str) and _DAY.fullmatch(value.strip()):
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError as error:
            raise InvalidInput(f"{value!r} is no day of the calendar ({error}): mend it") from error
    return instant_of(value)


def read_states(fields: Fields, *, seen: str, created: str) -> tuple[DatedValue, ...]:
    """The dated values of a record, each predicate's in the order of their dates."""
    updated = "updated_at" in fields or "updated" in fields
    since = seen if updated or not created else created
    found = [*_statuses(fields, since)]
    if owner := _value(fields, "owner", "assignee", "assigned_to"):
        found.append(DatedValue("owner", owner, since))
    if priority := _value(fields, "priority"):
        found.append(DatedValue("priority", priority, since))
    due, _ = first_date(fields, "due", "due_date", "deadline")
    if due:
        found.append(DatedValue("deadline", due, since))
    return tuple(found)


def _statuses(fields: Fields, since: str) -> list[DatedValue]:
    status = _value(fields, "status", "state")
    stages = _by_stages(fields, status)
    found = [each for row in fields.objects("history") if (each := _of_history(row))] or stages
    changed, _ = first_date(fields, "status_since", "status_changed_at")
    last = max(found, key=_begun, default=None)
    if status and changed:
        found = [each for each in found if _begun(each) < parse_instant(changed)]
        found.append(DatedValue("status", status, changed, given=True))
    elif status and (last is None or last.value.casefold() != status.casefold()):
        later = last is not None and _begun(last) > parse_instant(since)
        found.append(DatedValue("status", status, last.since if last and later else since))
    return sorted(found, key=_begun)


def _begun(value: DatedValue) -> str:
    return parse_instant(value.since)


def _by_stages(fields: Fields, status: str) -> list[DatedValue]:
    """The statuses that the dates of a record tell: it was open, then in progress, then done. A
    date that lies before that of an earlier stage is left out."""
    now = "open" if status.casefold() in _OPEN else "done" if is_closed(status) else "in progress"
    found: list[DatedValue] = []
    earlier = ""
    for stage, names in _STAGES.items():
        at, name = first_date(fields, *names)
        if found and at and parse_instant(at) < _begun(found[-1]):
            fields.problems.append(
                f"{name} {at!r} lies before {earlier} {found[-1].since!r}: it was left out; mend "
                "one of them"
            )
        elif at:
            found.append(DatedValue("status", (status if stage == now else "") or stage, at, True))
            earlier = names[0]
    return found


def _of_history(row: Fields) -> DatedValue | None:
    status = _value(row, "status", "state", "to")
    at, _ = first_date(row, "at", "since", "date", "time", "timestamp")
    if status and at:
        return DatedValue("status", status, at, given=True)
    row.problems.append(
        f"history {dict(row.record)!r} says no status and date: write "
        '{"status": "done", "at": "2026-05-03"}'
    )
    return None


def _value(fields: Fields, *names: str) -> str:
    """The first of these that is a short text or a number, or an object (a person, a team) with
    a `name`; what is none is a problem."""
    for name in names:
        if isinstance(fields.record.get(name), dict):
            return _value(fields.inside(name), "name", "login", "email")
        if fields.record.get(name) != "" and (said := fields.read(name, _short, "")):
            return said
    return ""


def _short(value: Any) -> str:
    odd = isinstance(value, float) and not math.isfinite(value)
    if odd or isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f'{value!r} is no text: write one, for example "open"')
    text = " ".join(str(value).split())
    if len(text) > _LONGEST:
        raise InvalidInput(f"{text[:60]!r}… is longer than {_LONGEST} characters: shorten it")
    return text
