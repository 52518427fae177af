"""Turns as they come in, numbered and sorted into their sessions."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Role, Sessions, Transcript, Turn
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.conversations.read.values import Json, json_lines
from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Collector", "Content"]

_LAST_OFFSET = 1_000_000_000
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "system": "system",
    "developer": "system",
    "note": "note",
}


@dataclass(slots=True)
class Content:
    """What a message says, and the captions of what it shows."""

    speech: list[str] = field(default_factory=list[str])
    captions: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Session:
    group: str
    title: str = ""
    started_at: str = UNKNOWN_TIME
    turns: list[Turn] = field(default_factory=list[Turn])


class Collector:
    """Sessions in the order in which they first occur; problems in the order of their lines."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._sessions: dict[str, _Session] = {}
        self._problems: list[Problem] = []
        self._strange_roles: set[str] = set()

    def open(self, session_id: str, *, group: str = "", title: str = "", time: str = "") -> None:
        """Begin a session, or say more about one; what is known already stands."""
        session = self._session(session_id, group)
        session.title = session.title or title.strip()
        if session.started_at == UNKNOWN_TIME and time:
            session.started_at = time

    def problem(self, message: str, line: int, *, warning: bool = False) -> None:
        """Note what could not be read, or only in part."""
        self._problems.append(Problem(self._path, message, "warning" if warning else "error", line))

    @contextmanager
    def reading(self, line: int = 0, where: str = "") -> Generator[None]:
        """Note what makes the block raise InvalidInput as a problem of a line, or of `where`."""
        try:
            yield
        except InvalidInput as error:
            self.problem(f"{where}: {error}" if where else str(error), line)

    def lines(self, data: bytes) -> Iterator[tuple[int, Json]]:
        """Yield each JSON object of `data` that stands on a line, by its number; what is none is a
        problem."""
        for number, line in json_lines(self._path, data):
            if isinstance(line, Problem):
                self._problems.append(line)
            else:
                yield number, line

    def time(self, value: object, line: int) -> str:
        """`value` as an instant; a time that cannot be read is a warning and unknown."""
        try:
            return read_time(value)
        except InvalidInput as error:
            self.problem(str(error), line, warning=True)
            return UNKNOWN_TIME

    def role(self, written: str, line: int) -> Role:
        """The role that `written` means; an unknown one is a warning, once, and `other`."""
        known = _ROLES.get(written.lower())
        if known is None and written not in self._strange_roles:
            self._strange_roles.add(written)
            self.problem(
                f"the role {written!r} is not known; it is read as other", line, warning=True
            )
        return known or "other"

    def turn(
        self,
        session_id: str,
        *,
        role: Role,
        text: str,
        speaker: str = "",
        time: str = UNKNOWN_TIME,
        caption: str = "",
        line: int = 0,
        offset: int = 0,
    ) -> None:
        """Add what was said; nothing for nothing. `offset` stands where it goes up."""
        said = text.replace("\0", "").strip()
        shown = caption.replace("\0", "").strip()
        if not said and not shown:
            return
        session = self._session(session_id)
        last = session.turns[-1].offset if session.turns else 0
        session.turns.append(
            Turn(
                session_id=session_id,
                offset=offset if last < offset <= _LAST_OFFSET else last + 1,
                speaker=speaker.strip() or role,
                role=role,
                text=said,
                time=time,
                caption=shown,
                line=line,
            )
        )

    def message(
        self,
        session_id: str,
        content: Content,
        *,
        role: Role,
        speaker: str = "",
        time: str = UNKNOWN_TIME,
        line: int = 0,
    ) -> None:
        """Add what a message says and shows; the session is there even if that is nothing."""
        self._session(session_id)
        self.turn(
            session_id,
            role=role,
            text="\n\n".join(content.speech),
            speaker=speaker,
            time=time,
            caption="; ".join(content.captions),
            line=line,
        )

    def sessions(self, format_name: str) -> Sessions:
        """Everything, frozen. A session's time is its own, else that of its first dated turn."""
        return Sessions(
            format=format_name,
            transcripts=tuple(
                Transcript(
                    session_id=session_id,
                    group=session.group or session_id,
                    title=session.title,
                    started_at=_began(session),
                    turns=tuple(session.turns),
                )
                for session_id, session in self._sessions.items()
            ),
            problems=tuple(self._problems),
        )

    def _session(self, session_id: str, group: str = "") -> _Session:
        session = self._sessions.setdefault(session_id, _Session(group))
        session.group = session.group or group
        return session


def _began(session: _Session) -> str:
    if session.started_at != UNKNOWN_TIME:
        return session.started_at
    return min((t.time for t in session.turns if t.time != UNKNOWN_TIME), default=UNKNOWN_TIME)
