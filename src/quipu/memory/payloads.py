"""What jobs hold, by kind: how it is made and read, and what is left of it when sources are
forgotten."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Transcript
from quipu.kinds.work.model import GivenFiles, WorkKind, work_id, work_ref
from quipu.records.record import Properties
from quipu.records.refs import session_ref
from quipu.write.dropped import NOTHING, Dropped

if TYPE_CHECKING:
    from quipu.write.jobs import Given
    from quipu.write.texts import TextInput

TEXT: Final = "text"
SESSIONS: Final = "sessions"
FILES: Final = "files"
WORK: Final = "work"
PAGES: Final = "pages"


class GivenRecords(msgspec.Struct, frozen=True):
    """Records of goals and tasks, as a job holds them."""

    records: tuple[dict[str, Any], ...]
    seen: str


read_files = msgspec.json.Decoder(GivenFiles).decode
read_urls = msgspec.json.Decoder(tuple[str, ...]).decode
read_records = msgspec.json.Decoder(GivenRecords).decode
read_transcripts = msgspec.json.Decoder(tuple[Transcript, ...]).decode


def given_text(text: "TextInput", namespace: str) -> "Given":
    """A settled text as a job."""
    from quipu.write.texts import episode_of

    return _given(TEXT, text, text.source_ref, episode_of(text, namespace))


def given_files(paths: Sequence[str | Path] | str | Path, kind: WorkKind | None) -> "Given":
    """Files and folders as a job. Raises InvalidInput for a path that is not there."""
    return _given(FILES, GivenFiles(tuple(map(str, existing(paths))), kind))


def existing(paths: Sequence[str | Path] | str | Path) -> list[Path]:
    """One path or more, absolute. Raises InvalidInput for one that is not there."""
    chosen = (paths,) if isinstance(paths, str | Path) else paths
    absolute = [Path(path).expanduser().absolute() for path in chosen]
    for path in absolute:
        if not path.exists():
            raise InvalidInput(f"there is no {str(path)!r}: name a transcript or a folder")
    return absolute


def given_transcripts(transcripts: Iterable[Transcript]) -> "Given":
    """Transcripts as a job, without their secrets."""
    from quipu.kinds.conversations.write import redacted_transcript

    return _given(SESSIONS, [redacted_transcript(each) for each in transcripts])


def given_records(records: Sequence[dict[str, object]], seen: str) -> "Given":
    """Records of goals and tasks as a job, without their secrets."""
    from quipu.read.redact import Redactor

    clean = [Redactor().properties(cast("Properties", record)) for record in records]
    return _given(WORK, GivenRecords(tuple(clean), seen))


def given_pages(urls: Sequence[str]) -> "Given":
    """URLs as a job, without their secrets."""
    from quipu.kinds.pages.write import page_ref

    if not urls:
        raise InvalidInput("there are no URLs to fetch: give at least one")
    return _given(PAGES, [page_ref(url) for url in urls])


def _given(kind: str, content: object, ref: str = "", episode: str = "") -> "Given":
    from quipu.write.jobs import Given

    return Given(kind, msgspec.json.encode(content), ref, episode)


def read_text(payload: bytes) -> "TextInput":
    """The text that a job is to write."""
    from quipu.write.texts import TextInput

    return msgspec.json.decode(payload, type=TextInput)


def without(dropped: Dropped, kind: str, payload: bytes) -> bytes | None:
    """The payload of a job without the sources that are dropped; None when nothing is left, or it
    cannot be read. Of files it holds the paths only: what they hold is left out when they are
    read."""
    try:
        match kind:
            case "text":
                return None if dropped.covers(read_text(payload).source_ref) else payload
            case "sessions":
                given = read_transcripts(payload)
                left = tuple(t for each in given if (t := _transcript(each, dropped)))
            case "work":
                given = read_records(payload)
                kept = tuple(_records(given.records, dropped))
                left = GivenRecords(kept, given.seen) if kept or not given.records else None
            case "pages":
                given = read_urls(payload)
                left = tuple(url for url in given if not dropped.covers(url))
            case _:
                given = left = read_files(payload)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if left == given:
        return payload
    return msgspec.json.encode(left) if left else None


def redacted_payload(kind: str, payload: bytes) -> bytes:
    """The payload of a job without what is a secret by the rules of today. Paths stay: they say
    what is to be read."""
    from quipu.read.redact import Redactor

    if kind == FILES or without(NOTHING, kind, payload) is None:
        return payload
    plain = {"": msgspec.json.decode(payload)}
    clean = Redactor().properties(cast("Properties", plain))
    return payload if clean == plain else msgspec.json.encode(clean[""])


def _transcript(given: Transcript, dropped: Dropped) -> Transcript | None:
    """The transcript with the turns that stay; None where none do."""
    if dropped.covers(session_ref(given.session_id)):
        return None
    turns = tuple(t for t in given.turns if not dropped.covers(session_ref(t.session_id, t.offset)))
    if len(turns) == len(given.turns):
        return given
    return dataclasses.replace(given, turns=turns) if turns else None


def _record(record: dict[str, Any], dropped: Dropped) -> dict[str, Any] | None:
    """The record with those of the records inside it that stay."""
    from quipu.kinds.work.read import kind_of

    try:
        kind = kind_of(record)
        if kind is not None and dropped.covers(work_ref(kind, work_id(kind, record.get("id")))):
            return None
    except InvalidInput:  # it is no goal or task: it will not be written
        pass
    inside = {
        key: list(_records(cast("list[Any]", record[key]), dropped))
        for key in ("tasks", "subtasks")
        if isinstance(record.get(key), list)
    }
    return record | inside


def _records(records: Iterable[Any], dropped: Dropped) -> Iterator[Any]:
    """Records, written out or named by their ids, without those that are dropped."""
    for each in records:
        kept = _record(cast("dict[str, Any]", each), dropped) if isinstance(each, dict) else each
        if kept is not None:
            yield kept
