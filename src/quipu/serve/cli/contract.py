"""`contract check`: an answer from anywhere, held against the memory."""

from pathlib import Path
from typing import Annotated, cast

import msgspec

from quipu.answer.examine import Examined
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.operations import Command, Word, operation, standard_input

__all__: list[str] = []


@operation("read", Command(fails=lambda found: not found.ok))
def check(memory: Memory, reply: Annotated[str, Word()]) -> Examined:
    """Check the answer in REPLY (JSON, - for standard input); exit code 1 when it does not hold.

    REPLY is an answer contract, or what `quipu ask --json` printed. Of each piece of evidence the
    paths, the graph ids, the excerpt and the hash are looked up in the memory and its folder. Each
    sentence of the answer is compared with what it cites: it is quoted, recorded (a cited record
    states it), reworded (a cited sentence has its names, numbers and most of its words), or not
    found. Only words are compared: what is reworded should be read.

    $ quipu contract check reply.json
    $ quipu contract check - < reply.json
    """
    return memory.check_contract(_read(reply))


def _read(reply: str) -> dict[str, object]:
    try:
        data = standard_input() if reply == "-" else Path(reply).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{reply!r} cannot be read: {error.strerror or error}") from error
    try:
        answer: object = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            f"{reply!r} is not JSON ({error}): give what `quipu ask --json` printed"
        ) from error
    if not isinstance(answer, dict):
        raise InvalidInput(f"{reply!r} is no JSON object: give what `quipu ask --json` printed")
    return cast("dict[str, object]", answer)
