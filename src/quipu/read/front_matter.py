"""Front matter: the properties at the head of a document, and the relations they name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NamedTuple, cast

import yaml

from quipu.errors import InvalidInput
from quipu.limits import LONGEST_TEXT, SHOWN_VALUE
from quipu.read.decode import normalised
from quipu.records.document import StatedRelation, Thing
from quipu.records.record import Properties, Value
from quipu.records.schema import (
    EntityType,
    RelationRow,
    RelationType,
    relation_type,
    row_of,
    wrong_end,
)
from quipu.records.wiki import quoted_links, wiki_values

_FENCE = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_GAP = re.compile(r"[\s-]+")
_KEY_LINE = re.compile(r"[\"']?([\w.-][\w .-]{0,100}+)[\"']?[ \t]*:")
_STRUCTURE = re.compile(r"[\[{!|>&].*|\*[\w-]+", re.DOTALL)
"""A broken value that was to be more than a text: a list, a mapping, a tag, an alias, a block."""
_QUOTED = re.compile(r"([\"'])(.*)\1")
_COMMENT = re.compile(r"(?:^|(?<=\s))#(?:\s.*)?$")
YAML_FAULTS = (
    yaml.YAMLError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What PyYAML raises for a tag and a value that do not fit: `!!bool x`, `!!int ''`."""
_LARGEST_INTEGER = 2**63
_MAX_DEPTH = 20
_MOST_WARNINGS = 10
_BY_KEY = {key: each for each in RelationType for key in each.row.keys}
_AS_THING = {
    "service": "Service",
    "application": "Application",
    "app": "Application",
    "team": "Owner",
    "owner": "Owner",
    "infra": "Infra",
    "infrastructure": "Infra",
    "registry": "Registry",
    "workflow": "Workflow",
}
"""What a page is whose front matter names this type. ADRs and policies are known by their page,
not by their name (`extract/entities.py`)."""
_BY_SUFFIX = re.compile(r"(?:.*_)?(?:by|to|on|in|for|of|from|with|at)$")
_VERBS = frozenset(
    """supersedes implements explains references blocks uses describes replaces mentions governs
    documents tests defines requires extends refines amends contradicts duplicates affects
    consumes produces calls owns deploys monitors""".split()
)


_NO_RELATIONS = frozenset({"alias", "aliases", "permalink", "tags", "title", "type"})


class FrontMatter(NamedTuple):
    """The properties at the head of a text, how many lines they take, and what is wrong with them:
    (message, line)."""

    properties: Properties
    lines: int = 0
    warnings: tuple[tuple[str, int], ...] = ()


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases: a document cannot grow when it is read. What would not be written
    as it is read stays as it is written: `1.10`, `007`, `12:30`, `no`."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
            raise yaml.YAMLError("aliases are not read in front matter")
        return super().compose_node(parent, index)  # type: ignore[no-untyped-call]

    def construct_plain(self, node: Any) -> object:
        """A number or a truth value, where it says the same as its text."""
        written = str(node.value)
        value: object = yaml.SafeLoader.yaml_constructors[node.tag](self, node)
        if isinstance(value, bool):
            return value if written.lower() in ("true", "false") else written
        if isinstance(value, int | float):
            return value if str(value) == written else written
        return value


for _tag in ("bool", "int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _Loader.construct_plain)


def split_front_matter(text: str) -> FrontMatter:
    """The front matter of `text`. A line that is not valid is read as text where it may be one
    (`title: ADR 7: Use SQLite`), else left out; each is named by a warning."""
    match = _FENCE.match(text)
    if match is None:
        return FrontMatter({})
    lines = match[0].count("\n") + (not match[0].endswith("\n"))
    body, warnings = match[1] or "", list[tuple[str, int]]()
    if len(body) > LONGEST_TEXT:
        body = body[:LONGEST_TEXT].rpartition("\n")[0]
        last = body.count("\n") + 2
        message = f"front matter is longer than {LONGEST_TEXT} characters; the rest was left out"
        warnings.append((message, last))
    try:
        loaded = _load(body)
    except YAML_FAULTS as error:
        loaded = None
        items = list(_line_by_line(body, str(error).split("\n")[0], warnings))
    else:
        if not isinstance(loaded, Mapping):
            return FrontMatter({}, lines if loaded is None else 0)
        items = list(cast("Mapping[object, object]", loaded).items())
    properties = {
        key_of(normalised(str(written))): plain(value)
        for written, value in items
        if written is not None
    }
    warnings += _repeated(body)
    if len(warnings) > _MOST_WARNINGS:
        more = f"front matter has {len(warnings) - _MOST_WARNINGS} more lines that are not valid"
        warnings[_MOST_WARNINGS:] = [(more, warnings[_MOST_WARNINGS][1])]
    return FrontMatter(properties, lines, tuple(warnings))


def _line_by_line(
    body: str, reason: str, warnings: list[tuple[str, int]]
) -> Iterator[tuple[object, object]]:
    """The items of front matter that is not valid as a whole: each key with the lines below it is
    read for itself."""
    for first, block in _blocks(body):
        try:
            loaded = _load(block.expandtabs(2))
        except YAML_FAULTS as error:
            reason = str(error).split("\n")[0]
        else:
            if isinstance(loaded, Mapping):
                yield from cast("Mapping[object, object]", loaded).items()
                continue
            reason = "it is no key with a value"
        written = block.strip().split("\n")[0][:SHOWN_VALUE]
        key, value = _as_text(block)
        was = "left out" if value is None else "read as text"
        message = f"front matter is not valid YAML at `{written}`, which was {was}: {reason}"
        warnings.append((message, first))
        if value is not None:
            yield key, value


def _blocks(body: str) -> Iterator[tuple[int, str]]:
    """(line in the file, text) of each top-level key with what belongs to it: what is indented
    below it, a list."""
    lines = body.split("\n")
    starts = [number for number, line in enumerate(lines) if _starts(line)]
    for start, end in pairwise([*starts, len(lines)]):
        yield start + 2, "\n".join(lines[start:end])


def _starts(line: str) -> bool:
    """Whether a line of front matter begins something: no list, nothing indented, no comment."""
    return bool(line) and line[0] not in " \t#-]})"


def _as_text(block: str) -> tuple[str, str | None]:
    """The key of a broken line, and its value as a text; None where it was to be more than that,
    or is a place to be filled in (`{{date}}`)."""
    line, *below = block.strip().split("\n")
    match = _KEY_LINE.match(line)
    value = _COMMENT.sub("", line[match.end() :]).strip() if match else ""
    if match is None or below or not value or _STRUCTURE.fullmatch(value):
        return "", None
    quoted = _QUOTED.fullmatch(value)
    return match[1], quoted[2] if quoted else value


def key_of(written: str) -> str:
    """A key as it is known: `Decided by` and `decided-by` are `decided_by`."""
    return _GAP.sub("_", written.strip().lower())


def _repeated(body: str) -> Iterator[tuple[str, int]]:
    """A warning for each key that stands more than once."""
    seen: set[str] = set()
    for line, block in _blocks(body):
        match = _KEY_LINE.match(block)
        key = key_of(match[1]) if match else ""
        if key and key in seen:
            yield f"front matter has {key!r} more than once; the last one counts", line
        seen.add(key)


def _load(body: str) -> object:
    return yaml.load(quoted_links(body), Loader=_Loader)  # noqa: S506 - a SafeLoader


def plain(value: object, depth: int = 0) -> Value:
    """`value` as JSON data: dates as text, what JSON has no word for as its text."""
    if depth < _MAX_DEPTH:
        match value:
            case dict():
                items = cast("dict[object, object]", value).items()
                return {normalised(str(k)): plain(v, depth + 1) for k, v in items}
            case set():  # whose own order differs from run to run
                return sorted((plain(v, depth + 1) for v in cast("set[object]", value)), key=str)
            case list() | tuple():
                return [plain(v, depth + 1) for v in cast("list[object]", value)]
            case _:
                pass
    return _scalar(value)


def _scalar(value: object) -> Value:
    match value:
        case None | bool():
            return value
        case int() | float() if abs(value) < _LARGEST_INTEGER:  # neither NaN nor infinite
            return value
        case str():
            return normalised(value)
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return normalised(value.decode("utf-8", "replace"))
        case _:
            return normalised(str(value)[:200])


def relations_of(
    properties: Properties, written: Mapping[str, tuple[int, str]]
) -> list[StatedRelation]:
    """The relations that front matter states, in the order of its keys.

    Known keys have their own type; another key is a relation when it reads like one (a verb, or
    a word ending in by, to, on …) and its values are names, or when they are notes (`[[X]]`), and
    `relations:` may hold any.
    """
    relations: list[StatedRelation] = []
    for key, value in properties.items():
        line, as_written = written.get(key, (1, key))
        if key in {"relations", "links", "edges"} and isinstance(value, dict):
            for inner, targets in value.items():
                relations += _relations(inner, targets, line)
        elif (
            key in _BY_KEY
            or _BY_SUFFIX.fullmatch(key)
            or key in _VERBS
            or (key not in _NO_RELATIONS and wiki_values(value))
        ):
            relations += _relations(as_written, value, line)
    return relations


def thing_of(type_: str, properties: Properties, title: str) -> Thing | None:
    """The thing that a page of this type is, by the name it gives, else by its title."""
    kind = _AS_THING.get(type_)
    if kind is None:
        return None
    written = properties.get("name")
    name = written.strip() if isinstance(written, str) and written.strip() else title
    status = properties.get("status")
    state: Properties = {} if status is None else {"status": status}
    return Thing(kind, name, 1, properties=state, own=True)


def relations_from(thing: Thing, relations: Iterable[StatedRelation]) -> list[StatedRelation]:
    """What a page states in its front matter of the thing that it is: its own relations, but
    those that only a page has."""
    source = (thing.type, thing.name)
    return [
        relation._replace(source=source)
        for relation in relations
        if relation.source is None
        and not row_of(relation.type).of_page
        and (relation.target_type, key_of(relation.target)) != (thing.type, key_of(thing.name))
    ]


def _relations(key: str, value: Value, line: int) -> list[StatedRelation]:
    row = RelationRow()
    if known := _BY_KEY.get(key_of(key)):
        type_, row = str(known), known.row
    else:
        try:
            type_ = relation_type(key)
        except InvalidInput:
            return []
    target = str(row.target or "")
    relations: list[StatedRelation] = []
    for name in _names(value):
        notes = wiki_values(name)
        for note in notes:
            relations += _relations_to_note(type_, note, line, key)
        if not notes:
            relations.append(
                StatedRelation(type_, target, name, line, as_written=key, create=row.creates)
            )
    return relations


def _relations_to_note(type_: str, note: str, line: int, key: str) -> list[StatedRelation]:
    """A page is related to a note; where only a thing can be at that end (an owner), to the thing
    of the note's name, and the page links to the note."""
    row = row_of(type_)
    if wrong_end(type_, EntityType.DOCUMENT, EntityType.DOCUMENT) is None:
        return [StatedRelation(type_, "", note, line, as_written=key, note=True)]
    link = StatedRelation(RelationType.LINKS_TO, "", note, line, note=True)
    if not row.creates:
        return [link]
    name = note.rpartition("/")[2]
    return [
        StatedRelation(type_, str(row.target or ""), name, line, as_written=key, create=True),
        link,
    ]


def _names(value: Value) -> list[str]:
    """A scalar or a list of names; of a mapping its `id`, `name` or `path`."""
    if isinstance(value, list):
        return [name for item in value for name in _names(item)]
    if isinstance(value, dict):
        for key in ("id", "name", "path", "title"):
            if isinstance(value.get(key), str):
                return _names(value[key])
        return []
    if isinstance(value, str) and value.strip() and len(value) <= 300:
        return [value.strip()]
    return []


def key_lines(text: str, lines: int) -> dict[str, tuple[int, str]]:
    """On which line each top-level key of the first `lines` lines stands, and how it is written."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in enumerate(text.split("\n", lines + 1)[:lines], 1):
        if key := _KEY_LINE.match(line):
            found[key_of(key[1])] = number, key[1].strip()
    return found
