"""Passages of files change places among themselves by how well they fit the question.

The first score asks how near a passage is to the question in words, meaning and names; among prose
alone that finds what a question over several passages needs. Where code stands beside prose, which
file is meant is told better by how much of the question a passage and its title hold, and by what
the file is for:

    fit = log-odds + words · share of the question's words in the passage or its title
          + title · share of them in the title + the weight of the file's role

Words are weighed by how rare they are among the passages compared. The places that files hold stay
theirs, and so does the score of each place: it says how likely the first, the second … passage of
such a list is relevant.
"""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from quipu.ports import Planner
from quipu.question import Question, versions_in
from quipu.records.record import Chunk, Episode
from quipu.records.role import Role, role_of
from quipu.records.weights import BOUNDS, FILES
from quipu.retrieve.rank import Candidate, logit, raw_of
from quipu.text import split_identifier, stems

__all__ = ["by_file_fit"]

_PROFILES = frozenset({"prose", "code"})
_SHOWING: frozenset[Role] = frozenset({"documentation", "example"})
Floats = NDArray[np.float64]


def by_file_fit(
    question: Question, ranked: Sequence[Candidate], planner: Planner, scale: Mapping[str, float]
) -> list[Candidate]:
    """`ranked` with the passages of files among its first `BOUNDS.fitted` in the order of their
    fit, where code is among them. Ties keep their order."""
    found = list(ranked)
    at = [i for i, c in enumerate(found[: BOUNDS.fitted]) if c.profile in _PROFILES]
    if not question.stems or all(found[i].profile == "prose" for i in at):
        return found  # among prose alone nothing is read
    places, chunks, paths = _of_files(found, at, planner)
    here = [found[place] for place in places]
    if all(each.profile == "prose" for each in here):
        return found
    logits = np.array([logit(each, scale) for each in here])
    words, titles = _shares(question, here, chunks, planner)
    roles = _roles(question, here, chunks, paths)
    fit = logits + FILES.words * words + FILES.title * titles + roles
    order = sorted(range(len(here)), key=lambda i: (-round(float(fit[i]), 9), i))
    dealt = sorted(logits.tolist(), reverse=True)
    for place, odds, i in zip(places, dealt, order, strict=True):
        found[place] = _placed(here[i], odds, scale, float(words[i]), float(titles[i]))
    return found


def _roles(
    question: Question, here: Sequence[Candidate], chunks: Sequence[Chunk], paths: Sequence[str]
) -> Floats:
    """What each file's role weighs; a question about releases is answered by lists of them, how
    something is done by documentation and examples."""
    found: list[float] = []
    for path, each, chunk in zip(paths, here, chunks, strict=True):
        role = role_of(path, code=each.profile == "code")
        weight = FILES.roles[role]
        if role == "changelog" and question.of_releases:
            weight = FILES.released
            if not set(question.versions).isdisjoint(versions_in(chunk.title)):
                weight += FILES.version
        elif role in _SHOWING and question.of_doing:
            weight += FILES.showing
        found.append(weight)
    return np.array(found)


def _of_files(
    found: Sequence[Candidate], at: Sequence[int], planner: Planner
) -> tuple[list[int], list[Chunk], list[str]]:
    """The places of `at` that hold passages of files, those passages, and their paths."""
    chunks = planner.chunks(np.array([found[i].number for i in at], dtype=np.int64))
    episodes = planner.get(list(dict.fromkeys(chunk.episode_id for chunk in chunks)))
    places: list[int] = []
    kept: list[Chunk] = []
    paths: list[str] = []
    for place, chunk in zip(at, chunks, strict=True):
        episode = episodes.get(chunk.episode_id)
        if isinstance(episode, Episode) and episode.source_type == "file":
            places.append(place)
            kept.append(chunk)
            paths.append(episode.source_ref)
    return places, kept, paths


def _shares(
    question: Question, here: Sequence[Candidate], chunks: Sequence[Chunk], planner: Planner
) -> tuple[Floats, Floats]:
    """The shares of the question's words in each passage with its title, and in the title alone.

    A word weighs ln(1 + (1 + n) / (1 + how many of the n passages hold it)).
    """
    titled = [
        frozenset(stems(f"{chunk.title} {' '.join(split_identifier(chunk.title))}"))
        for chunk in chunks
    ]
    in_title = np.array([[stem in title for stem in question.stems] for title in titled])
    present = in_title | _present(question, here, planner)
    weights = np.log(1 + (1 + len(here)) / (1 + present.sum(axis=0)))
    total = float(weights.sum())
    return present @ weights / total, in_title @ weights / total


def _present(question: Question, here: Sequence[Candidate], planner: Planner) -> NDArray[np.bool_]:
    """bool[passages, stems]: which stems stand in which; code is indexed by the parts of its
    identifiers, and holds a word when it has all of its parts."""
    numbers = np.array([each.number for each in here], dtype=np.int64)
    prose = planner.frequencies("prose", question.stems, numbers).tf > 0
    parts = list(dict.fromkeys(part for each in question.stem_parts for part in each))
    code = planner.frequencies("code", parts, numbers).tf > 0
    column = {part: i for i, part in enumerate(parts)}
    whole = [
        code[:, [column[p] for p in each]].all(axis=1) & bool(each) for each in question.stem_parts
    ]
    return np.asarray(prose | np.stack(whole, axis=1), dtype=np.bool_)


def _placed(
    candidate: Candidate, odds: float, scale: Mapping[str, float], words: float, title: float
) -> Candidate:
    raw = raw_of(candidate.profile, odds, scale)
    parts = candidate.parts | {"words": words, "title": title}
    return msgspec.structs.replace(candidate, raw=raw, parts=parts)
