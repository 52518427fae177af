"""Plain JSON lines, the format for everything that has no reader of its own: a line a turn.

| field | |
|---|---|
| `text` | what was said (required, unless there is a `caption`) |
| `speaker` or `role` | who said it: a name, or user, assistant, system (one is required) |
| `conv` | the conversation; several sessions may share one |
| `session` | the session within it |
| `turn` | its number within the session, from 1; counted where it is missing or does not go up |
| `time`, `session_time` | when: ISO, seconds since 1970, or an English date |
| `caption` or `image_caption` | what a picture or an attachment shows |

Other fields are passed over.
"""

from quipu.errors import InvalidInput
from quipu.kinds.conversations.model import Sessions
from quipu.kinds.conversations.read.collect import Collector
from quipu.kinds.conversations.read.values import Json, shown, text
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["NAME", "is_plain", "read_plain"]

NAME = "jsonl"


def is_plain(line: Json) -> bool:
    """Whether a line has the fields of this format."""
    named = isinstance(line.get("speaker"), str) or isinstance(line.get("role"), str)
    return named and ("text" in line or "caption" in line)


def read_plain(path: str, data: bytes, *, stem: str) -> Sessions:
    """Every session in the lines, in the order in which they begin."""
    collector = Collector(path)
    for number, line in collector.lines(data):
        with collector.reading(number):
            _read_line(collector, line, number, stem)
    return collector.sessions(NAME)


def _read_line(collector: Collector, line: Json, number: int, stem: str) -> None:
    said, caption = line.get("text", ""), text(line, "caption", "image_caption")
    if not isinstance(said, str):
        raise InvalidInput(f"text is {shown(said)}, not text")
    if not said.strip() and not caption:
        raise InvalidInput("the line has neither text nor caption")
    speaker, written = text(line, "speaker"), text(line, "role")
    if not speaker and not written:
        raise InvalidInput("the line says neither speaker nor role")
    conversation, session = text(line, "conv"), text(line, "session")
    name = "/".join(part for part in (conversation, session) if part) or stem
    began = collector.time(line.get("session_time"), number)
    collector.open(name, group=conversation, time="" if began == UNKNOWN_TIME else began)
    time = collector.time(line.get("time"), number) if line.get("time") else began
    turn = line.get("turn")
    collector.turn(
        name,
        role=collector.role(written, number) if written else "other",
        text=said,
        speaker=speaker,
        time=time,
        caption=caption,
        line=number,
        offset=turn if isinstance(turn, int) and not isinstance(turn, bool) else 0,
    )
