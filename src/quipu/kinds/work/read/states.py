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

__all__ = ["begin_of", "date_of", "read_states"]

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def date_of(value: object) -> str:
    """A day as it is, anything finer (or seconds from 1970) as an instant; InvalidInput for what
    is no date."""
    if isinstance(value, str) and _DAY.fullmatch(value.strip()):
        try:
            return date.fromisoformat(value.strip()).isoformat()
        except ValueError as error:
            raise InvalidInput(f"{value!r} is no day of the calendar ({error}): mend it") from error
    return instant_of(value)


def begin_of(written: str) -> str:
    """The first instant of a date that `date_of` gave."""
    return parse_instant(written)


_OPEN = frozenset({"open", "todo", "to do", "new", "planned", "backlog", "proposed", "pending"})
_LONGEST = 100
_DATES = {
    "created_at": ("created_at", "created"),
    "started_at": ("started_at", "started"),
    "completed_at": ("completed_at", "completed", "closed_at", "done_at"),
}


def read_states(fields: Fields, *, seen: str, created: str) -> tuple[DatedValue, ...]:
    """The dated values of a record, each predicate's in the order of their dates."""
    updated = "updated_at" in fields or "updated" in fields
    since = seen if updated or not created else created
    found = [*_statuses(fields, since)]
    owner = _named(fields, "owner", "assignee", "assigned_to")
    if owner:
        found.append(DatedValue("owner", owner, since))
    if priority := _value(fields, "priority"):
        found.append(DatedValue("priority", priority, since))
    due = ""
    for name in ("due", "due_date", "deadline"):
        due = due or fields.read(name, date_of, "")
    if due:
        found.append(DatedValue("deadline", due, since))
    return tuple(found)


def _statuses(fields: Fields, since: str) -> list[DatedValue]:
    status = _value(fields, "status", "state")
    dates = _dates(fields)
    found = [each for row in fields.objects("history") if (each := _dated_value(row))]
    if not found:
        found = _by_dates(status, dates)
    changed = ""
    for name in ("status_since", "status_changed_at"):
        changed = changed or fields.read(name, date_of, "")
    last = max(found, key=lambda s: begin_of(s.since), default=None)
    if status and changed:
        found = [s for s in found if begin_of(s.since) < begin_of(changed)]
        found.append(DatedValue("status", status, changed, given=True))
    elif status and (last is None or last.value.casefold() != status.casefold()):
        later = last and begin_of(last.since) > begin_of(since)
        found.append(DatedValue("status", status, last.since if last and later else since))
    return sorted(found, key=lambda s: begin_of(s.since))


def _by_dates(status: str, dates: dict[str, str]) -> list[DatedValue]:
    """The statuses that the dates of a record tell: it was open, then in progress, then done."""
    found: list[DatedValue] = []
    if at := dates.get("created_at"):
        word = status if status.casefold() in _OPEN else "open"
        found.append(DatedValue("status", word, at, given=True))
    if at := dates.get("started_at"):
        going = status and not is_closed(status) and status.casefold() not in _OPEN
        word = status if going else "in progress"
        found.append(DatedValue("status", word, at, given=True))
    if at := dates.get("completed_at"):
        found.append(DatedValue("status", status if is_closed(status) else "done", at, given=True))
    return found


def _dates(fields: Fields) -> dict[str, str]:
    """The dates of a record in their order; one that lies before an earlier stage is left out."""
    found: dict[str, str] = {}
    earlier = ""
    for stage, names in _DATES.items():
        at, name = "", stage
        for name in names:
            at = fields.read(name, date_of, "") if name in fields else ""
            if at:
                break
        if not at:
            continue
        if earlier and begin_of(at) < begin_of(found[earlier]):
            fields.problems.append(
                f"{name} {at!r} lies before {earlier} {found[earlier]!r}: it was left out; mend "
                "one of them"
            )
            continue
        found[stage] = at
        earlier = stage
    return found


def _dated_value(row: Fields) -> DatedValue | None:
    status = _value(row, "status", "state", "to")
    for name in ("at", "since", "date", "time", "timestamp"):
        if at := row.read(name, date_of, ""):
            break
    else:
        at = ""
    if status and at:
        return DatedValue("status", status, at, given=True)
    row.problems.append(
        f"history {dict(row.record)!r} says no status and date: write "
        '{"status": "done", "at": "2026-05-03"}'
    )
    return None


def _value(fields: Fields, *names: str) -> str:
    """The first of these that is a short text or a number; what is none is a problem."""
    for name in names:
        value = fields.record.get(name)
        if value is None or value == "":
            continue
        said = fields.read(name, _short, "")
        if said:
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


def _named(fields: Fields, *names: str) -> str:
    """A person or team, given as a text or as an object with a `name`."""
    for name in names:
        value = fields.record.get(name)
        if isinstance(value, dict):
            return _value(fields.inside(name), "name", "login", "email")
        if said := _value(fields, name):
            return said
    return ""
