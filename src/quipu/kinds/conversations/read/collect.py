"""Messages as they come in, numbered and sorted into their sessions.

A message's content comes in the block forms that model providers share: text is speech, pictures
and files are captions. Tool use, tool results, thinking and unknown blocks are passed over:
providers add kinds, and a new kind is no damage.
"""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import cast

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Role, Sessions, Transcript, Turn
from quipu.kinds.conversations.read.times import read_time
from quipu.kinds.conversations.read.values import Json, shown, text
from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Collector", "Content", "read_content", "without_marks"]

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
_SPEECH = frozenset({"text", "input_text", "output_text", "refusal"})
_SHOWN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("file", "input_file", "document", "attachment"),
        ("file", "file_name", "filename", "title", "name"),
    ),
    **dict.fromkeys(
        ("image", "image_url", "input_image", "image_asset_pointer"),
        ("image", "alt", "caption", "title"),
    ),
}
"""By the type of a block, what it shows, and the fields that may say more."""
_TAGS = (
    "bash-input bash-stdout bash-stderr collaboration_mode command-args command-message "
    "command-name environment_context function_results ide_opened_file ide_selection INSTRUCTIONS "
    "local-command-caveat local-command-stderr local-command-stdout permissions skill "
    "system-reminder task-notification tool_call tool_result tool_use turn_aborted "
    "user-prompt-submit-hook user_instructions user_shell_command"
).split()
"""Between these programs put into messages what nobody said."""
_OPENING = re.compile(rf"<(?P<tag>{'|'.join(map(re.escape, _TAGS))})(?=[\s>])[^<>]{{0,200}}>")
_INTERRUPTED = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")


@dataclass(slots=True)
class Content:
    """What a message says, and the captions of what it shows."""

    speech: list[str] = field(default_factory=list[str])
    captions: list[str] = field(default_factory=list[str])


def read_content(value: object) -> Content:
    """Return `value` (text, or a list of text and blocks) by kind. Raises InvalidInput for anything
    else."""
    content = Content()
    listed = cast(list[object], value) if isinstance(value, list) else [value]
    for block in listed if value is not None else ():
        if isinstance(block, str):
            content.speech.append(block)
            continue
        if not isinstance(block, dict):
            raise InvalidInput(f"the message's content is {shown(block)}, not text or blocks")
        fields = cast(Json, block)
        kind = text(fields, "type")
        if kind in _SPEECH:
            content.speech.append(text(fields, "text", "refusal"))
        elif kind in _SHOWN:
            name, *said = _SHOWN[kind]
            content.captions.append(text(fields, *said) or name)
    return content


def without_marks(text: str) -> str:
    """Return `text` without what stands between a program's marks; what is never closed stays."""
    kept: list[str] = []
    at = 0
    while match := _OPENING.search(text, at):
        closing = f"</{match['tag']}>"
        end = text.find(closing, match.end())
        if end < 0:
            break
        kept.append(text[at : match.start()])
        at = end + len(closing)
    return _INTERRUPTED.sub("", "".join((*kept, text[at:])))


@dataclass(slots=True)
class _Session:
    group: str = ""
    title: str = ""
    started_at: str = UNKNOWN_TIME
    turns: list[Turn] = field(default_factory=list[Turn])

    def began(self) -> str:
        """Return its own time, else that of its first dated turn."""
        if self.started_at != UNKNOWN_TIME:
            return self.started_at
        return min((t.time for t in self.turns if t.time != UNKNOWN_TIME), default=UNKNOWN_TIME)


class Collector:
    """Sessions in the order in which they first occur; problems in the order of their lines.
    `session` is the one that a line belongs to where it names none, `line` the one that is read,
    `folder` the name of the folder that the file is in."""

    def __init__(self, path: str, session: str) -> None:
        self.session, self.line = session, 0
        self.folder = PurePosixPath(path).parent.name
        self._path = path
        self._sessions: dict[str, _Session] = {}
        self._problems: list[Problem] = []
        self._strange_roles: set[str] = set()
        self._seen: set[str] = set()

    def is_new(self, key: str) -> bool:
        """Return whether a key comes for the first time; none at all is always new."""
        known = bool(key) and key in self._seen
        self._seen.add(key)
        return not known

    def open(self, session_id: str, *, group: str = "", title: str = "", time: str = "") -> None:
        """Begin a session, or say more about one; what is known already stands."""
        session = self._sessions.setdefault(session_id, _Session())
        session.group = session.group or group
        session.title = session.title or title.strip()
        if session.started_at == UNKNOWN_TIME and time:
            session.started_at = time

    def problem(self, said: str | Problem, *, warning: bool = False) -> None:
        """Note what could not be read, or only in part."""
        if isinstance(said, str):
            said = Problem(self._path, said, "warning" if warning else "error", self.line)
        self._problems.append(said)

    @contextmanager
    def reading(self, where: str = "") -> Generator[None]:
        """Note what makes the block raise InvalidInput as a problem of the line, or of `where`."""
        try:
            yield
        except InvalidInput as error:
            self.problem(f"{where}: {error}" if where else str(error))

    def time(self, value: object) -> str:
        """Return `value` as an instant; a time that cannot be read is a warning and unknown."""
        try:
            return read_time(value)
        except InvalidInput as error:
            self.problem(str(error), warning=True)
            return UNKNOWN_TIME

    def role(self, written: str) -> Role:
        """Return the role that `written` means; an unknown one is a warning, once, and `other`."""
        known = _ROLES.get(written.lower())
        if known is None and written not in self._strange_roles:
            self._strange_roles.add(written)
            self.problem(f"the role {written!r} is not known; it is read as other", warning=True)
        return known or "other"

    def message(
        self,
        session_id: str,
        content: Content,
        *,
        role: Role,
        speaker: str = "",
        time: str = UNKNOWN_TIME,
        offset: int = 0,
    ) -> None:
        """Add what a message says and shows; the session is there even if that is nothing.
        `offset` stands where it goes up."""
        self.open(session_id)
        turns = self._sessions[session_id].turns
        said = "\n\n".join(content.speech).replace("\0", "").strip()
        caption = "; ".join(content.captions).replace("\0", "").strip()
        last = turns[-1].offset if turns else 0
        if said or caption:
            turns.append(
                Turn(
                    session_id=session_id,
                    offset=offset if last < offset <= _LAST_OFFSET else last + 1,
                    speaker=speaker.strip() or role,
                    role=role,
                    text=said,
                    time=time,
                    caption=caption,
                    line=self.line,
                )
            )

    def sessions(self, format_name: str) -> Sessions:
        """Return everything, frozen."""
        transcripts = (
            Transcript(
                session_id=session_id,
                group=session.group or session_id,
                title=session.title,
                started_at=session.began(),
                turns=tuple(session.turns),
            )
            for session_id, session in self._sessions.items()
        )
        return Sessions(
            format=format_name, transcripts=tuple(transcripts), problems=tuple(self._problems)
        )
