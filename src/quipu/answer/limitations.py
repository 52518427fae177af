"""What an answer does not know, in words: limitations, and what to do next."""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from quipu.answer.quote import plain
from quipu.ports import Graph
from quipu.question import Question
from quipu.records.ids import kind_of
from quipu.records.mentions import names_in
from quipu.records.plan import Plan
from quipu.records.record import Entity
from quipu.records.reply import Hit
from quipu.text import looks_like_identifier, name_key, split_identifier, stems
from quipu.when import find_spans
from quipu.when.dates import MONTH_NAMES
from quipu.when.relative import WEEKDAYS

__all__ = [
    "POSSESSIVE",
    "Doubt",
    "about_answer",
    "about_nothing",
    "below",
    "is_time",
    "missing_names",
    "says",
]

POSSESSIVE = re.compile(r"['’]s?$")
_ALIKE = 0.7
_SPELT, _LONGEST_SPELT = 3, 40
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_-. "
_FIRST = (
    "Give it something first: files with `quipu index PATH`, a text with `quipu add TEXT`, "
    "transcripts with `quipu ingest PATH`."
)
_NEAREST = 3


class Doubt(NamedTuple):
    """The last two parts of the contract."""

    limitations: str
    next_step: str


def about_answer(
    *,
    confidence: float,
    assert_above: float,
    reasons: Sequence[str],
    disagreements: Sequence[str],
    remarks: Sequence[str],
    missing: Sequence[str],
    unsaid: Sequence[str] = (),
) -> Doubt:
    """What to say beside an answer; both parts are filled when it is not asserted."""
    parts: list[str] = []
    if disagreements:
        parts.append(f"Sources disagree: {'; '.join(disagreements)}.")
    if missing:
        parts.append(f"Nothing is known by the name {_quoted(missing)}.")
    if unsaid:
        parts.append(f"What is cited does not name {_quoted(unsaid)}.")
    if confidence < assert_above:
        why = f": {'; '.join(reasons)}" if reasons else ""
        sure, bound = below(confidence, assert_above)
        parts.append(f"Confidence is {sure}, below {bound}{why}.")
    parts.extend(remarks)
    step = ""
    if disagreements:
        step = "Open the cited sources and settle which of them holds."
    elif confidence < assert_above:
        step = "Open the cited passages before relying on this; a narrower question may help."
    return Doubt(" ".join(parts), step)


def below(value: float, bound: float) -> tuple[str, str]:
    """Both as percentages, with as many decimals (at most two) as tell them apart."""
    texts = ((f"{value:.{places}%}", f"{bound:.{places}%}") for places in range(3))
    return next((pair for pair in texts if pair[0] != pair[1]), (f"{value:.2%}", f"{bound:.2%}"))


def about_nothing(
    graph: Graph,
    hits: Sequence[Hit],
    *,
    reason: str,
    missing: Sequence[str],
    bounded: bool = False,
) -> Doubt:
    """What to say instead of an answer: what is missing, what is near, what to do; `bounded` where
    only a part of the memory was asked."""
    if not graph.counts(("chunk",))["chunk"]:
        return Doubt(f"Nothing is indexed yet in the namespace {graph.namespace!r}.", _FIRST)
    limitations = [reason]
    step = "Index the sources that say it (`quipu index PATH`), then ask again."
    if bounded and not hits:
        limitations.append("Only what the filters let through was looked at.")
        step = "Ask again without the filters (group, type, dates …), or with fewer."
    if missing:
        limitations.append(f"Nothing is known by the name {_quoted(missing)}.")
        near = _nearest(graph, hits, missing)
        if near:
            limitations.append(f"Names that are known and alike: {_quoted(near)}.")
            step = (
                f"Ask about {_quoted(near[:1])} if that was meant, or index the sources that say "
                "it (`quipu index PATH`)."
            )
    if hits:
        refs = [plain(r) for r in dict.fromkeys(hit.source_ref for hit in hits)][:_NEAREST]
        limitations.append(f"The nearest passages are {', '.join(refs)}.")
        if not missing:
            step = f"Read {refs[0]}, or index the sources that say it (`quipu index PATH`)."
    return Doubt(" ".join(limitations), step)


def missing_names(
    asked: Question, plan: Plan, graph: Graph, hits: Sequence[Hit]
) -> tuple[str, ...]:
    """The names in the question that neither the graph nor any passage found knows."""
    known = [anchor.name for anchor in plan.anchors]
    works = names_in(asked.text)  # `task` is known, and that says nothing of `task-99`
    written = dict.fromkeys((*asked.names, *asked.versions))
    unseen = [
        n
        for n in (POSSESSIVE.sub("", name) for name in written)
        if not is_time(n)
        and not any(says(k, n) or (n not in works and _is_part(k, n)) for k in known)
    ]
    if not unseen:
        return ()
    named = graph.named([name_key(name) for name in unseen])
    texts = [f"{hit.title} {hit.path} {hit.text}" for hit in hits]
    return tuple(
        name
        for name in unseen
        if not named.get(name_key(name)) and not any(says(text, name) for text in texts)
    )


def says(text: str, name: str) -> bool:
    """Whether `text` holds `name` as whole words: an identifier as it is written (or all that
    stands between its dots, or its parts in a row: `snake_case` as "snake-case"), other names in
    any of their endings, or written as one word ("App Engine" as "appengine")."""
    if not name_key(name):
        return True
    if looks_like_identifier(name) or not name.replace(" ", "").isalpha():
        key, read = name_key(name), name_key(text)
        return (
            _stands(key, read)
            or ("." in key and "/" not in key and all(_stands(p, read) for p in key.split(".")))
            or _stands(_in_words(name), " ".join(re.findall(r"\w+", read)))
        )
    sought, said = stems(name), stems(text)
    size = len(sought)
    if any(said[i : i + size] == sought for i in range(len(said) - size + 1)):
        return True
    return size > 1 and name_key(name).replace(" ", "") in re.findall(r"\w+", name_key(text))


def _in_words(name: str) -> str:
    """An identifier of several words, in words; "" of another name."""
    parts = split_identifier(name)
    return " ".join(parts) if len(parts) > 1 and all(map(str.isalpha, parts)) else ""


def _is_part(known: str, name: str) -> bool:
    """Whether a name that is known stands in another: `Ledger` in "the Ledger service". A piece of
    an identifier is another name: `cookie` says nothing of `COOKIE_MAX_AGE`."""
    if looks_like_identifier(name) and not name.isalpha():
        return _stands(name_key(known), name_key(name))
    return says(name, known)


def _stands(key: str, text: str) -> bool:
    return bool(key) and re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text) is not None


def is_time(name: str) -> bool:
    """Whether what looks like a name is a date, a month or a day: "March 2011", "September"."""
    if set(name_key(name).split()) <= MONTH_NAMES | set(WEEKDAYS):
        return True
    return any(span.start == 0 and span.end == len(name) for span in find_spans(name))


def _nearest(graph: Graph, hits: Sequence[Hit], missing: Sequence[str]) -> list[str]:
    """Names that are known and differ from a missing one in a letter, or are like it and tied to
    what was found; the likest first."""
    ids = dict.fromkeys(i for hit in hits for i in hit.graph_ids if kind_of(i) == "entity")
    tied = [e for _, e in sorted(graph.get(list(ids)).items()) if isinstance(e, Entity)]
    found: list[str] = []
    for name in missing:
        key = name_key(name)
        misspelt = graph.named(sorted(_one_letter_off(key))) if len(key) >= _SPELT else {}
        known = {name_key(e.name): e.name for e in tied}
        known |= {name_key(e.name): e.name for entities in misspelt.values() for e in entities}
        near = difflib.get_close_matches(key, sorted(known), n=_NEAREST, cutoff=_ALIKE)
        found += [known[each] for each in near]
    return list(dict.fromkeys(found))[:_NEAREST]


def _one_letter_off(key: str) -> set[str]:
    """What `key` is with a letter left out, added, changed, or two in a row changed for each
    other."""
    cuts = [(key[:at], key[at:]) for at in range(min(len(key), _LONGEST_SPELT) + 1)]
    left_out = {head + tail[1:] for head, tail in cuts if tail}
    turned = {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    added = {head + letter + tail for head, tail in cuts for letter in _LETTERS}
    changed = {head + letter + tail[1:] for head, tail in cuts if tail for letter in _LETTERS}
    return left_out | turned | added | changed


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(plain(name)) for name in names)
