"""What a community is called: the names in it that are most its own, and the folder it lies in."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from quipu.kinds.reports.model import NamedIn
from quipu.kinds.reports.reflect.communities import Community
from quipu.kinds.reports.reflect.mentioned import WORD, is_name
from quipu.kinds.reports.reflect.network import EntityNetwork
from quipu.records.ids import name_key
from quipu.records.record import Chunk, Entity
from quipu.records.refs import SESSION_PREFIX
from quipu.text import STOP_WORDS, fold, looks_like_identifier, stem
from quipu.text import name_key as folded

__all__ = ["Topic", "place_of", "title_of", "topics_of", "topics_written"]

_MOST = 40
_SHOWN = 12
_IN_TITLE = 3
_UNNAMED = "unnamed"
_LEAST_TELLING = 0.5
_FOREIGN = 0.5
_LONGEST_TITLE = 48
_SHARE = 0.6
_PIECE = re.compile(r"[^\W\d_]{3,}")
_PLAIN = frozenset({".md", ".rst", ".txt"})
# Folders and endings that say how code is kept, not what it does.
_KEPT = STOP_WORDS | frozenset(
    """src lib libs app apps pkg packages package main init index test tests docs doc md py rst txt
    js ts tsx jsx go rs java rb php sh toml yaml yml json html css cfg ini lock misc util utils
    common core base helper helpers session explanation reference how""".split()
)


class Topic(NamedTuple):
    """A name of a community before it is written: its node, and how much it is its own."""

    node: str
    weight: float


class Labelled(NamedTuple):
    """A title, the sources that its words were read from, and the place."""

    title: str
    place: str
    witnesses: tuple[str, ...]


def topics_of(
    community: Community,
    network: EntityNetwork,
    inside: Mapping[str, int],
    documents: frozenset[str],
) -> list[Topic]:
    """The names and words of a community, the most its own first: the strength of their ties
    times the share of the units that mention them which are the community's. `inside` counts
    these. Symbols that others refer to are among them."""
    found = [
        Topic(node, strength * _own(node, network, inside))
        for node, strength in community.members
        if node in network.mentioned_in
    ]
    strongest = max((topic.weight for topic in found), default=1.0)
    most = max((n for home, n in network.symbols.values() if home in documents), default=1)
    found += [
        Topic(symbol, strongest * math.log1p(n) / math.log1p(most))
        for symbol, (home, n) in network.symbols.items()
        if home in documents and n > 1
    ]
    return sorted(found, key=lambda t: (-round(t.weight, 6), t.node))[:_MOST]


def _own(node: str, network: EntityNetwork, inside: Mapping[str, int]) -> float:
    return min(inside.get(node, 0) / max(network.mentioned_in[node], 1), 1.0)


def topics_written(
    topics: Sequence[Topic],
    written: Mapping[str, str],
    symbols: Mapping[str, Entity],
    passages: Mapping[str, tuple[Chunk, str]],
    homes: Mapping[str, tuple[str, str]],
) -> list[NamedIn]:
    """The topics as they are written, each once, at most twelve.

    `passages` are a passage and its source for each name, `homes` the document and source of
    each symbol. What is plainly a name comes before words, and where code is defined what is
    defined before what is used.
    """
    found: dict[str, tuple[float, NamedIn]] = {}
    for topic in topics:
        shown = _shown(topic, written, symbols, passages, homes)
        if shown is None:
            continue
        key = folded(shown.name).replace("_", "")
        worth = _worth(topic, shown) * (1.0 if topic.node in symbols or not symbols else _FOREIGN)
        if key not in found or found[key][0] < worth:
            found[key] = (worth, shown)
    ranked = sorted(found.values(), key=lambda f: (-round(f[0], 6), f[1].name))
    kept: list[NamedIn] = []
    for _, shown in ranked:
        words = _words(shown.name)
        if not any(words <= _words(k.name) or _words(k.name) <= words for k in kept):
            kept.append(shown)
    return kept[:_SHOWN]


def _words(name: str) -> frozenset[str]:
    return frozenset(folded(name).replace(".", " ").split())


def _shown(
    topic: Topic,
    written: Mapping[str, str],
    symbols: Mapping[str, Entity],
    passages: Mapping[str, tuple[Chunk, str]],
    homes: Mapping[str, tuple[str, str]],
) -> NamedIn | None:
    if symbol := symbols.get(topic.node):
        document, ref = homes[topic.node]
        return NamedIn(name=symbol.name, entity_id=topic.node, document_id=document, source_ref=ref)
    if topic.node not in passages:
        return None
    chunk, ref = passages[topic.node]
    if topic.node.startswith(WORD):
        name, entity_id = written[topic.node], ""
    else:
        key = name_key(topic.node) or ""
        name, entity_id = _as_written(key, chunk.text), topic.node
    return NamedIn(name=name, entity_id=entity_id, document_id=chunk.document_id, source_ref=ref)


def _as_written(key: str, text: str) -> str:
    """A name as the passage writes it, or its key."""
    pattern = r"[\s\-–]+".join(re.escape(word) for word in key.split())
    found = re.search(rf"(?<!\w){pattern}(?!\w)", fold(text), re.IGNORECASE)
    return " ".join(text[found.start() : found.end()].split()) if found else key


def _worth(topic: Topic, shown: NamedIn) -> float:
    """The weight, less for what does not look like a name."""
    return topic.weight if not shown.entity_id else _clarity(shown.name) * topic.weight


def _clarity(name: str) -> float:
    """1 for what is written as a name, less for other words and for the small parts of code."""
    if name.startswith("_"):
        return 0.2
    if name.isupper() or "." in name or (name.islower() and " " not in name):
        return 0.5 if looks_like_identifier(name) else 0.3
    return 1.0


def title_of(
    names: Sequence[NamedIn],
    documents: Sequence[Entity],
    refs: Mapping[str, str],
    frequencies: Mapping[str, int],
    total: int,
) -> Labelled:
    """What to call a community of `documents`: up to two words that its paths and titles share
    and others' do not, then its first names. `frequencies` counts such words over all `total`
    documents; `refs` are the sources of documents."""
    named = {stem(w) for n in names[:_IN_TITLE] for w in folded(n.name).split()}
    words = [w for w in _path_words(documents, frequencies, total) if stem(w) not in named]
    said = {folded(word) for word in words}
    others = [n for n in names if folded(n.name) not in said]
    telling = [n for n in others if not n.entity_id or _clarity(n.name) == 1]
    shown = (telling or others)[: _IN_TITLE + (not words)]
    place, at_place = place_of([refs[d.entity_id] for d in documents])
    titled = [] if words else _titled(documents)
    if titled:
        head, shown = "; ".join(d.name for d in titled), []
    else:
        head = " and ".join(words)
    tail = ", ".join(n.name for n in shown)
    title = f"{head[:1].upper()}{head[1:]}: {tail}" if head and tail else head or tail
    read_from = [refs[d.entity_id] for d in titled]
    read_from += [next(refs[d.entity_id] for d in documents if w in words_of(d)) for w in words]
    return Labelled(
        f"{title[:1].upper()}{title[1:]}" if title.islower() else title or place or _UNNAMED,
        place,
        tuple(dict.fromkeys((*read_from, *at_place))),
    )


def _titled(documents: Sequence[Entity]) -> list[Entity]:
    """The two most central documents, where most have a title that is no path; else none."""
    own = [
        d
        for d in documents
        if d.name != d.properties.get("file_path") and not d.name.startswith(SESSION_PREFIX)
    ]
    if 2 * len(own) <= len(documents):
        return []
    return [d for d in own if len(d.name) <= _LONGEST_TITLE][:2]


def _path_words(
    documents: Sequence[Entity], frequencies: Mapping[str, int], total: int
) -> list[str]:
    inside = Counter(word for document in documents for word in words_of(document))
    least = max(2.0, 0.2 * len(documents))
    scores = {
        word: n * (n / frequencies[word]) * math.log((total + 1) / frequencies[word])
        for word, n in inside.items()
        if n >= least
    }
    ranked = sorted(scores, key=lambda w: (-round(scores[w], 6), w))
    distinct = {stem(w): w for w in reversed(ranked)}
    best = sorted(distinct.values(), key=ranked.index)[:2]
    return [w for w in best if scores[w] >= max(0.5 * scores[best[0]], _LEAST_TELLING)]


def words_of(document: Entity) -> tuple[str, ...]:
    """The words that a document's path and title are made of, each once."""
    path = document.properties.get("file_path")
    text = path if isinstance(path, str) else ""
    if text.startswith((SESSION_PREFIX, "manual:", "http")):
        text = ""
    if document.name != path and not document.name.startswith(SESSION_PREFIX):
        text = f"{text} {document.name}"
    words = (piece.lower() for piece in _PIECE.findall(fold(text)))
    return tuple(dict.fromkeys(w for w in words if w not in _KEPT and is_name(w)))


def place_of(refs: Iterable[str]) -> tuple[str, list[str]]:
    """The deepest folder (or conversation) that three fifths of the sources are of, and the first
    source there; ("", []) where there is none."""
    listed = list(refs)
    counts: Counter[str] = Counter()
    for ref in listed:
        folder = ref.partition("#")[0].rpartition("/")[0]
        while folder and not folder.endswith((":", ":/")):  # "https:/" is no place
            counts[folder] += 1
            folder = folder.rpartition("/")[0]
    fitting = [f for f, n in counts.items() if n >= _SHARE * len(listed)]
    if not fitting:
        return "", []
    place = max(fitting, key=lambda f: (f.count("/"), counts[f], f))
    return f"{place}/", [ref for ref in listed if ref.startswith(f"{place}/")][:1]
