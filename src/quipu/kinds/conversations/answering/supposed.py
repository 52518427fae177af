"""Whether what a turn says of a question is not so: wished for, only supposed, or denied at once.

"We want to have 500 members", "I'd pay him 600", "they say it is 1,500, which is nonsense" answer
no question about what is, however near they are to it; where a question asks for what is wanted
or would be, they may.
"""

import re

from quipu.extract.statements import sentence_spans
from quipu.text import stems

__all__ = ["asks_what_is", "is_supposed"]

_ASKS_WISHED = re.compile(
    r"\b(?:wants?|wanted|wish\w*|hop(?:e|es|ed|ing)|dream\w*|would|could|might|should|may|plan\w*|"
    r"if|consider\w*|think\w*|propos\w*|suggest\w*|like)\b|['’]d\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"(?i:\b(?:want(?:s|ed)? to|wish(?:es)?|hop(?:e|es|ing) to|dream(?:s|ing)? of|would|might)\b"
    r"(?! (?:say|tell|ask|mention|add)\b)|['’]d\b|\bnonsense\b|\b(?:isn['’]t|not) true\b)|^If\b"
)


def asks_what_is(question: str) -> bool:
    """Whether a question asks for what is so, not for what is wanted or would be."""
    return _ASKS_WISHED.search(question) is None


def is_supposed(question: str, text: str) -> bool:
    """Whether the sentences of `text` that say most of `question` tell of nothing that is so. A
    text of several that say as much is none where one of them tells it."""
    asked = frozenset(stems(question))
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    said = [len(asked & frozenset(stems(each))) for each in sentences]
    best = [each for each, count in zip(sentences, said, strict=True) if count == max(said)]
    return bool(best) and all(_SUPPOSED.search(each) for each in best)
