"""Conversations that tests tell a memory, and the clock by which they do."""

from collections.abc import Sequence

from quipu.answer.examine import violations
from quipu.kinds.conversations.model import Role, Transcript, Turn
from quipu.memory import Memory
from quipu.records.reply import Reply
from quipu.when.instants import UNKNOWN_TIME

__all__ = ["Clock", "ask", "transcript"]


class Clock:
    """Stands until it is set."""

    now = "2026-01-05T10:00:00.000Z"

    def __call__(self) -> str:
        """The time that it shows."""
        return self.now


def transcript(
    session: str,
    said: Sequence[tuple[str, str]],
    *,
    group: str = "",
    role: Role | None = None,
    time: str = UNKNOWN_TIME,
) -> Transcript:
    """What speakers said in a session, turn by turn; `{n}` in `time` is the number of the turn.
    Who is called "assistant" is one, others are users, unless a `role` is given for all."""
    turns = tuple(
        Turn(
            session_id=session,
            offset=n,
            speaker=who,
            role=role or ("assistant" if who == "assistant" else "user"),
            text=text,
            time=time.format(n=n),
        )
        for n, (who, text) in enumerate(said, 1)
    )
    return Transcript(session_id=session, group=group or session, turns=turns)


def ask(memory: Memory, question: str) -> Reply:
    """What is answered, which keeps the contract."""
    reply = memory.ask(question)
    assert violations(reply, memory.store) == []
    return reply
