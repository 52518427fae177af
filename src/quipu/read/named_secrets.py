"""Values that a name says are secret, wherever a format puts the value of a name.

Formats differ in where a value stands, not in what a name is. So each name of `rules/secrets.toml`
that stands in a text is looked at once, and the places where its value can be are tried:

- after a sign: `NAME=v`, `NAME: v`, `NAME := "v"`, `NAME || "v"`, `("NAME", "v")`, `NAME("v")`;
- in a field beside the one that holds the name, or inside of what it opens: `name: NAME` and
  `value: v`, `variable "NAME" {default = "v"}`;
- below it: a YAML block or list, a heading with the value below, a list of arguments;
- in its column or in the next cell: Markdown, CSV, what psql prints;
- after the words of a sentence: "NAME for staging is v".

What stands there goes if it passes the test for such a place (`secret_values.is_named_secret`).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from quipu.patterns import late
from quipu.read.secret_rules import Name, name_words
from quipu.read.secret_values import Place, is_named_secret

__all__ = ["named_secrets"]

_WINDOW = 400
"""How far from its name a value in a neighbouring field may begin, in characters."""
_SENTENCE = 90
"""How far from its name a sentence says the value, in characters."""
_ROWS = 500
"""How many rows of a table, items of a list or lines of a block are looked at."""
_NAME_LENGTH = 64
_LINE = 2000
"""How much of a line is looked at before a name, in characters."""

_NO_SECRET_SUFFIXES = frozenset(
    "type url uri name names id ids endpoint end start length len count counter path file "
    "files dir prefix suffix pattern regex re hint label field header ttl expiry expires "
    "expiration format alg algorithm scope scopes policy class version min max size limit "
    "required enabled ref arn column attr attribute help prompt text kind reset validators "
    "hashers manager store provider location method grant env var ring hash hashed digest "
    "fingerprint generator validator rotation age budget index position map set usage mode "
    "charset chars alphabet mgr config error err page user status strength namespace".split()
)
"""What a name goes on with that holds no secret: `password_file`, `tokenCount`."""
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
_BLOCK = late(
    r"[ \t]{0,20}(?:[|>][-+0-9]{0,2}|\(|\{|\[|[\"']{3})?[ \t]{0,20}(?:#[^\n]{0,200})?\r?\n"
)
_STATEMENT = late(r"[ \t]*(?:if|elif|else|while|for|with|except|case|def|class|return)\b")
_NAMED_BY = late(
    r"""(?i)(?:^|[\s{,<(\["'-])(?:name|key|parameterkey|variable|output|env|field|param"""
    r"""|property|setting|option)\\?["']?[ \t]{0,9}[:=]?[ \t]{0,9}\\?["']?[\w.-]{0,64}$"""
)
_VALUE_BY = late(
    r"""(?i)(?<![\w-])\\?["']?(?:value|parametervalue|default|defaultvalue|val|result)\\?["']?"""
    r"""[ \t]{0,20}[:=][ \t]{0,20}"""
)
_NAME_FIELD = late(r"""(?i)(?<![\w-])["']?(?:name|key|parameterkey)\\?["']?[ \t]{0,9}[:=]""")
_END_OF_FIELDS = late(r"[}>]|\n[ \t]*-[ \t]|\n[ \t]*(?:\r?\n|---)")
_QUOTED_ITEM = late(r"""[\s,]{0,200}(?P<quote>["'`])(?P<value>[^"'`\s]{3,4000}+)(?P=quote)""")
_TOKEN = late(r"\S{3,4000}+")
_ITEM = late(
    r"""[ \t>]{0,60}(?:[-*+][ \t]{1,9})?(?P<name>["']?[\w.@ -]{1,64}["']?:[ \t]{1,9})?"""
    r"""(?P<quote>["'`]{0,3})(?P<value>\S{3,4000}?)["'`]{0,3},?[ \t]{0,20}(?:#[^\n]{0,200})?\r?$"""
)
_FENCE = late(r"[ \t]*(?:```|~~~|\.\. code|[=~^-]{3,}[ \t]*\r?$|[\"']{3}\r?$)")
_TOLD = late(
    r"""(?:(?:[ \t]{1,4}(?P<by>is|was|ist|lautet|war|est|es|é|to)|(?<=[Ii]t|at)['’]s)"""
    r"""(?:[ \t](?:now|set to|still|jetzt))?:?|:)"""
    r"""[ \t]{1,4}["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_USER_AND = late(
    r"""[\w.@-]{1,40}["'`]?(?: / |:|/(?=\S*[A-Z]))["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_USED = late(r"(?i)\b(?:use|using|with|by|the|try|is)[ \t]$")
_USED_FOR = late(r"""[ \t]{0,4}(?:$|[.,;:)\n]|(?:for|to|on|in|at|as|and|instead)\b)""")
_CLAUSE_ENDS = late(r"[ \t]{0,4}(?:$|[.,;:)\n])")
_NOT_SPOKEN = late(r"(?=.*[A-Z]).*\d[a-z]|(?=.*\d).*[!#$%&*+?^~=@]")
_ANSWER = late(
    r"""(?i)[^\n?]{0,60}\?[^\n]{0,80}\n(?:[^\n:]{1,30}:[ \t]{1,4})?"""
    r"""(?:[^\n]{0,40}?\b(?:it|that)(?:['’]?s| is)[ \t]{1,4}|(?=\S{1,400}[ \t]{0,9}(?:\n|$)))"""
    r"""["'`]?(?P<value>[^\s"'`<>{}\[(]{4,400}+)"""
)
_INSERT = late(r"(?i)insert[ \t]+into[ \t]+[\w.\"`\[\]]{1,100}[ \t]{0,9}\(")
_VALUES = late(r"(?i)[\w\s,\"`\[\]]{0,2000}\)\s{0,20}values\s{0,20}")
_ROW = late(r"[\s,]{0,9}\((?P<values>(?:'(?:[^'\n]|''){0,4000}'|[^()'\n]){0,4000})\)")
_VALUE = late(r"(?:'(?:[^']|'')*'|[^,'])+")
_ASKS = late(r"[ \t](?:[^\n:]{0,60}:|(?:[^\n:]{0,60}[ \t])?(?:is|ist))[ \t]{0,9}\r?\n")
_CHANGED = late(r"(?i)\b(?:chang|reset|updat|rotat|switch|set)")
_SENTENCE_END = late(r"[.;!,][ \t]|\n")
_RULE = late(r"[ \t|:+-]{3,}\r?$")
_CELL = late(r"(?:\\\||[^|\n]){0,2000}+")
_COLUMN = r"""["']?[\w.-]{0,40}(?: [\w.-]{1,30}){0,2}["']?"""
_HEADER_OF_ROWS = late(
    rf"(?m)(?=[\"'\w]){_COLUMN}(?P<by>[,;\t]){_COLUMN}(?:(?P=by){_COLUMN}){{0,60}}\r?$"
)
_ANCHOR = late(
    r"""(?i)(?:\d{1,9}[.)]|[-+*>:$;#{,&\s"'(|]|export|setx?|env|arg|-e|--env|define|const|let|var"""
    r"""|with|password|login|=){0,9}"""
)
_OPERATOR = late(r"[ \t]{1,9}(?:[-+*/%=!<>?&|]{1,2}[ \t]|\(|(?:if|or|and|else|in|for|is|not|as)\b)")
_CODE = late(r"[A-Za-z_$@&*][\w.$]*(?:(?:->|::)[\w.$]*)*[(\[{<].*")
_BECOMES = late(r"""\\?["']?[ \t]{1,9}->[ \t]{1,9}["']""")
_END_OF_OPENED = late(r"}|\n[ \t]*(?:\r?\n|---)")
_FIELDS = late(r"[{<}>]|(?:^|\n)[ \t]*-[ \t]")
_UNDERLINE = late(r"[ \t]*[=~^-]{3,}[ \t]*\r?$")
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


def named_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Where in `text` the values stand that a name says are secret, and the kinds of the names."""
    words: dict[int, tuple[int, Name]] = {}
    for start, end, row in name_words(text):
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
    if words & _NO_SECRET_SUFFIXES or len(words) > 3:
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
    if sep == "|" or (not sep and text[at : at + 1] in "\r\n"):
        yield from _column(text, name)
    if sep == "|":
        yield from _next_cell(text, at)
        return
    if not sep or sep in ":,":
        yield from _inserted(text, name)
        yield from _record_column(text, name)
        yield from _beside(text, name)
    if sep in {",", "("} and bool(after["close"]) == (sep == "("):
        return
    if sep == "," and not (name.text.startswith("-") or _in_call(text, name)):
        return
    if not sep:
        yield from _without_sign(text, name, after)
        return
    if sep not in ",(" and _BLOCK.match(text, at):
        if not _STATEMENT.match(text, _line_start(text, name.start)):
            yield from _inside(text, name, at)
            yield from _below(text, name)
        return
    if sep in {",", "("}:
        yield from _argument(text, name, at)
        if sep == "(" and not name.short:
            yield from _told(text, name, at)
    else:
        yield from _after_sign(text, name, at, sep)


def _line_start(text: str, at: int) -> int:
    """Where the line begins in which `at` stands, or what is looked at of a long one."""
    least = max(at - _LINE, 0)
    return max(text.rfind("\n", least, at) + 1, least)


def _in_call(text: str, name: _Name) -> bool:
    """Whether the name is the first argument of a call."""
    return text[max(name.start - 4, 0) : name.start].rstrip("\\\"' ")[-1:] == "("


def _after_sign(text: str, name: _Name, at: int, sep: str) -> Iterator[_Found]:
    """The value after `=`, `:` and their like, and what a plan shows it becoming."""
    opened = _OPEN.match(text, at)
    mark = opened["open"] if opened else None
    start = opened.end() if opened else at
    if mark in {"[", "{"}:
        if mark == "[":
            yield from _listed(text, start)
        if mark == "{":
            yield from _inside(text, name, start)
        return
    if mark and mark != "(":
        end = _end_of_quoted(text, start, mark.lstrip("bruf"))
        if end is not None:
            yield start, end, "quoted"
            again = _BECOMES.match(text, end)
            if again:
                last = _end_of_quoted(text, again.end(), text[again.end() - 1])
                if last is not None:
                    yield again.end(), last, "quoted"
        elif mark != "`":
            yield from _bare(text, name, start, sep)
    else:
        yield from _bare(text, name, start, sep)


def _argument(text: str, name: _Name, at: int) -> Iterator[_Found]:
    """The argument after a name that is one, and the one of a function of that name."""
    item = _QUOTED_ITEM.match(text, at)
    if item and item["quote"] != "`":
        odd = name.strong or not item["value"].isidentifier()
        yield item.start("value"), item.end("value"), "quoted" if odd else "bare"


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
    if run is None:
        return
    value = run[0]
    line = _line_start(text, name.start)
    anchored = bool(_ANCHOR.fullmatch(text, line, name.start)) if name.start - line < 80 else False
    whole = anchored and sep != ":-" and "\\" not in value
    if whole:
        value = value.rstrip(",;")
        if ";" in value and (name.start == line or "=" in value[value.index(";") :]):
            value = value[: value.index(";")]
        direct = text[start - 1] == "=" and text[start - 2] not in "= "  # as in a shell
        operator = None if direct else _OPERATOR.match(text, run.end())
        if operator and sep == ":" and not operator[0][-1].isspace():
            operator = None  # `pw: v (as before)`
        if operator or _CODE.fullmatch(value):
            return
        if value[-1:] in "\"')`]}" and not _balanced(value):
            value = value.rstrip("\"')`]}")
    else:
        cut = _BARE_END.search(value)
        if cut:
            if value[cut.start()] in "(<" and value[cut.start() : cut.start() + 2] != "</":
                return
            value = value[: cut.start()]
        if _CODE.fullmatch(value) or "(" in value:
            return
    if value:
        yield start, start + len(value), _place(text, name, start, sep)


def _place(text: str, name: _Name, start: int, sep: str) -> Place:
    """Where a bare value stands: whether it may be something else than a value."""
    direct = sep == "=" and text[start - 1] == "="
    before = text[name.start - 1 : name.start]
    named = name.text.isupper() or name.text.startswith("-") or before in {";", "?", "&", "="}
    if direct and named:
        return "given"
    dotted = "." in name.text and not name.text.startswith(("self.", "this.", "cls."))
    if dotted and before in {"", "\n"}:
        return "given"
    return "harsh" if len(sep) > 2 else "bare"


def _balanced(value: str) -> bool:
    """Whether the sign at the end has its partner in the value."""
    partner = {")": "(", "]": "[", "}": "{"}.get(value[-1], value[-1])
    return value.count(partner) == (value.count(value[-1]) if partner != value[-1] else 2)


def _listed(text: str, at: int) -> Iterator[_Found]:
    for _ in range(_ROWS):
        item = _QUOTED_ITEM.match(text, at)
        if item is None:
            return
        yield item.start("value"), item.end("value"), "quoted"
        at = item.end()


def _field(text: str, start: int, end: int) -> Iterator[_Found]:
    """The value of the field called `value` or `default` that begins in this part of a text."""
    by = _VALUE_BY.search(text, start, end)
    if by is None:
        return
    opened = _OPEN.match(text, by.end())
    mark = opened["open"] if opened else None
    begin = opened.end() if opened else by.end()
    if mark and mark[-1] in "\"'`":
        last = _end_of_quoted(text, begin, mark.lstrip("bruf"))
        if last is not None:
            yield begin, last, "given" if "default" in by[0].lower() else "field"
    elif not mark and (run := _TOKEN.match(text, begin)):
        value = run[0].rstrip(",;")
        if value[-1:] == "}" and "{" not in value:
            value = value.rstrip("}")
        yield begin, begin + len(value), "field"


def _beside(text: str, name: _Name) -> Iterator[_Found]:
    """The value in a field beside the one that holds the name."""
    if not _NAMED_BY.search(text, max(name.start - 80, 0), name.start):
        return
    end = min(name.end + _WINDOW, len(text))
    for cut in (_END_OF_FIELDS, _NAME_FIELD):
        if stop := cut.search(text, name.end, end):
            end = stop.start()
    found = list(_field(text, name.end, end))
    if not found:
        begin = max(name.start - _WINDOW, 0)
        window = text[begin : name.start]
        cuts = [m.end() for m in _FIELDS.finditer(window)]
        found = list(_field(text, begin + (cuts[-1] if cuts else 0), name.start))
    yield from found


def _inside(text: str, name: _Name, at: int) -> Iterator[_Found]:
    """The value in a field of what the name opens: `NAME: {value: v}`."""
    end = min(at + _WINDOW, len(text))
    if stop := _END_OF_OPENED.search(text, at, end):
        end = stop.start()
    indent = _indent(text, name.start)
    position = text.find("\n", at, end)
    while position >= 0 and text[at - 1] != "{":
        if _indent(text, position + 1) <= indent:
            end = position
            break
        position = text.find("\n", position + 1, end)
    yield from _field(text, at, end)


def _indent(text: str, at: int) -> int:
    line = _line_start(text, at) if text[at - 1 : at] != "\n" else at
    body = text[line : line + 200]
    return len(body) - len(body.lstrip(" \t"))


def _lines_below(text: str, at: int) -> Iterator[tuple[int, str]]:
    """The lines after the one in which `at` stands, with where they begin."""
    for _ in range(_ROWS):
        end = text.find("\n", at)
        if end < 0:
            return
        at = end + 1
        last = text.find("\n", at)
        yield at, text[at : len(text) if last < 0 else last]


def _below(text: str, name: _Name) -> Iterator[_Found]:
    """The values on the lines below a name that ends its line."""
    indent = _indent(text, name.start)
    count = 0
    for at, line in _lines_below(text, name.end):
        if not line.strip() or (not count and _FENCE.match(line)):
            continue
        count += 1
        deeper = len(line) - len(line.lstrip(" \t")) > indent
        item = _ITEM.match(line)
        if not deeper and count > 1:
            return
        if item is None or (item["name"] and not name.plural):
            return
        place: Place = "block" if deeper else "told"
        if item["value"].startswith(("|", ">")) and len(item["value"]) < 4:
            continue
        yield at + item.start("value"), at + item.end("value"), place
        if not deeper:
            return


def _without_sign(text: str, name: _Name, after: re.Match[str]) -> Iterator[_Found]:
    """The value of a name after which no sign stands."""
    at = after.end()
    if text[at : at + 1] in {"\n", "\r", ""}:
        yield from _under(text, name)
        return
    if answer := _ANSWER.match(text, name.end):
        value = answer["value"].rstrip(".,;:?)")
        yield answer.start("value"), answer.start("value") + len(value), "told"
        return
    if name.short and not name.text.startswith("-"):
        if name.text.lower() != "pass":
            yield from _told(text, name, at)
        return
    if _ASKS.match(text, name.end):
        yield from _below(text, name)
        return
    run = _TOKEN.match(text, at)
    if at == name.end or after["close"] or run is None:
        yield from _told(text, name, at)
        return
    end = _end_of_quoted(text, at + 1, text[at]) if text[at] in "'\"" else None
    to_the_end = text[run.end() : run.end() + 1] in {"\n", "\r", ""}
    if end is not None:
        yield at + 1, end, "quoted"
    elif to_the_end and (text[name.end : at] not in {"", " "} or _begins_line(text, name)):
        yield at, run.end(), "bare"
    elif "(" not in run[0] and _stands_alone(text, name):
        yield at, run.end(), "told"
    elif "(" not in run[0] and _is_used(text, name, run):
        value = run[0].rstrip(".,;:?)")
        yield at, at + len(value), "bare" if name.strong else "told"
    else:
        yield from _told(text, name, at)


def _begins_line(text: str, name: _Name) -> bool:
    """Whether a line is a name and a value and nothing more, as in the settings of a server."""
    return text[name.start - 1 : name.start] in {"", "\n"}


def _is_used(text: str, name: _Name, value: re.Match[str]) -> bool:
    """Whether a sentence says the value without a word between: `use password v for the demo`."""
    if not name.strong:
        return text[name.end : value.start()] == " "  # it has to be random
    if _CLAUSE_ENDS.match(text, value.end() - (value[0][-1] in ".,;:)")):
        return bool(_NOT_SPOKEN.match(value[0]))
    before = text[max(name.start - 12, 0) : name.start]
    return bool(_USED.search(before) and _USED_FOR.match(text, value.end()))


def _stands_alone(text: str, name: _Name) -> bool:
    """Whether a space ends the name: an option of a program, a variable that a command sets."""
    if name.text.startswith("-"):
        return not text[name.start - 1 : name.start].isalnum()
    return "_" in name.text and (name.text.isupper() or not name.strong)


def _beside_user(text: str, name: _Name) -> Iterator[_Found]:
    """What a sentence tells beside a user: `admin / v`."""
    for told in _USER_AND.finditer(text, name.end, _sentence_end(text, name.end)):
        value = told["value"].rstrip(".,;:?)")
        yield told.start("value"), told.start("value") + len(value), "told"


def _sentence_end(text: str, at: int) -> int:
    end = min(at + _SENTENCE, len(text))
    stop = _SENTENCE_END.search(text, at, end)
    return stop.end() if stop else end


def _told(text: str, name: _Name, at: int) -> Iterator[_Found]:
    """What a sentence says that the value is; that of the answer where it asks."""
    for told in _TOLD.finditer(text, max(at - 1, name.end), _sentence_end(text, at)):
        changes = told["by"] == "to"
        if not changes or _CHANGED.search(text, max(name.start - _SENTENCE, 0), told.start()):
            value = told["value"].rstrip(".,;:?)")
            yield told.start("value"), told.start("value") + len(value), "told"


def _under(text: str, name: _Name) -> Iterator[_Found]:
    """The value under a heading, and after an argument in a list of them."""
    line = _line_start(text, name.start)
    lead = text[line : name.start].strip()
    argument = text[name.start : name.start + 2] == "--" or lead.endswith("--")
    bold = lead.startswith("**") and text[name.end : name.end + 2] == "**"
    below = [(at, body) for at, body in _first(text, name.end) if body.strip()]
    ruled = bool(below and _UNDERLINE.match(below[0][1]))
    if not (argument or bold or ruled or lead.startswith("#")):
        return
    for at, body in below:
        if _FENCE.match(body):
            continue
        item = _ITEM.match(body)
        if (
            item
            and not item["name"]
            and (argument or not body.lstrip().startswith(("-", "*", "#")))
        ):
            yield at + item.start("value"), at + item.end("value"), "told"
        return


def _first(text: str, at: int) -> Iterator[tuple[int, str]]:
    for count, line in enumerate(_lines_below(text, at)):
        if count == 5:
            return
        yield line


def _column(text: str, name: _Name) -> Iterator[_Found]:
    """The cells below a name that heads a column, with `|` between columns."""
    line = _line_start(text, name.start)
    number = text.count("|", line, name.start)
    rows = _lines_below(text, name.end)
    ruled = next(rows, None)
    if ruled is None or "--" not in ruled[1] or not _RULE.match(ruled[1]):
        return
    if (
        "|" not in text[line : name.end]
        and "|" not in text[name.end : name.end + 80].split("\n", maxsplit=1)[0]
    ):
        return
    for at, row in rows:
        if "|" not in row:
            return
        begin = _after_signs(row, "|", number)
        yield from _cell(row[begin:], at + begin)


def _next_cell(text: str, at: int) -> Iterator[_Found]:
    """The cell after a name, in a line that a `|` begins."""
    cell = _CELL.match(text, at)
    if cell and text[_line_start(text, at) : at].lstrip().startswith("|"):
        yield from _cell(cell[0], at)


def _cell(row: str, at: int) -> Iterator[_Found]:
    """What a cell holds that begins here, if it is one word."""
    cell = _CELL.match(row)
    body = cell[0].strip().strip("`*\"'") if cell else ""
    if body and not any(c.isspace() for c in body):
        start = at + row.index(body)
        yield start, start + len(body), "cell"


def _inserted(text: str, name: _Name) -> Iterator[_Found]:
    """The values of a column that a statement of SQL names: `INSERT INTO t (a, NAME) VALUES …`."""
    begin = text.rfind("(", max(name.start - _LINE, 0), name.start) + 1
    values = _VALUES.match(text, name.end) if begin else None
    if values is None or not _ends(_INSERT, text, begin):
        return
    number, at = text.count(",", begin, name.start), values.end()
    for _ in range(_ROWS):
        row = _ROW.match(text, at)
        if row is None:
            return
        fields = list(_VALUE.finditer(text, row.start("values"), row.end("values")))
        if number < len(fields) and (quoted := _QUOTED_ITEM.match(text, fields[number].start())):
            yield quoted.start("value"), quoted.end("value"), "quoted"
        at = row.end()


def _ends(pattern: re.Pattern[str], text: str, at: int) -> bool:
    """Whether something that the pattern describes ends there."""
    return any(match.end() == at for match in pattern.finditer(text, max(at - 200, 0), at))


def _record_column(text: str, name: _Name) -> Iterator[_Found]:
    """The cells below a name in the first line of a text with separated values."""
    line = _line_start(text, name.start)
    if line > 0 or name.start > _LINE or not (header := _HEADER_OF_ROWS.match(text)):
        return
    by = header["by"]
    number, columns = text.count(by, 0, name.start), header[0].count(by)
    for at, row in _lines_below(text, name.end):
        if row.count(by) != columns:
            if row.strip() and '"' not in row:
                return
            continue
        begin = _after_signs(row, by, number)
        body = row[begin:].split(by)[0].strip().strip('"')
        if body and not any(c.isspace() for c in body):
            start = at + row.index(body, begin)
            yield start, start + len(body), "cell"


def _after_signs(row: str, sign: str, number: int) -> int:
    """Where the column begins that has so many signs before it."""
    at = 0
    for _ in range(number):
        at = row.find(sign, at) + 1
    return at
