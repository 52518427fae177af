"""Numbers about the question as a whole: the inputs of an answer's confidence."""

from collections.abc import Sequence

import numpy as np

from quipu.index import bm25
from quipu.ports import Embedded, Frequencies, Planner
from quipu.question import Question
from quipu.records.mentions import key_words
from quipu.records.plan import Plan, named_keys
from quipu.retrieve.rank import Candidate

__all__ = ["read_signals"]

_FIRST = 5


def read_signals(
    plan: Plan,
    question: Question,
    vectors: Embedded | None,
    ranked: Sequence[Candidate],
    planner: Planner,
) -> dict[str, float]:
    """`score1` raw score of the first passage, `cos1` best cosine among the seeds, `mslow` the
    least matched window of the question over the first five, `miss` the largest idf share of a
    question word that none of them holds, `nfound` the share of the question's names that the
    store knows (1 when it has none). Without vectors `cos1` and `mslow` are absent."""
    signals = {"score1": ranked[0].raw if ranked else 0.0, "nfound": _names_found(plan, question)}
    first = ranked[:_FIRST]
    numbers = np.array([candidate.number for candidate in first], dtype=np.int64)
    signals["miss"] = _missed(question, numbers, planner)
    if vectors is None or plan.space is None or not first:
        return signals
    signals["cos1"] = max(plan.scale.get(k, 0.0) for k in ("passage", "code passage", "turn"))
    rows = [planner.vectors(numbers, plan.space), *planner.parts(numbers, plan.space)]
    matched = vectors.parts @ np.concatenate([row for row in rows if row.size]).T
    signals["mslow"] = float(matched.max(axis=1, initial=0.0).min(initial=1.0))
    return signals


def _names_found(plan: Plan, question: Question) -> float:
    if not question.name_keys:
        return 1.0
    known = named_keys(plan.anchors)
    found = sum(" ".join(key_words(name)) in known for name in question.name_keys)
    return found / len(question.name_keys)


def _missed(question: Question, numbers: np.ndarray, planner: Planner) -> float:
    """Words are looked for as prose and as code, in turns as what was said."""
    if len(numbers) and (turns := planner.frequencies("turn", question.stems, numbers)).tf.any():
        present = (turns.tf > 0).any(axis=0)
        said = np.array([bm25.idf(df, max(turns.count, df)) for df in turns.df.tolist()])
        return _largest(np.where(present, 0.0, said), turns.count)
    prose = planner.frequencies("prose", question.stems, numbers)
    parts = list(dict.fromkeys(part for each in question.stem_parts for part in each))
    code = planner.frequencies("code", parts, numbers)
    in_code, code_df = _of_whole(question, parts, code)
    present = (prose.tf > 0).any(axis=0) | in_code
    count = max(prose.count + code.count, 1)
    idf = np.array(
        [bm25.idf(a + b, count) for a, b in zip(prose.df.tolist(), code_df, strict=True)]
    )
    return _largest(np.where(present, 0.0, idf), count)


def _of_whole(
    question: Question, parts: Sequence[str], code: Frequencies
) -> tuple[np.ndarray, list[int]]:
    """Which of the question's stems some passage of code holds, and in how many any does: code
    is indexed by the parts of its identifiers, and holds one that has them all."""
    place = {part: i for i, part in enumerate(parts)}
    columns = [[place[part] for part in each] for each in question.stem_parts]
    present = [bool((code.tf[:, each] > 0).all(axis=1).any()) for each in columns]
    df = code.df.tolist()
    return np.array(present, dtype=np.bool_), [min(df[i] for i in each) for each in columns]


def _largest(missed: np.ndarray, count: int) -> float:
    return float(min(1.0, missed.max(initial=0.0) / np.log(1 + max(count, 1))))
