"""The pairs of names worth comparing, found without comparing all: of ten thousand names, some
thousands.

Whatever `likeness` finds alike shares a key here, up to a bound: all the letters, the rarest word
of the shorter name, initials, or (where letters differ) one half of the letters, in which names
are compared with those that follow in alphabetical order (the sorted neighbourhood of Hernández
and Stolfo, 1995).
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from quipu.resolve.likeness import all_initials, read_name

__all__ = ["find_pairs"]

_WINDOW = 40
_MOST_TOGETHER = 500


def find_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """The places of names that may be alike, each pair once, the smaller first, in order."""
    found: set[tuple[int, int]] = set()
    for pairs in (_by_word(names), _by_initials(names), _by_neighbourhood(names)):
        found.update((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
    return sorted(found)


def _by_word(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Names with all the words of another: they hold its rarest one."""
    read = [read_name(name) for name in names]
    counts = Counter(stem for each in read for stem in each.stems)
    holding: dict[str, list[int]] = {}
    for place, each in enumerate(read):
        for stem in each.stems:
            holding.setdefault(stem, []).append(place)
    for place, each in enumerate(read):
        if each.stems:
            rarest = min(each.stems, key=lambda stem: (counts[stem], stem))
            for other in holding[rarest][:_MOST_TOGETHER]:
                if each.stems <= read[other].stems:
                    yield place, other


def _by_initials(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    called: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        for initials in all_initials(read_name(name).words):
            called.setdefault(initials, []).append(place)
    for place, name in enumerate(names):
        for other in called.get(read_name(name).letters, ())[:_MOST_TOGETHER]:
            yield place, other


def _by_neighbourhood(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Names near each other in the order of their letters, among those that share a half of them
    or the first letters of their words."""
    together: dict[Hashable, list[int]] = {}
    for place, name in enumerate(names):
        each = read_name(name)
        letters, size = each.letters, len(each.letters)
        keys: set[Hashable] = {("letters", letters)}
        for half in {(size - 1) // 2, size // 2, (size + 1) // 2} - {0}:
            keys |= {("begins", letters[:half]), ("ends", letters[-half:])}
        if len(each.words) > 1:
            keys.add(("first letters", "".join(word[0] for word in each.words), each.numbers))
        for key in keys:
            together.setdefault(key, []).append(place)
    for places in together.values():
        ordered = sorted(places, key=lambda place: (read_name(names[place]).letters, place))
        for at, place in enumerate(ordered):
            for other in ordered[at + 1 : at + 1 + _WINDOW]:
                yield place, other
