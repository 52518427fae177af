"""Values that a name says are secret, wherever a format puts the value of a name.

Formats differ in where a value stands, not in what a name is. Each name of `rules/secrets.toml`
that stands in a text is looked at once, and so are the runs near it (`_near`): what looks like no
word goes whatever stands between the two, and less is asked where that is marks and fields alone.
Three places may hold a value that looks like a word:

- after a sign: `NAME=v`, `NAME: v`, `NAME := "v"`, `NAME || "v"`;
- in its column: Markdown, CSV, what psql prints;
- after the words of a sentence: "NAME for staging is v", "admin / v".

What stands there goes if it passes the test for such a place (`secret_values.is_named_secret`).
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from quipu.limits import LONGEST_LINE
from quipu.patterns import late
from quipu.read.secret_rules import Name
from quipu.read.secret_values import Place, is_named_secret, no_secrets

__all__ = ["named_secrets"]

_WINDOW = 400
"""How far before its name a value in a neighbouring field may begin, in characters."""
_NEAR = 100
"""How far from its name a value is looked for whatever stands between, in characters."""
_SENTENCE = 90
"""How far from its name a sentence says the value, in characters."""
_ROWS = 500
"""How many rows of a table are looked at."""
_NAME_LENGTH = 64
_LEADS = " \t-+*>:$#{,&(|0123456789.)\"'"
"""What may stand before a name that begins its line."""

_WORD = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TAIL = late(r"[\w-]{0,60}")
_HEAD = late(r"[\w.-]{0,64}")  # matched against what stands before, backwards

_AFTER = late(
    r"""(?P<close>(?:\\{0,3}["'`]|\*\*?|__|\]){0,4})[ \t]{0,60}"""
    r"""(?P<sep>:[ \t]?[&\w][\w\[\]<>|&?. ]{0,30}?[ \t]?=(?![=>~])"""
    r"""|\{[ \t]?get;[^{}\n]{0,20}\}[ \t]?="""
    r"""|:-|:=|=>|->|[→➜⇒：–—]|-(?=[ \t])|\|\|=?|\?\?=?|[:=](?![=~:?])|,|\(|\|)?"""
)
_OPEN = late(
    r"""(?:[ \t]|\*\*(?=[ \t])|</?[a-z]{1,8}>){0,60}"""
    r"""(?P<open>[bruf]{0,2}(?:"{3}|'{3}|\\{0,3}["'`])|[\[({])?"""
)
_NAMED_BY = late(
    r"""(?i)(?:^|[\s{,<(\["'-])(?:name|key|parameterkey|variable|output|env|field|param"""
    r"""|property|setting|option)\\?["']?[ \t]{0,9}[:=]?[ \t]{0,9}\\?["']?[\w.-]{0,64}$"""
)
_FIELD_NAMES = "value|parametervalue|default|defaultvalue|val|result|data"
_VALUE_BY = late(
    rf"""(?i)(?<![\w-])\\?["']?(?:{_FIELD_NAMES})\\?["']?[ \t]{{0,20}}[:=][ \t]{{0,20}}"""
)
_TOKEN = late(r"\S{3,4000}+")
_TOLD = late(
    r"""(?:(?:[ \t]{1,4}(?P<by>is|was|ist|lautet|war|est|es|é|to)|(?<=[Ii]t|at)['’]s)"""
    r"""(?:[ \t](?:now|set to|still|jetzt))?:?|:)"""
    r"""[ \t]{1,4}["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_USER_AND = late(
    r"""[\w.@-]{1,40}["'`]?(?: / |:|/(?=\S*[A-Z]))["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_ANSWER = late(
    r"""(?i)[^\n?]{0,60}\?[^\n]{0,80}\n(?:[^\n:]{1,30}:[ \t]{1,4})?"""
    r"""(?:[^\n]{0,40}?\b(?:it|that)(?:['’]?s| is)[ \t]{1,4}|(?=\S{1,400}[ \t]{0,9}(?:\n|$)))"""
    r"""["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_CHANGED = late(r"(?i)\b(?:chang|reset|updat|rotat|switch|set)")
_SENTENCE_END = late(r"[.;!,][ \t]|\n")
_RULE = late(r"[ \t|:+-]{3,}\r?$")
_BETWEEN = {by: re.compile(rf"(?<!\\){re.escape(by)}") for by in ",;\t|"}
_COLUMN = r"""["']?[\w.-]{0,40}(?: [\w.-]{1,30}){0,2}["']?"""
_HEADER_OF_ROWS = late(
    rf"(?m)(?=[\"'\w]){_COLUMN}(?P<by>[,;\t]){_COLUMN}(?:(?P=by){_COLUMN}){{0,60}}\r?$"
)
_FIELDS = late(r"[{<}>]|(?:^|\n)[ \t]*-[ \t]")
_RUN = late(
    r"(?P<quote>[\"'`])(?P<quoted>(?:(?!(?P=quote))[^\s]){6,400}+)(?P=quote)"
    r"|(?<![^\s\"'`<>|,=:])(?P<bare>[^\s\"'`<>|,;(){}\[\]]{7,400}+)(?=[\s\"'`<>|,;)}\]]|$)"
)
_LED = late(
    rf"(?:[\s\"'`*|>#:=,(\[{{+.~^-]|</?[a-z]{{1,9}}>|(?<=```)[a-z]{{1,12}}|(?i:{_FIELD_NAMES})\b"
    r"|[A-Za-z][\w-]{0,30}[\"']?[ \t]{0,9}[:=][ \t]{0,9}[\"']?\w{1,20}[\"']?(?=,|\s*\n))*+"
)
"""What leads from a name to its value and says nothing: marks, the field of the value, others."""
_SIGN = late(r"[:=|>]")
_BARE_END = late(r"[\s;,&|)\]}'\"`<>]")


class _Name(NamedTuple):
    """A name that says that its value is secret: where it stands, what it is."""

    start: int
    end: int
    kind: str
    strong: bool
    short: bool
    plural: bool
    text: str


def named_secrets(
    text: str, named: Iterable[tuple[int, int, Name]]
) -> Iterator[tuple[int, int, str]]:
    """Where in `text` the values stand that a name says are secret, and the kinds of the names;
    `named` says where the words of names stand."""
    words: dict[int, tuple[int, Name]] = {}
    for start, end, row in named:
        if end not in words or start < words[end][0]:  # of two words the longer one
            words[end] = start, row
    for word_end, (word_start, row) in words.items():
        name = _name(text, word_start, word_end, row)
        if name is None:
            continue
        places = _beside_user(text, name) if row.only == "told" else _values(text, name)
        for start, end, place in places:
            value = text[start:end]
            if not value.startswith("[redacted:") and is_named_secret(
                value, place, strong=name.strong, name=name.text
            ):
                yield start, end, name.kind


def _name(text: str, start: int, end: int, row: Name) -> _Name | None:
    """The name that ends in this word; None where the word is part of another one."""
    word = text[start:end]
    last = text[start - 1 : start]
    if row.short and last.isalpha():
        camel = last.islower() and word[0].isupper()
        if not camel and not (word.isupper() and len(word) > 3):
            return None
    rest = text[end : end + 2]
    goes_on = rest[:1].isalpha() and rest[0].isupper() == word[-1].isupper()
    if goes_on and (rest[0] not in "sS" or rest[1:].isalpha()):
        return None  # tokenizer, PASSWORDLESS
    lead = ""
    if last.isalnum() or last in {"_", "-", "."}:
        before = text[max(start - _NAME_LENGTH, 0) : start][::-1]
        head = _HEAD.match(before)
        lead = before[: head.end()][::-1] if head else ""
    tail_match = _TAIL.match(text, end)
    tail = rest = tail_match[0] if tail_match else ""
    plural = rest[:1] in {"s", "S"} and not rest[1:2].isalpha()
    if plural:
        rest = rest[1:]
    words = {each.lower() for each in _WORD.findall(rest)}
    if not words.isdisjoint(no_secrets().suffixes.split()) or len(words) > 3:
        return None
    if not row.strong and "public" in lead.lower():
        return None
    return _Name(
        start - len(lead),
        end + len(tail),
        row.kind,
        row.strong,
        row.short,
        plural,
        f"{lead}{word}",
    )


_Found = tuple[int, int, Place]


def _values(text: str, name: _Name) -> Iterator[_Found]:
    """Where the value of this name may stand."""
    after = _AFTER.match(text, name.end)
    assert after is not None  # all of it may be empty
    sep, at = after["sep"] or "", after.end()
    yield from _columns(text, name)
    yield from _before(text, name)
    yield from _near(text, name)
    if not sep:
        yield from _said(text, name, after)
    elif sep == "(" and not name.short:
        yield from _told(text, name, at)
    elif sep not in "(,|":
        yield from _after_sign(text, name, at, sep)


def _near(text: str, name: _Name) -> Iterator[_Found]:
    """The runs near a name: what looks like no word goes whatever stands between them, and less
    is asked of what marks alone lead to."""
    near: Place = "close" if name.strong and not name.short else "near"
    for run in _RUN.finditer(text, name.end, min(name.end + _NEAR, len(text))):
        group = "quoted" if run["quoted"] else "bare"
        value = run[group] if group == "quoted" else run[group].rstrip(".,;:!?)")
        start, place = run.start(group), near
        gap = text[name.end : start]
        if _LED.fullmatch(gap) and (not name.short or _SIGN.search(gap)):
            if group == "quoted":
                place = "given" if "default" in gap.lower() else "quoted"
            elif "\n" in gap and text[run.end() : run.end() + 1] in {"\n", "\r", ""}:
                place = "quoted"
        yield start, start + len(value), place


def _before(text: str, name: _Name) -> Iterator[_Found]:
    """The value of the field that stands before the one that holds the name."""
    if not _NAMED_BY.search(text, max(name.start - 80, 0), name.start):
        return
    begin = max(name.start - _WINDOW, 0)
    for cut in _FIELDS.finditer(text, begin, name.start):
        begin = cut.end()
    if by := _VALUE_BY.search(text, begin, name.start):
        for value in _RUN.finditer(text, by.end() - 1, name.start):
            group = "quoted" if value["quoted"] else "bare"
            yield *value.span(group), "quoted"
            return


def _columns(text: str, name: _Name) -> Iterator[_Found]:
    """The cells below a name that heads a column: of Markdown, CSV, what psql prints."""
    line = _line_start(text, name.start)
    end = text.find("\n", name.end)
    head = text[line : end if end >= 0 else len(text)]
    rows = _lines_below(text, name.end)
    by, columns = "|", 0
    if header := _HEADER_OF_ROWS.match(text) if not line else None:
        by, columns = header["by"], header[0].count(header["by"])
    elif "|" not in head or not _RULE.match(next(rows, (0, ""))[1]):
        return
    number = text.count(by, line, name.start)
    for at, row in rows:
        cells = _BETWEEN[by].split(row)
        if number < len(cells) and (not columns or len(cells) == columns + 1):
            body = cells[number].strip().strip("`*\"'")
            start = at + row.find(body, sum(len(cell) + 1 for cell in cells[:number]))
            if body and not any(map(str.isspace, body)):
                yield start, start + len(body), "bare" if name.strong else "quoted"
        elif by == "|" or (row.strip() and '"' not in row):
            return


def _line_start(text: str, at: int) -> int:
    """Where the line begins in which `at` stands, or what is looked at of a long one."""
    least = max(at - LONGEST_LINE, 0)
    return max(text.rfind("\n", least, at) + 1, least)


def _after_sign(text: str, name: _Name, at: int, sep: str) -> Iterator[_Found]:
    """The value after `=`, `:` and their like."""
    opened = _OPEN.match(text, at)
    mark = opened["open"] or "" if opened else ""
    start = opened.end() if opened else at
    end = _end_of_quoted(text, start, mark.lstrip("bruf")) if mark and mark not in "[{(" else None
    if end is not None:
        yield start, end, "quoted"
    elif mark not in {"[", "{", "`"}:
        yield from _bare(text, name, start, sep)


def _end_of_quoted(text: str, start: int, quote: str) -> int | None:
    """Where a quoted value ends that begins at `start`, if it ends on its line."""
    last = min(start + 4000, len(text))
    line_end = text.find("\n", start, last)
    last = last if line_end < 0 or len(quote) == 3 else line_end
    end = start
    while True:
        end = text.find(quote, end, last)
        if end < 0:
            return None
        if quote[0] == "\\" or text[end - 1] != "\\" or text[end - 2 : end] == "\\\\":
            break
        end += 1
    if quote in {"'", '"'} and text[end + 1 : end + 2].isalnum():  # as an apostrophe
        return None
    while end > start and text[end - 1].isspace():
        end -= 1
    return None if text[start].isspace() else end


def _bare(text: str, name: _Name, start: int, sep: str) -> Iterator[_Found]:
    """A value without quotation marks: up to a space, or less in the middle of a line."""
    run = _TOKEN.match(text, start)
    value = run[0] if run else ""
    begins_line = not text[_line_start(text, name.start) : name.start].strip(_LEADS)
    if begins_line and sep != ":-" and "\\" not in value:
        value = value.rstrip(",;").partition(";")[0]
    elif cut := _BARE_END.search(value):
        value = value[: cut.start()]
    if value and "(" not in value:
        direct = sep == "=" and text[start - 1] == "="
        before = text[name.start - 1 : name.start]
        named = name.text.isupper() or name.text.startswith("-") or before in {";", "?", "&", "="}
        dotted = "." in name.text and before in {"", "\n"}
        place: Place = "given" if (direct and named) or dotted else "bare"
        yield start, start + len(value), place


def _lines_below(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The lines after the one in which `at` stands, with where they begin."""
    for _ in range(_ROWS):
        end = text.find("\n", at)
        if end < 0:
            return
        at = end + 1
        last = text.find("\n", at)
        yield at, text[at : len(text) if last < 0 else last]


def _said(text: str, name: _Name, after: re.Match[str]) -> Iterator[_Found]:
    """The value of a name after which no sign stands: what a space or words lead to."""
    run = _TOKEN.match(text, after.end())
    spaced = after.end() > name.end and not after["close"] and run and "(" not in run[0]
    if answer := _ANSWER.match(text, name.end):
        yield _spoken(answer)
    elif run and spaced and _stands_alone(text, name):
        yield *run.span(), "told"
    elif run and spaced and _is_line(text, name, run) and not name.short:
        yield *run.span(), "bare"
    elif name.text.lower() != "pass":
        yield from _told(text, name, after.end())


def _stands_alone(text: str, name: _Name) -> bool:
    """Whether a space ends the name: an option of a program, a variable that a command sets."""
    if name.text.startswith("-"):
        return not text[name.start - 1 : name.start].isalnum()
    return "_" in name.text and (name.text.isupper() or not name.strong) and not name.short


def _is_line(text: str, name: _Name, run: re.Match[str]) -> bool:
    """Whether a value ends its line, and its name begins it or is columns away."""
    apart = text[name.end : run.start()] not in {"", " "}
    begins = text[name.start - 1 : name.start] in {"", "\n"}
    return (apart or begins) and text[run.end() : run.end() + 1] in {"\n", "\r", ""}


def _spoken(match: re.Match[str]) -> _Found:
    """The value that a sentence says, without the marks that end it."""
    start = match.start("value")
    return start, start + len(match["value"].rstrip(".,;:?)")), "told"


def _beside_user(text: str, name: _Name) -> Iterator[_Found]:
    """What a sentence tells beside a user: `admin / v`."""
    for told in _USER_AND.finditer(text, name.end, _sentence_end(text, name.end)):
        yield _spoken(told)


def _sentence_end(text: str, at: int) -> int:
    end = min(at + _SENTENCE, len(text))
    stop = _SENTENCE_END.search(text, at, end)
    return stop.end() if stop else end


def _told(text: str, name: _Name, at: int) -> Iterator[_Found]:
    """What a sentence says that the value is; that of the answer where it asks."""
    for told in _TOLD.finditer(text, max(at - 1, name.end), _sentence_end(text, at)):
        changes = told["by"] == "to"
        if not changes or _CHANGED.search(text, max(name.start - _SENTENCE, 0), told.start()):
            yield _spoken(told)
