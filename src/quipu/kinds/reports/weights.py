"""The numbers that rank reports, rounded by hand (docs/explanation/global.md).

There is no labelled set of questions about everything, so none of them is fitted.
"""

from dataclasses import dataclass

__all__ = ["REPORTS", "ReportWeights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWeights:
    """score = lexical + similarity + name + size, each part times its weight; of a question
    about everything about_all + size. A report below `least` in lexical and `near` in similarity
    is not about the question at all."""

    lexical: float = 0.55
    similarity: float = 0.25
    name: float = 0.15
    size: float = 0.05
    about_all: float = 0.6
    about_all_size: float = 0.4
    least: float = 0.01
    near: float = 0.35
    k: float = 1.5
    """BM25's k1, without its length: reports are of one length."""
    most: int = 20


REPORTS = ReportWeights()
