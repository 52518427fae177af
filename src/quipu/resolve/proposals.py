"""What might be one thing: names within one type that look alike and mean nearly the same.

Letters are compared first, for they are cheap; only what they find alike is embedded. Nor are all
names compared: those that share their letters or a half of them, a word or the initials, where
not too many others do. The same entities give the same list.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations
from typing import Annotated, NamedTuple

import msgspec

from quipu.limits import ROWS_AT_ONCE, SHOWN_LINE
from quipu.ports import Planner, Vectors
from quipu.records.ids import name_id
from quipu.records.mentions import key_words
from quipu.records.record import Entity
from quipu.records.schema import EntityType
from quipu.resolve.merges import APART, SAME, Merges, may_be_merged
from quipu.text import fold, name_key, split_identifier, stem_words

__all__ = [
    "LEAST_COSINE",
    "Embed",
    "Likeness",
    "Proposal",
    "ReadName",
    "all_initials",
    "candidates",
    "entity_text",
    "find_pairs",
    "homonyms",
    "likeness",
    "propose",
    "read_name",
]

LEAST_COSINE = 0.92

Embed = Callable[[Sequence[str]], Vectors]
"""Texts to float32[n, d], a row a text, each of length 1."""

_MOST_TOGETHER = 60
"""What more names share than this tells none of them from another."""

# Known by exact names in which one letter makes another thing, or by a number.
_EXACT = frozenset(
    {
        EntityType.SYMBOL,
        EntityType.URL,
        EntityType.PACKAGE,
        EntityType.ADR,
        EntityType.GOAL,
        EntityType.TASK,
        EntityType.FILE,
    }
)
_BRACKET = re.compile(r"\s*[(\[]([^)\]]*)[)\]]\s*$")
_NUMBER = re.compile(r"\d+")
_ROMAN = frozenset("i ii iii iv v vi vii viii ix x".split())
_SMALL = frozenset("a an and at de for in la of on the to und y".split())
_TYPO = 0.86
_LEAST_TYPO = 5
_LONGEST_INITIALS = 8
_BEGINNINGS = frozenset((1, *range(3, 40)))


class Likeness(NamedTuple):
    """Why two names may be one, and whether that is enough without what they mean: the same
    letters are, a name that is a part of the other is not."""

    reason: str
    enough: bool = False


class ReadName(NamedTuple):
    """A name without its bracket: its words (of identifiers, the parts), their letters and
    numbers, and the stems of those that tell."""

    bracket: str
    words: tuple[str, ...]
    letters: str
    numbers: tuple[str, ...]
    stems: frozenset[str]


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """That two things may be one, and why."""

    merged_id: Annotated[str, "the record that would be merged"]
    kept_id: Annotated[str, "the record that would stand for both: the better known"]
    merged_name: Annotated[str, "what the first is called"]
    kept_name: Annotated[str, "what the second is called"]
    type: Annotated[str, "the type of both"]
    score: Annotated[float, "how sure it is, in [0, 1]; 1 where a rule says it, else the cosine"]
    cosine: Annotated[float | None, "how near their meanings are; null without a model"]
    reasons: Annotated[tuple[str, ...], "what speaks for it"]


def entity_text(entity: Entity) -> str:
    """What of an entity is embedded: its name and what it is said to be, shortened."""
    said = " ".join(entity.description.split())[:SHOWN_LINE]
    return f"{entity.name}: {said}" if said else entity.name


def propose(
    entities: Sequence[Entity],
    embed: Embed | None,
    *,
    least: float = LEAST_COSINE,
) -> list[Proposal]:
    """The pairs of `entities` (of whatever types) that may be one, the surest first.

    Two are proposed whose names look alike and whose vectors have a cosine of at least `least`, or
    whose names are the same letters.
    """
    alike = _alike(entities)
    by_id = {entity.entity_id: entity for entity in entities}
    pairs = sorted(tuple(sorted(ids)) for ids in alike)
    cosines = _cosines([(by_id[one], by_id[other]) for one, other in pairs], embed)
    found = [
        _proposal(by_id[one], by_id[other], alike[frozenset((one, other))], cosine, least)
        for (one, other), cosine in zip(pairs, cosines, strict=True)
    ]
    return sorted(
        (proposal for proposal in found if proposal is not None),
        key=lambda p: (-p.score, p.type, p.merged_id, p.kept_id),
    )


def _alike(entities: Sequence[Entity]) -> dict[frozenset[str], Likeness]:
    by_type: dict[str, list[Entity]] = {}
    for entity in sorted(entities, key=lambda e: e.entity_id):
        by_type.setdefault(entity.type, []).append(entity)
    found: dict[frozenset[str], Likeness] = {}
    for group in by_type.values():
        for first, second in find_pairs([entity.name for entity in group]):
            one, other = group[first], group[second]
            alike = likeness(one.name, other.name)
            if alike is not None:
                found[frozenset((one.entity_id, other.entity_id))] = alike
    return found


def _cosines(pairs: Sequence[tuple[Entity, Entity]], embed: Embed | None) -> list[float | None]:
    if embed is None or not pairs:
        return [None] * len(pairs)
    texts = {e.entity_id: entity_text(e) for pair in pairs for e in pair}
    row = {entity_id: i for i, entity_id in enumerate(texts)}
    vectors = embed(list(texts.values()))
    return [
        round(min(float(vectors[row[a.entity_id]] @ vectors[row[b.entity_id]]), 1.0), 4)
        for a, b in pairs
    ]


def _proposal(
    one: Entity,
    other: Entity,
    alike: Likeness,
    cosine: float | None,
    least: float,
) -> Proposal | None:
    near = cosine is not None and cosine >= least
    if not (near or alike.enough):
        return None
    reasons = [alike.reason]
    if near:
        reasons.append(f"they mean the same (cosine {cosine:.2f})")
    kept, merged = sorted((one, other), key=lambda e: (-e.mention_count, -len(e.name), e.entity_id))
    return Proposal(
        merged_id=merged.entity_id,
        kept_id=kept.entity_id,
        merged_name=merged.name,
        kept_name=kept.name,
        type=kept.type,
        score=1.0 if alike.enough or cosine is None else cosine,
        cosine=cosine,
        reasons=tuple(reasons),
    )


def find_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """The places of names that may be alike, each pair once, the smaller first, in order."""
    together: dict[tuple[str, str], list[int]] = {}
    for place, name in enumerate(names):
        for key in set(_keys(read_name(name))):
            together.setdefault(key, []).append(place)
    return sorted(
        {
            pair
            for places in together.values()
            if len(places) <= _MOST_TOGETHER
            for pair in combinations(places, 2)
        }
    )


def _keys(name: ReadName) -> Iterator[tuple[str, str]]:
    """What names that are alike share: their letters or a half of them, a word, or initials."""
    letters, size = name.letters, len(name.letters)
    yield "called", letters
    for half in {(size - 1) // 2, size // 2, (size + 1) // 2} - {0}:
        yield "begins", letters[:half]
        yield "ends", letters[-half:]
    for stem in name.stems:
        yield "word", stem
    for initials in all_initials(name.words):
        yield "called", initials
        yield "initials", initials


def candidates(planner: Planner, merges: Merges, types: Collection[str] = ()) -> list[Entity]:
    """Every such thing by id, one of what is merged; only of `types`, if any are named.

    It reads every entity and every fact: fit for upkeep, not for a search.
    """
    found: dict[str, Entity] = {}
    known: set[str] = set()
    after = ""
    while page := planner.scan("entity", after=after, limit=ROWS_AT_ONCE):
        for entity in page:
            if not isinstance(entity, Entity):
                continue
            after = entity.entity_id
            stands = merges.stands_for(after)
            if may_be_merged(entity.type) and entity.type not in _EXACT:
                found[stands] = merges.united.get(stands, entity)
                known.add(name_key(entity.name))
    found |= _spoken_of(planner, merges, known)
    allowed = frozenset(types)
    return [found[i] for i in sorted(found) if not allowed or found[i].type in allowed]


def _spoken_of(planner: Planner, merges: Merges, known: Collection[str]) -> dict[str, Entity]:
    """The names, mentioned somewhere, that facts have as subjects, written as there."""
    written: dict[str, str] = {}
    for fact in planner.facts():
        key = " ".join(key_words(fact.subject))
        if fact.predicate not in (SAME, APART) and name_key(fact.subject) not in known:
            written[name_id(key)] = min(fact.subject, written.get(name_id(key), fact.subject))
    found: dict[str, Entity] = {}
    for entity_id, entity in planner.get(sorted(written)).items():
        if isinstance(entity, Entity):
            stands = merges.stands_for(entity_id)
            named = msgspec.structs.replace(entity, name=written[entity_id])
            found[stands] = merges.united.get(stands, named)
    return found


def homonyms(one: str, other: str) -> bool:
    """Whether two names are one name for two things: the same, or told apart by a bracket."""
    first, second = read_name(one), read_name(other)
    return name_key(one) == name_key(other) or (
        first.bracket != second.bracket and first.letters == second.letters
    )


def likeness(one: str, other: str) -> Likeness | None:
    """What the letters of two names say for their being one thing; None where nothing does.

    Names whose brackets differ ("Mercury (planet)", "Mercury (element)"), that are the same name,
    or that hold different numbers are never alike: those are homonyms and series.
    """
    first, second = sorted((read_name(one), read_name(other)))
    if homonyms(one, other) or first.bracket != second.bracket:
        return None
    if not first.words or not second.words or first.numbers != second.numbers:
        return None
    return next((Likeness(*found) for found in _reasons(first, second)), None)


def _reasons(one: ReadName, other: ReadName) -> Iterator[tuple[str, bool]]:
    if one.letters == other.letters:
        yield "the same letters", True
    if one.stems and one.stems == other.stems:
        yield "the same words in other forms or another order", False
    if _initials(one, other) or _initials(other, one):
        yield "the initials of the other", False
    if _shortened(one.words, other.words):
        yield "words shortened", False
    if one.stems and other.stems and (one.stems < other.stems or other.stems < one.stems):
        yield "all the words of one", False
    if _typo(one, other):
        yield "nearly the same letters", False


@lru_cache(maxsize=65536)
def read_name(name: str) -> ReadName:
    """A name as it is compared."""
    match = _BRACKET.search(name)
    bracket = " ".join(key_words(match[1])) if match else ""
    bare = name[: match.start()] if match else name
    words = tuple(w for part in fold(bare).split() for w in _parts(part))
    return ReadName(
        bracket=bracket,
        words=words,
        letters="".join(words),
        numbers=tuple(n for word in words for n in _numbers(word)),
        stems=frozenset(stem_words([w for w in words if w not in _SMALL])),
    )


def _parts(written: str) -> list[str]:
    """The words of a piece between spaces: "PaymentService" and "payment-service" are two."""
    plain = key_words(written)
    if len(plain) == 1 and not written.isupper():
        return [part.lower() for part in split_identifier(written)] or list(plain)
    return list(plain)


def _numbers(word: str) -> list[str]:
    return [word] if word in _ROMAN else _NUMBER.findall(word)


def all_initials(words: Sequence[str]) -> frozenset[str]:
    """What a name of several words may be called by their first letters, small words counted or
    not."""
    telling = [word for word in words if word not in _SMALL]
    if len(telling) < 2:
        return frozenset()
    return frozenset("".join(word[0] for word in each) for each in (words, telling))


def _initials(short: ReadName, long: ReadName) -> bool:
    return (
        len(short.words) == 1
        and 2 < len(short.letters) <= _LONGEST_INITIALS
        and short.letters in all_initials(long.words)
    )


def _shortened(one: Sequence[str], other: Sequence[str]) -> bool:
    """Word for word the same, an initial, or three letters or more that the other begins with:
    "A. Lovelace" and "Ada Lovelace", "Acme Corp" and "Acme Corporation"."""
    if len(one) < 2 or len(one) != len(other):
        return False
    return all(
        a == b or (min(len(a), len(b)) in _BEGINNINGS and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(one, other, strict=True)
    )


def _typo(one: ReadName, other: ReadName) -> bool:
    if min(len(one.letters), len(other.letters)) < _LEAST_TYPO:
        return False
    compared = SequenceMatcher(None, one.letters, other.letters, autojunk=False)
    return (
        compared.real_quick_ratio() >= _TYPO
        and compared.quick_ratio() >= _TYPO
        and compared.ratio() >= _TYPO
    )
