"""What a transcript is once it is read: who said what, in which order, and when.

Turns are what people and assistants said to each other. What happened between them is left out:
tool calls and their results, thoughts, notices of the program.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from quipu.records.document import Problem
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["ROLES", "Role", "Sessions", "Transcript", "Turn"]

Role: TypeAlias = Literal["user", "assistant", "system", "note", "other"]
ROLES: frozenset[str] = frozenset(get_args(Role))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said. `offset` counts from 1 within its session and never changes while the
    transcript grows; `line` is where it stands in the file (0 where a file has no lines).

    `time` is an instant, UNKNOWN_TIME where the transcript does not say. `caption` describes
    pictures and attachments; `speaker` is a name, or the role where there is none.
    """

    session_id: str
    offset: int
    speaker: str
    role: Role
    text: str
    time: str = UNKNOWN_TIME
    caption: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """One session. `group` is the conversation it belongs to: itself, unless its source says
    that several sessions are one conversation. `events` counts for nothing and goes in the next
    version."""

    session_id: str
    group: str
    title: str = ""
    started_at: str = UNKNOWN_TIME
    turns: tuple[Turn, ...] = ()
    events: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """What one file holds: its format's name, its sessions in order, what could not be read."""

    format: str
    transcripts: tuple[Transcript, ...]
    problems: tuple[Problem, ...] = ()
