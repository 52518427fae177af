"""How much text costs, how it is cut, and what of a list fits into what may be spent.

Packs, recall, the brief and the prompt index all choose by `within`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from quipu.text import sentences

__all__ = ["CHARACTERS_A_TOKEN", "cut", "tokens", "within"]

CHARACTERS_A_TOKEN = 4
"""An estimate for English text; no model's tokenizer is asked."""

T = TypeVar("T")


def tokens(text: str) -> int:
    """About how many tokens `text` costs a language model."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def within(
    items: Iterable[T],
    room: int,
    cost: Callable[[T, Sequence[T]], int],
    *,
    shrink: Callable[[T, int], T | None] = lambda _item, _over: None,
    first_always: bool = False,
) -> tuple[list[T], int]:
    """The items that fit into `room`, in their order, and how many do not.

    `cost` is told what was chosen before; `shrink` makes an item cheaper by so much, if it can.
    With `first_always` the first one is chosen whatever it costs.
    """
    chosen: list[T] = []
    left_out = 0
    for item in items:
        fitting: T | None = item
        over = cost(item, chosen) - room
        if over > 0 and not (first_always and not chosen):
            fitting = shrink(item, over)
        if fitting is None:
            left_out += 1
            continue
        room -= cost(fitting, chosen)
        chosen.append(fitting)
    return chosen, left_out


def cut(text: str, limit: int) -> str:
    """`text` within `limit` characters, cut after a sentence if one ends in its second half,
    else at a word, and marked with an ellipsis."""
    if len(text) <= limit:
        return text
    if limit < 2:
        return "…"[:limit]
    room = text[: limit - 1]
    ends = [end for _, end in sentences(room[: limit - 1]) if end > limit // 2]
    complete = [end for end in ends if room[end - 1] in ".!?\"')"]
    if complete:
        return f"{room[: complete[-1]]}…"
    word = room.rsplit(None, 1)[0] if len(room.split(None, 1)) > 1 else room
    return f"{word if len(word) > limit // 2 else room}…"
