"""How much text costs, and how it is cut to what may be spent."""

from quipu.text import sentences

__all__ = ["CHARACTERS_A_TOKEN", "cut", "tokens"]

CHARACTERS_A_TOKEN = 4
"""An estimate for English text; no model's tokenizer is asked."""


def tokens(text: str) -> int:
    """About how many tokens `text` costs a language model."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


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
