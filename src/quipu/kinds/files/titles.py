"""The "title" field: every run of words of a title, with the share of the title it covers."""

from collections.abc import Sequence

from quipu.records.batch import Terms
from quipu.records.mentions import key_words, title_runs, whole_titles
from quipu.text import STOP_WORDS

_STOP_WORD_WEIGHT = 0.1
_LONGEST_TITLE = 12


def title_terms(title: str) -> Terms:
    """Runs of the title's words, each with the percentage of the title it covers.

    Words count alike and stop words a tenth, so the share needs no statistics of the corpus and
    never changes. The whole title is a run however long it is, up to twelve words.
    """
    words = key_words(title)
    total = sum(map(_weight, words))
    if not words:
        return {}
    shares = [_share(count, total) for count in range(len(words) + 1)]
    terms: Terms = {}
    for run in title_runs(words):
        plain = STOP_WORDS.isdisjoint(run)
        terms[" ".join(run)] = shares[len(run)] if plain else _percent(run, total)
    for whole in whole_titles(title):
        run = whole.split(" ")
        if len(run) <= _LONGEST_TITLE and whole not in terms:
            terms[whole] = _percent(run, total)
    return terms


def _percent(run: Sequence[str], total: float) -> int:
    return _share(sum(map(_weight, run)), total)


def _share(weight: float, total: float) -> int:
    return max(1, min(100, round(100 * weight / total)))


def _weight(word: str) -> float:
    return _STOP_WORD_WEIGHT if word in STOP_WORDS else 1.0
