"""How much was said of what is asked, and whose statement the answer would rest on.

"When did Ann adopt a dog?" has no answer when Bo adopted it, however well the words match. Turns
*about* the named speaker are compared with those about others: a turn is about who says it, unless
it says "you" and never "I"; and, where more than two speak, about whom it names without calling
upon them ("Jonas is booked in for Tuesday"). Names are taken out of the question first.
"""

import re
from collections.abc import Collection, Sequence

import numpy as np

from quipu.index import bm25
from quipu.index.asked import question_vectors
from quipu.kinds.conversations.columns import name_hash, read_turns
from quipu.kinds.conversations.score import named_speakers, telling_stems
from quipu.ports import Embedder, Planner
from quipu.question import Question, read_question
from quipu.records.passage import SPOKEN
from quipu.retrieve.kinds import Signals
from quipu.retrieve.rank import Candidate
from quipu.text import tokens
from quipu.when import dateless

__all__ = ["SIGNALS", "attribution"]

_LOOKED_AT = 100
_BEST, _OTHERS = 3, 2
_COSINE, _WORDS, _ASKS = 0.4, 0.6, 0.15
_CLIP = 0.4
_PAIR = 2
_CALLED_BEFORE = re.compile(
    r"(?:^|[,.!?:;\n–-])\s*(?:(?:hi|hey|hello|thanks|thank you|ok|okay|yes|no|sorry|oh|dear)\s+)?$",
    re.IGNORECASE,
)
_CALLED_AFTER = re.compile(r"\s*(?:[,!?.:;–-]|$)")


def attribution(
    question: Question,
    ranked: Sequence[Candidate],
    planner: Planner,
    embedder: Embedder | None,
    space: str | None,
) -> dict[str, float]:
    """`said`: how much the best turn says of what is asked; nothing where the first passage is no
    turn. Where the question names exactly one speaker, `said` counts the turns about that one,
    and `attributed` and `misattributed` are how much those say more, or less (≤ 0), than the best
    about others, where there are two."""
    if not ranked or ranked[0].profile != SPOKEN:
        return {}
    question = read_question(dateless(question.text))
    turns = [c for c in ranked if c.profile == SPOKEN][:_LOOKED_AT]
    numbers = np.array([c.number for c in turns], dtype=np.int64)
    rows = read_turns(planner.columns(numbers))
    named = named_speakers(question, rows)
    one = named[0] if len(named) == 1 else None
    found = planner.frequencies("turn", telling_stems(question, rows), numbers)
    idf = np.array([bm25.idf(df, max(found.count, df)) for df in found.df.tolist()])
    coverage = (found.tf > 0) @ idf / max(float(idf.sum()), 1e-9)
    score = _WORDS * coverage - _ASKS * rows["asks"]
    if embedder is not None and space is not None and space == embedder.space:
        bare = _without(question.text, named)
        vector = question_vectors(embedder, bare).vector
        score = score + _COSINE * (planner.vectors(numbers, space) @ vector)
    if one is None:
        return {"said": float(score.max())}
    about = (rows["first_name"] == one) ^ (rows["about_other"] > 0)
    if len(np.unique(rows["first_name"])) > _PAIR:
        name = next(t.word for t in tokens(question.text) if name_hash(t.word) == one)
        others = planner.chunks(numbers[~about])
        about[~about] = [_names(chunk.text, name) for chunk in others]
    said = float(score[about].max(initial=0.0))
    if np.count_nonzero(~about) < _OTHERS:  # where hardly anybody else speaks it tells nothing
        return {"said": said}
    gap = float(np.clip(_best(score[about]) - _best(score[~about]), -_CLIP, _CLIP))
    return {"said": said, "attributed": max(gap, 0.0), "misattributed": min(gap, 0.0)}


def _names(text: str, name: str) -> bool:
    """Whether a text names somebody, and does not only call upon them: "hi Jonas!", "you see,
    Jonas?"."""
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        before, after = text[: match.start()], text[match.end() :]
        if not (_CALLED_BEFORE.search(before) and _CALLED_AFTER.match(after)):
            return True
    return False


def _best(scores: np.ndarray) -> float:
    return float(np.sort(scores)[-_BEST:].mean()) if len(scores) else 0.0


def _without(text: str, first_names: Collection[int]) -> str:
    """The question without the names, and without what belongs to them ('s)."""
    kept, last = "", 0
    for token in tokens(text):
        if name_hash(token.word) in first_names:
            kept, last = kept + text[last : token.start], token.end
    return " ".join((kept + text[last:]).split()) or text


class Attribution(Signals):
    """`attribution` as a part of the kind."""

    def read(
        self,
        question: Question,
        ranked: Sequence[Candidate],
        planner: Planner,
        embedder: Embedder | None,
        space: str | None,
    ) -> dict[str, float]:
        """See `attribution`."""
        return attribution(question, ranked, planner, embedder, space)


SIGNALS = Attribution()
