"""Whether what a turn says of a question is not so: wished for, only supposed, or denied at once.

"We want to have 500 members", "I'd pay him 600", "they say it is 1,500, which is nonsense" answer
no question about what is, however near they are to it; where a question asks for what is wanted
or would be, they may.
"""

import re

from quipu.extract.grammar import Sentence, read_sentences
from quipu.extract.grammar.clauses import is_hypothetical, taken_back
from quipu.extract.statements import sentence_spans
from quipu.ports import ReadLayers
from quipu.text import stems

__all__ = ["asks_what_is", "is_supposed"]

_WISHED = frozenset("want wish hope dream".split())
_ASKS_WISHED = re.compile(
    r"\b(?:wants?|wanted|wish\w*|hop(?:e|es|ed|ing)|dream\w*|would|could|might|should|may|plan\w*|"
    r"if|consider\w*|think\w*|propos\w*|suggest\w*|like)\b|['’]d\b",
    re.IGNORECASE,
)
_SAYING = frozenset("say tell ask mention add".split())
_VERBS = frozenset({"VERB", "AUX"})


def asks_what_is(question: str) -> bool:
    """Whether a question asks for what is so, not for what is wanted or would be."""
    return _ASKS_WISHED.search(question) is None


def is_supposed(question: str, text: str, read: ReadLayers) -> bool:
    """Whether the sentences of `text` that say most of `question` tell of nothing that is so. A
    text of several that say as much is none where one of them tells it."""
    asked = frozenset(stems(question))
    sentences = read_sentences(text, read, list(sentence_spans(text)))
    said = [len(asked & frozenset(stems(text[s.whole.start : s.whole.end]))) for s in sentences]
    denied = taken_back([each.whole for each in sentences])
    best = [s for s, count in zip(sentences, said, strict=True) if count == max(said)]
    return bool(best) and all(
        any(start <= each.whole.start < end for start, end in denied)
        or all(map(_is_wished, each.clauses))
        for each in best
    )


def _is_wished(clause: Sentence) -> bool:
    """Whether a clause is a wish, or tells what would or might be."""
    tokens, root = clause.tokens, clause.root
    if tokens[root].tag not in _VERBS or tokens[-1].form == "?":
        return False
    governed = [c for c in clause.under[root] if tokens[c].label in ("xcomp", "ccomp")]
    wished = any(tokens[c].tag in _VERBS and tokens[c].lemma not in _SAYING for c in governed)
    heads = {token.head for token in tokens if token.label.startswith("nsubj")}
    alone = heads <= {root, *governed}  # not "he wants me to change it, it's sherry now"
    return (wished and alone and tokens[root].lemma in _WISHED) or is_hypothetical(clause)
