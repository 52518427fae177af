"""Commits: what was changed, when, and what was said of it.

The words of the message with its title twice, the words of the paths it touched, and in the
columns its time, its files and the commits that it cites. A commit is ranked among those that
stood when the question is asked (`kinds/commits/features.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

from quipu.index.columns import pack
from quipu.kinds.commits.features import CURVE
from quipu.kinds.commits.history import pack_commit
from quipu.kinds.commits.model import file_terms, message_terms, title_of, words_of
from quipu.profiles import Profile
from quipu.records.batch import IndexedChunk, Terms
from quipu.records.record import Chunk
from quipu.when.instants import to_epoch

__all__ = ["MOST_FILES", "NAME", "PROFILE", "heading"]

NAME = "commit"
EVERY = "*"
MOST_FILES = 300
_MOST_CITES = 100
_LEAST = 1e-12
_ASIDE = 0.01


def heading(
    *,
    repository: str,
    sha: str,
    author: str,
    time: str,
    fixes: Sequence[str],
    cites: Sequence[str],
    files: Sequence[str],
) -> tuple[str, ...]:
    """A commit's `heading_path`: all that ranking knows of it besides its message. At most 300
    files are named; how many there were is said. It cites `fixes` for what they broke."""
    cited = (" ".join(each[:_MOST_CITES]) for each in (fixes, cites))
    return (repository, sha, author, time, *cited, str(len(files)), *files[:MOST_FILES])


def index_chunk(chunk: Chunk) -> IndexedChunk:
    """Return a commit's fields "commit" (words, title twice), "commit-path" and "commit-of" (every
    commit), and the packed columns."""
    repository, sha, _, time, fixes, cites, touched, *files = chunk.heading_path
    said = (chunk.text, title_of(chunk.text))
    words = [term for text in said for term in message_terms(words_of(text))]
    paths = file_terms(files)
    fields: dict[str, Terms] = {
        "commit": dict(Counter(words)),
        "commit-path": dict(Counter(paths)),
        "commit-of": {EVERY: 1},
    }
    tail = pack_commit(
        repository=repository,
        sha=sha,
        time=to_epoch(time),
        words=len(words),
        path_words=len(paths),
        files=files,
        touched=int(touched),
        cites=[*fixes.split(), *cites.split()],
    )
    return IndexedChunk(
        chunk=chunk,
        fields={name: terms for name, terms in fields.items() if terms},
        columns=pack([], [], tail),
    )


def embedding_text(chunk: Chunk) -> tuple[str, list[tuple[int, int]]]:
    """The message, and the span of its title."""
    title = title_of(chunk.text)
    start = chunk.text.find(title)
    return chunk.text, [(start, start + len(title))] if title else []


def score(parts: Mapping[str, float]) -> float:
    """The log-odds of the chance that the commit is the one that is asked for. Where no change
    is asked about (the part `aside`) the best of a history is likely none: a hundredth of it."""
    share = _ASIDE if parts.get("aside") else 1.0
    chance = min(max(parts.get("chance", 0.0) * share, _LEAST), 1 - _LEAST)
    return log(chance / (1 - chance))


PROFILE = Profile(
    name=NAME,
    index_chunk=index_chunk,
    embedding_text=embedding_text,
    score=score,
    calibration=CURVE,
    cosine="commit",
)
