"""Front matter: the properties at the head of a document, and the relations they name."""

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

import yaml

from quipu.domain.document import Tie
from quipu.domain.records import Properties, Value
from quipu.domain.schema import relation_type
from quipu.errors import InvalidInput

_FENCE = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML_FENCE = re.compile(r"\A\+\+\+[ \t]*\n(.*?\n)?\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
_MAX_CHARACTERS = 64_000
_MAX_DEPTH = 20
_RELATION_KEYS: dict[str, tuple[str, str, bool]] = {
    "relates_to": ("RELATES_TO", "", False),
    "related": ("RELATES_TO", "", False),
    "related_to": ("RELATED_TO", "", False),
    "supersedes": ("SUPERSEDES", "", False),
    "superseded_by": ("SUPERSEDED_BY", "", False),
    "depends_on": ("DEPENDS_ON", "", False),
    "owner": ("OWNED_BY", "Owner", True),
    "owners": ("OWNED_BY", "Owner", True),
    "owned_by": ("OWNED_BY", "Owner", True),
    "team": ("OWNED_BY", "Owner", True),
    "policy": ("GOVERNED_BY", "Policy", True),
    "policies": ("GOVERNED_BY", "Policy", True),
    "governed_by": ("GOVERNED_BY", "Policy", True),
    "decided_by": ("DECIDED_BY", "ADR", False),
    "service": ("DESCRIBES", "Service", True),
    "services": ("DESCRIBES", "Service", True),
    "author": ("AUTHORED_BY", "person", True),
    "authors": ("AUTHORED_BY", "person", True),
}
_BY_SUFFIX = re.compile(r"(?:.*_)?(?:by|to|on|in|for|of|from|with|at)$")
_VERBS = frozenset(
    """supersedes implements explains references blocks uses describes replaces mentions governs
    documents tests defines requires extends refines amends contradicts duplicates affects
    consumes produces calls owns deploys monitors""".split()
)


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
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).split("\n")[0]
        return {}, lines, f"front matter is not valid {kind.upper()} and was left out: {reason}"
    if not isinstance(loaded, Mapping):
        return {}, (lines if loaded is None else 0), None
    items = cast("Mapping[Any, Any]", loaded).items()
    return {str(k): plain(v) for k, v in items if k is not None}, lines, None


def _load(body: str, kind: str) -> object:
    if len(body) > _MAX_CHARACTERS:
        raise ValueError(f"longer than {_MAX_CHARACTERS} characters")
    if kind == "toml":
        import tomllib

        return tomllib.loads(body)
    return yaml.load(body, Loader=_Loader)  # noqa: S506 - a SafeLoader


def plain(value: object, depth: int = 0) -> Value:
    """`value` as JSON data: dates as text, what JSON has no word for as its text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime() | date():
            return value.isoformat()
        case dict() if depth < _MAX_DEPTH:
            items = cast("dict[object, object]", value).items()
            return {str(k): plain(v, depth + 1) for k, v in items}
        case list() | tuple() | set() if depth < _MAX_DEPTH:
            return [plain(v, depth + 1) for v in cast("list[object]", value)]
        case _:
            return str(value)[:200]


def ties_of(properties: Properties, line_of: Mapping[str, int]) -> list[Tie]:
    """The relations that front matter states, in the order of its keys.

    Known keys have their own type; another key is a relation when it reads like one (a verb, or
    a word ending in by, to, on …) and its values are names, and `relations:` may hold any.
    """
    ties: list[Tie] = []
    for key, value in properties.items():
        line = line_of.get(key, 1)
        if key in {"relations", "links", "edges"} and isinstance(value, dict):
            for inner, targets in value.items():
                ties += _ties(inner, targets, line)
        elif key in _RELATION_KEYS or _BY_SUFFIX.fullmatch(key) or key in _VERBS:
            ties += _ties(key, value, line)
    return ties


def _ties(key: str, value: Value, line: int) -> list[Tie]:
    normal = re.sub(r"[\s-]+", "_", key.strip().lower())
    if normal in _RELATION_KEYS:
        type_, target_type, create = _RELATION_KEYS[normal]
    else:
        try:
            type_, target_type, create = relation_type(key), "", False
        except InvalidInput:
            return []
    return [
        Tie(type_, target_type, name, line, as_written=key, create=create) for name in _names(value)
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


def key_lines(text: str, lines: int) -> dict[str, int]:
    """On which line each top-level key of the first `lines` lines stands."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n", lines + 1)[:lines], 1):
        key = re.match(r"[\"']?([\w.-]+)[\"']?\s*[:=]", line)
        if key:
            found.setdefault(key[1], number)
    return found
