"""Front matter: the properties at the head of a document, and the relations they name."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any, cast

import yaml

from quipu.errors import InvalidInput
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
_TOML_FENCE = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_GAP = re.compile(r"[\s-]+")
_KEY_LINE = re.compile(r"[\"']?([\w.-][\w .-]{0,100}+)[\"']?[ \t]*[:=]")
_ODD = (
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
_MAX_CHARACTERS = 64_000
_MAX_DEPTH = 20
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


class _Loader(yaml.SafeLoader):
    """Safe YAML without aliases: a document cannot grow when it is read."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
            raise yaml.YAMLError("aliases are not read in front matter")
        return super().compose_node(parent, index)  # type: ignore[no-untyped-call]


def split_front_matter(text: str) -> tuple[Properties, int, str | None]:
    """The properties, how many lines the front matter takes, and a warning if it is broken."""
    if text.startswith("---"):
        match, kind = _FENCE.match(text), "yaml"
    elif text.startswith("+++"):
        match, kind = _TOML_FENCE.match(text), "toml"
    else:
        return {}, 0, None
    if match is None:
        return {}, 0, None
    lines = match[0].count("\n") + (not match[0].endswith("\n"))
    body = match[1] or ""
    try:
        loaded = _load(body, kind)
    except _ODD as error:
        reason = str(error).split("\n")[0]
        return {}, lines, f"front matter is not valid {kind.upper()} and was left out: {reason}"
    if not isinstance(loaded, Mapping):
        return {}, (lines if loaded is None else 0), None
    items = cast("Mapping[object, object]", loaded).items()
    properties, twice = _properties(items)
    return properties, lines, twice or None


def key_of(written: str) -> str:
    """A key as it is known: `Decided by` and `decided-by` are `decided_by`."""
    return _GAP.sub("_", written.strip().lower())


def _properties(items: Iterable[tuple[object, object]]) -> tuple[Properties, str]:
    found: Properties = {}
    twice: list[str] = []
    for written, value in items:
        if written is not None:
            key = key_of(normalised(str(written)))
            if key in found:
                twice.append(key)
            found[key] = plain(value)
    warning = f"front matter has {twice[0]!r} more than once; the last one counts" if twice else ""
    return found, warning


def _load(body: str, kind: str) -> object:
    body = quoted_links(body) if kind == "yaml" else body
    if len(body) > _MAX_CHARACTERS:
        raise ValueError(f"longer than {_MAX_CHARACTERS} characters")
    if kind == "toml":
        import tomllib

        return tomllib.loads(body)
    return yaml.load(body, Loader=_Loader)  # noqa: S506 - a SafeLoader


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
