"""`contract check`: an answer from anywhere, held against the memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, cast

import msgspec

from quipu.answer.examine import Examined
from quipu.errors import InvalidInput
from quipu.memory import Memory
from quipu.serve.cli.layout import counted, cut, wrapped
from quipu.serve.cli.terminal import safe, style
from quipu.serve.operations import Command, Word, operation, standard_input

__all__ = ["check_lines"]


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


def check_lines(found: Examined) -> Iterator[str]:
    """The verdict, each piece of evidence, each sentence."""
    lost = sum(each.found == "not found" for each in found.sentences)
    reworded = sum(each.found == "reworded" for each in found.sentences)
    if found.ok and reworded:
        verdict = f"The contract holds. Read {counted(reworded, 'sentence')} in other words."
    elif found.ok:
        verdict = "The contract holds."
    elif lost and not found.errors and all(row.ok for row in found.evidence):
        verdict = f"The evidence is there, and does not say {counted(lost, 'sentence')}."
    else:
        verdict = "The contract does not hold."
    yield style(verdict, fg="green" if found.ok else "red")
    for error in found.errors:
        yield from wrapped(f"error: {safe(error, line=True)}", indent="  ")
    for row in found.evidence:
        mark = style("ok", fg="green") if row.ok else style("missing", fg="red")
        yield f"[{row.n}] {mark}  {safe(', '.join(row.file_paths), line=True)}"
        for error in row.errors:
            yield from wrapped(safe(error, line=True), indent="    ")
    for each in found.sentences:
        colour = {"not found": "red", "reworded": "yellow"}.get(each.found, "green")
        yield f"{style(each.found, fg=colour)}: {cut(safe(each.text, line=True), 88)}"
