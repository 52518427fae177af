"""Prose: passages of documents, wikis, READMEs, notes.

Words are Snowball stems with the title counted twice; names are read by rule; sentences get
late-chunked vectors from the passage's own pass.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from quipu.index.columns import pack
from quipu.index.times import pack_times
from quipu.language import language_of
from quipu.profiles import Profile
from quipu.records.batch import IndexedChunk, Terms
from quipu.records.mentions import find_mentions, key_words, title_runs, whole_titles
from quipu.records.record import Chunk
from quipu.records.weights import PROSE, base
from quipu.retrieve.rank import off_time
from quipu.text import STOP_WORDS, other_stems, sentences, stem_words, stems, tokens

__all__ = ["PROFILE", "index_chunk", "title_terms"]

_TITLE_TIMES = 2
_LEAST_SENTENCE = 20

_STOP_WORD_WEIGHT = 0.1
_LONGEST_TITLE = 12


def index_chunk(chunk: Chunk) -> IndexedChunk:
    """The fields "prose" (stems), "title" (runs) and "name" (keys), and the packed columns, which
    end with the times that the text names."""
    words = tokens(chunk.text)
    telling = [token for token in words if token.word not in STOP_WORDS and token.word]
    content = [(token.start, token.word) for token in telling]
    terms = Counter(stem_words([word for _, word in content]))
    terms.update(other_stems(chunk.text, telling))
    for stem in stems(chunk.title) if language_of(chunk.text) else _plain_stems(chunk.title):
        terms[stem] += _TITLE_TIMES
    mentions = find_mentions(chunk.text, words)
    return IndexedChunk(
        chunk=chunk,
        fields={
            "prose": dict(terms),
            "title": title_terms(chunk.title),
            "name": dict(Counter([mention.key for mention in mentions])),
        },
        columns=pack(content, mentions, pack_times(chunk.title, chunk.text)),
    )


def _plain_stems(title: str) -> list[str]:
    """Those of a title in an English text, which may be a foreign name."""
    return stem_words([token.word for token in tokens(title) if token.word not in STOP_WORDS])


def embedding_text(chunk: Chunk) -> tuple[str, list[tuple[int, int]]]:
    """`title: text`, and the spans of the text's sentences; very short ones join the one
    before."""
    head = f"{chunk.title}: " if chunk.title else ""
    spans: list[tuple[int, int]] = []
    for start, end in sentences(chunk.text):
        if spans and end - start < _LEAST_SENTENCE:
            spans[-1] = (spans[-1][0], end + len(head))
        else:
            spans.append((start + len(head), end + len(head)))
    return head + chunk.text, spans


def score(parts: Mapping[str, float]) -> float:
    """The weighted sum of similarity, lexical and name, and what the graph adds to it; less what it
    loses where the question names a time."""
    own = base(
        PROSE,
        parts.get("similarity", 0.0),
        parts.get("lexical", 0.0),
        parts.get("name", 0.0),
    )
    return own + PROSE.graph_proximity * parts.get("graph_proximity", 0.0) - off_time(parts)


PROFILE = Profile(
    name="prose",
    index_chunk=index_chunk,
    embedding_text=embedding_text,
    score=score,
    calibration=PROSE.calibration,
    words_alone=PROSE.words_alone,
    cosine="passage",
)


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
