"""Lists in code: what a literal holds, the constants of a block, the variants of a type.

A list is read by its brackets and commas, not by a grammar, and only where each of its items has
a label: the key of a pair, a text, a name. One that takes in another list, or goes on behind what
was stored, is told as such (`whole`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from quipu.kinds.files.code_text import (
    CodeLines,
    CodeToken,
    closing,
    closings,
    indent_of,
    tokens_of,
)

__all__ = [
    "Listing",
    "alternatives",
    "indented",
    "listings",
    "repeated",
    "typed_constants",
]

_FEWEST = 2
_LONGEST_LABEL = 80
_ASSIGNS = frozenset({"=", ":=", ":", "=>"})
_PAIRS = frozenset({":", "=", "=>"})
_BACK = 24
_LONGEST_LINE = 400
_DEEPEST = 20
"""How many brackets a list may stand in."""
_COLLECTIONS = frozenset(
    "set frozenset tuple list array listOf setOf mapOf arrayOf vec Set Map Array List Vec".split()
)
_OF_COLLECTIONS = frozenset({"of", "asList", "freeze", "ofEntries"})
"""What makes a collection of what it is called with, by itself and as a method of something."""
_OF_FIELDS = frozenset("class enum interface struct trait type union protocol".split())
"""What has fields with their types between its braces, and no values."""
_DATA = frozenset("json yaml yml toml ini cfg".split())
_SPREADS = frozenset({"...", "*", "**"})
_BEFORE_NAMES = frozenset({"case", "new", "async", "get", "static"})
_QUOTES = re.compile(r"^[rRbBuUfF]{0,2}(?:#*)(\"\"\"|'''|[\"'`])([\s\S]*)\1#*$")
_MARKS = (
    r"(?:(?:export|public|private|protected|internal|static|final|const|readonly|pub(?:\(\w+\))?|let"
    r"|val|constexpr)\s++)*+"
)
_BARE = re.compile(r"^\s*+([A-Za-z_]\w*+)\s*+(?:(?://|/\*).*)?$")
_GIVEN = re.compile(r"\s*([A-Za-z]\w*)\s*(?::[^=]+)?=(?!=)")
_BLOCK = re.compile(r"^\s*(?:const|var)\s*\($")
_CASES = re.compile(r"[|]\s*(\"[^\"\n]*\"|'[^'\n]*'|[A-Z]\w*)")


class Listing(NamedTuple):
    """What a list holds, in its order, as far as `whole` it is; the name that it has, and the lines
    that it begins and ends in, by their numbers; `keyed` says that its labels are keys."""

    name: str
    items: tuple[str, ...]
    first: int
    last: int
    whole: bool = True
    keyed: bool = False


def listings(code: CodeLines) -> Iterator[Listing]:
    """The named lists of a piece of code that are not inside of another."""
    tokens = [t for t in tokens_of(code.path, code.text) if t.kind != "comment"]
    ends = closings(tokens)
    is_data = code.path.rpartition(".")[2].lower() in _DATA
    beyond = -1
    for at, around in _opened(tokens):
        if at <= beyond or _is_call(tokens, at):
            continue
        token = tokens[at]
        sign, name, of_enum = _name_before(tokens, at, ends)
        end = ends.get(at) if name else None
        if end is not None and not is_data and _is_type(tokens, (at, sign, around), ends):
            continue
        read = _read(tokens, at, end, of_enum=of_enum) if end is not None else None
        if end is not None and read is not None and len(read.items) >= _FEWEST:
            beyond = end
            first, last = code.first + token.line, code.first + tokens[end].last
            yield read._replace(name=name, first=first, last=last)


def _opened(tokens: Sequence[CodeToken]) -> Iterator[tuple[int, int]]:
    """The places of the brackets that open, each with that of the one it stands in, -1 where it is
    in none; none that stands in too many."""
    open_: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind == "open":
            if len(open_) < _DEEPEST:
                yield at, open_[-1] if open_ else -1
            open_.append(at)
        elif token.kind == "close" and open_:
            open_.pop()


def _is_type(
    tokens: Sequence[CodeToken], place: tuple[int, int, int], ends: Mapping[int, int]
) -> bool:
    """Whether a bracket, behind a sign and in another bracket, is of the type that stands behind a
    name and no value: `kinds: dict[str, int] = …`, `pair: [string, number]`."""
    at, sign, around = place
    if tokens[sign].text != ":" or tokens[sign - 1].kind == "string":
        return False
    if _is_given(tokens, ends[at] + 1, ends):
        return True
    if tokens[at].text == "[" and tokens[at - 1].kind == "word" and tokens[at - 2].text != "%":
        return True
    if around >= 0 and tokens[around].text == "{":
        before = tokens[max(around - _BACK, 0) : around]
        last = max((n for n, t in enumerate(before) if t.text in {"\n", ";", "}"}), default=-1)
        return any(t.text in _OF_FIELDS for t in before[last + 1 :])
    inside = next((t for t in tokens[at + 1 : at + _BACK] if t.kind != "newline"), None)
    return tokens[at].text == "[" and inside is not None and inside.kind == "word"


def _is_given(tokens: Sequence[CodeToken], at: int, ends: Mapping[int, int]) -> bool:
    """Whether `=` follows in the same statement."""
    for _ in range(_BACK):
        token = tokens[at] if at < len(tokens) else None
        if token is None or token.kind in {"newline", "close"} or token.text in {";", ","}:
            return False
        if token.text == "=":
            return True
        at = ends.get(at, at) + 1
    return False


def _is_call(tokens: Sequence[CodeToken], at: int) -> bool:
    """Whether a bracket holds what a function is called with, and no collection."""
    if tokens[at].text != "(" or not at:
        return False
    before, earlier = tokens[at - 1], _text(tokens, at - 2)
    if before.kind == "word" and earlier == ".":
        return before.text not in _OF_COLLECTIONS
    if before.kind == "word":
        begins = earlier in {*_ASSIGNS, "new", "(", "\n"}
        return not begins or before.text not in _COLLECTIONS
    if before.text in {"!", ">"}:  # `vec!(`, `new HashSet<String>(`
        return earlier not in _COLLECTIONS
    return before.kind == "close"


def _name_before(
    tokens: Sequence[CodeToken], at: int, ends: Mapping[int, int]
) -> tuple[int, str, bool]:
    """What a bracket's value is given to (`name =`, `"name":`, `name: Type =`, `enum Name`) behind
    the sign that gives it, and whether that is an enumeration; empty where it is given to
    nothing."""
    depth = 0
    for back in range(at - 1, max(at - _BACK, -1), -1):
        token = tokens[back]
        if token.kind == "close":
            depth += 1
        elif token.kind == "open" and depth:
            depth -= 1
        elif depth or (token.kind == "open" and _wraps(tokens, back, at, ends)):
            continue
        elif token.text == "enum":
            named = back + (2 if _text(tokens, back + 1) in {"class", "struct"} else 1)
            return back, _bare(_text(tokens, named)), True
        elif _ends(tokens, back):
            break
        elif token.text in _ASSIGNS:
            of_enum = "enum" in {t.text for t in tokens[max(back - 3, 0) : back]}
            return back, _named_by(tokens, back), of_enum
    return at, "", False


def _ends(tokens: Sequence[CodeToken], at: int) -> bool:
    """Whether what a value is given to does not go back beyond a token."""
    token = tokens[at]
    if token.kind == "newline":
        return not _goes_on(tokens, at)
    return token.kind == "open" or token.text in {";", ",", "}"}


def _wraps(tokens: Sequence[CodeToken], open_: int, at: int, ends: Mapping[int, int]) -> bool:
    """Whether a bracket only holds what the one at `at` opens: `frozenset({`, `new Set([`; as far
    as both are stored."""
    if any(t.kind == "close" for t in tokens[open_ + 1 : at]):
        return False
    if at not in ends:
        return False
    after = tokens[ends[at] + 1 : min(ends.get(open_, len(tokens)), ends[at] + _BACK)]
    around = (*tokens[open_ + 1 : at], *after)
    return all(t.kind in {"newline", "open"} or t.text == "," for t in around)


def _goes_on(tokens: Sequence[CodeToken], newline: int) -> bool:
    earlier = reversed(tokens[max(newline - _BACK, 0) : newline])
    before = next((t for t in earlier if t.kind != "newline"), None)
    return before is not None and (before.text in _ASSIGNS or before.kind == "open")


def _named_by(tokens: Sequence[CodeToken], sign: int) -> str:
    """The name before `=` or `:`, with or without a type between."""
    if not sign:
        return ""
    depth = 0
    for back in range(sign - 1, max(sign - _BACK, -1), -1):
        token = tokens[back]
        depth += (token.kind == "close") - (token.kind == "open")
        if token.kind == "newline" or depth < 0 or (not depth and token.text in {";", ","}):
            break
        if not depth and token.text == ":" and back and tokens[sign].text != ":":
            return _hyphened(tokens, back - 1)
    before = tokens[sign - 1]
    if tokens[sign].text == ":" and _text(tokens, sign - 2) == "case":
        return ""
    if before.kind == "close" and before.text == "]":  # `int sizes[] =`
        before = tokens[max(sign - 3, 0)]
    return _hyphened(tokens, sign - 1) if before.kind in {"word", "string"} else ""


def _hyphened(tokens: Sequence[CodeToken], at: int) -> str:
    """A name that may have hyphens, as keys of data files have them."""
    name, first = _bare(tokens[at].text), tokens[at]
    while at > 1 and first.kind == "word" and tokens[at - 1].text == "-":
        before = tokens[at - 2]
        if before.kind != "word" or before.end + 1 != first.start:
            break
        name, first, at = f"{before.text}-{name}", before, at - 2
    return name


def _text(tokens: Sequence[CodeToken], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) else ""


def _read(tokens: Sequence[CodeToken], open_: int, close: int, *, of_enum: bool) -> Listing | None:
    """The items between two brackets; None where one has no label, unless it is a method of an
    enumeration."""
    inside = _unwrapped(tokens[open_ + 1 : close])
    bare = [t for t in inside if t.kind != "newline"]
    if tokens[open_].text == "[" and _is_sized(inside):
        return None
    labels: list[str] = []
    whole, keyed = True, 0
    worded = open_ > 1 and tokens[open_ - 2].text == "%" and tokens[open_ - 1].text in {"w", "i"}
    items = [[t] for t in bare] if worded else _items(inside)
    for item in items:
        if item[0].text in _SPREADS:
            whole = False
            continue
        label, is_key = _label(item)
        if not label and of_enum and any(t.text == "{" for t in item):
            continue
        if not label:
            return None
        labels.append(label)
        keyed += is_key
    if not labels or len(set(labels)) < len(labels):
        return None
    if keyed and not of_enum and _is_record(tokens, open_):
        return None
    return Listing("", tuple(labels), 0, 0, whole, keyed == len(labels))


def _unwrapped(inside: Sequence[CodeToken]) -> Sequence[CodeToken]:
    """What stands in brackets that hold nothing but each other."""
    bare = [t for t in inside if t.kind != "newline"]
    ends = closings(bare)
    at, last = 0, len(bare) - 1
    while at < last and ends.get(at) == last:
        at, last = at + 1, last - 1
    return bare[at : last + 1] if at else inside


def _is_sized(inside: Sequence[CodeToken]) -> bool:
    """Whether a bracket says how many of something there are: `[&str; 2]`."""
    depth = 0
    for token in inside:
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth and token.text == ";":
            return True
    return False


def _is_record(tokens: Sequence[CodeToken], open_: int) -> bool:
    """Whether a bracket holds what one thing is made of, and no list: `Point{x: 1, y: 2}`."""
    if not open_ or tokens[open_].text != "{" or tokens[open_ - 1].kind != "word":
        return False
    for token in reversed(tokens[max(open_ - _BACK, 0) : open_]):
        if token.text in _ASSIGNS or token.kind == "newline":
            return True
        if token.text in {"]", "map", "dict"}:
            return False
    return True


def _items(inside: Sequence[CodeToken]) -> list[list[CodeToken]]:
    """What stands between commas outside of brackets; between semicolons or on lines of their own
    where there are none."""
    depth, commas = 0, 0
    for token in inside:
        depth += (token.kind == "open") - (token.kind == "close")
        commas += depth == 0 and token.text == ","
    items: list[list[CodeToken]] = [[]]
    depth = 0
    for token in inside:
        depth += (token.kind == "open") - (token.kind == "close")
        ends = token.text == ";" or (token.text == "," if commas else token.kind == "newline")
        if depth == 0 and ends and token.kind != "close":
            items.append([])
            if token.text == ";" and commas:  # what follows the constants of an enum of Java
                break
        elif token.kind != "newline":
            items[-1].append(token)
    return [item for item in items if item]


def _label(item: Sequence[CodeToken]) -> tuple[str, bool]:
    """What an item is called, and whether that is the key of a pair; empty where it is not called
    anything."""
    item = _without_marks(item)
    marks = 0
    while marks + 1 < len(item) and item[marks].text == "&":
        marks += 1
    item = _without_marks(item[marks:]) if marks else item
    if not item:
        return "", False
    first = item[0]
    if len(item) > 1 and item[1].text in _PAIRS and first.kind in {"string", "word"}:
        return _bare(first.text), True
    if first.kind == "open":
        return _first_of(item), False
    if first.kind == "string" and len(item) == 1:
        return _bare(first.text), False
    return (_path(item) if first.kind == "word" else ""), False


def _first_of(item: Sequence[CodeToken]) -> str:
    """What a tuple begins with, which is what it is known by: `("int", IntReader)`."""
    inner = item[1] if len(item) > 1 and item[0].text in "([" else None
    return _bare(inner.text) if inner and inner.kind in {"string", "word"} else ""


def _without_marks(item: Sequence[CodeToken]) -> Sequence[CodeToken]:
    """An item without the attributes and words that stand before its name."""
    at = 0
    while at < len(item):
        if item[at].text == "#" and _text(item, at + 1) == "[":
            end = closing(item, at + 1)
            if end is None:
                return ()
            at = end + 1
        elif item[at].text in _BEFORE_NAMES and at + 1 < len(item) and item[at + 1].kind == "word":
            at += 1
        elif item[at].kind == "word" and item[at].text.startswith("@"):
            at += 1
            if _text(item, at) == "(":
                end = closing(item, at)
                if end is None:
                    return ()
                at = end + 1
        else:
            break
    return item[at:]


def _path(item: Sequence[CodeToken]) -> str:
    """The dotted name that an item begins with, where nothing but what it is called with or holds
    follows; empty where it is a longer expression."""
    at, name = 1, item[0].text
    while _text(item, at) in {".", "::"} and at + 1 < len(item) and item[at + 1].kind == "word":
        name += item[at].text + item[at + 1].text
        at += 2
    while at < len(item) and item[at].kind == "open":
        end = closing(item, at)
        if end is None:
            return ""
        at = end + 1
    return name if at == len(item) or item[at].text == "=" else ""


def _bare(text: str) -> str:
    found = _QUOTES.match(text)
    bare = (found[2] if found else text).lstrip("$@").strip()
    return bare if len(bare) <= _LONGEST_LABEL and "\n" not in bare else ""


def typed_constants(code: CodeLines, type_: str) -> Listing | None:
    """The constants of a type: `Name Type = 1` in a block that goes on without it, `static final
    Type NAME = …`."""
    type_ = re.escape(type_)
    typed = re.compile(
        rf"^\s*+{_MARKS}(?:{type_}\s++(?P<after>[A-Za-z_]\w*+)"
        rf"|(?P<name>[A-Za-z_]\w*+)\s*+(?::\s*+)?&?(?:'static\s++)?{type_})\s*+=[^=]"
    )
    labels: dict[str, int] = {}
    goes_on = inside = False
    for at, line in enumerate(code.lines, code.first):
        if len(line) > _LONGEST_LINE:
            continue
        if _BLOCK.match(line):
            inside, goes_on = True, False
        elif inside and line.strip() == ")":
            inside = goes_on = False
        elif found := typed.match(line):
            labels.setdefault(found["after"] or found["name"], at)
            goes_on = inside
        elif goes_on and (bare := _BARE.match(line)):
            if bare[1] != "_":
                labels.setdefault(bare[1], at)
        elif goes_on and re.match(r"\s*\w+(?:\s+\w[\w.]*)?\s*=", line):
            goes_on = False
    if len(labels) < _FEWEST:
        return None
    places = labels.values()
    return Listing(type_, tuple(labels), min(places), max(places))


def repeated(code: CodeLines, key: str) -> Listing | None:
    """The values that a key of a data file has, where it stands there more than once."""
    values: dict[str, int] = {}
    tokens = [t for t in tokens_of(code.path, code.text) if t.kind != "comment"]
    for at, token in enumerate(tokens[:-2]):
        sign, value = tokens[at + 1], tokens[at + 2]
        if token.kind not in {"string", "word"} or _bare(token.text) != key:
            continue
        if sign.text not in _PAIRS or value.kind in {"open", "newline"}:
            continue
        ended = next((t for t in tokens[at + 2 :] if t.kind == "newline"), tokens[-1])
        said = value.text if value.kind == "string" else code.text[value.start : ended.start]
        if not (said := _bare(said.strip().rstrip(","))):
            return None
        values.setdefault(said, code.first + token.line)
    if len(values) < _FEWEST:
        return None
    return Listing(key, tuple(values), min(values.values()), max(values.values()))


def alternatives(code: CodeLines) -> Listing | None:
    """The texts or names that a type is one of: `type Mode = 'r' | 'w'`."""
    _, sign, value = code.text.partition("=")
    found = _CASES.findall(f"|{value.strip().removeprefix('|')}") if sign else []
    left = _CASES.sub("", f"|{value.strip().removeprefix('|')}")
    if len(found) < _FEWEST or left.strip().strip(";").strip():
        return None
    return Listing("", tuple(_bare(each) for each in found), code.first, code.last)


def indented(code: CodeLines) -> Listing | None:
    """What is given a value in the body of a class that is told by its indentation."""
    found: dict[str, int] = {}
    margin = None
    for at, line in enumerate(code.lines[1:], code.first + 1):
        wide = indent_of(line)
        if margin is None and line.strip() and wide > indent_of(code.lines[0]):
            margin = wide
        named = _GIVEN.match(line)
        if named and wide == margin:
            found.setdefault(named[1], at)
    if len(found) < _FEWEST:
        return None
    return Listing("", tuple(found), min(found.values()), max(found.values()), keyed=True)
