"""Text put into a client's file, and taken out again, with everything else left as it is.

What is put in comes first in its object, list or mapping, or last in the file, as whole lines. So
comments, order and style stay, and taking out the same text gives the same bytes. What a file says
afterwards is read with a parser and must be what was meant; else the file is not touched.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import tree_sitter_javascript
import yaml
from tree_sitter import Language, Node, Parser

from quipu.errors import InvalidInput
from quipu.serve.setup.clients import Format

__all__ = ["Edit", "inserted", "pasted", "value_in", "without", "without_table"]

_INDENT = "  "
_BARE = re.compile("[A-Za-z0-9_-]+")


class Edit(NamedTuple):
    """At an offset of a text, `put` stands in the place of `cut`."""

    at: int
    cut: str
    put: str

    def done(self, text: str) -> str:
        """The text with what is put in."""
        return text[: self.at] + self.put + text[self.at + len(self.cut) :]

    def undone(self, text: str) -> str | None:
        """The text without what was put in; None where that does not stand there once."""
        if text[self.at :].startswith(self.put):
            return text[: self.at] + self.cut + text[self.at + len(self.put) :]
        if text.count(self.put) == 1:
            return text.replace(self.put, self.cut)
        return None


def inserted(text: str, keys: Sequence[str], value: Any, kind: Format) -> Edit:
    """What puts `value` under `keys`; a list is put before what is in the list there. Raises
    InvalidInput where that cannot be done so that nothing else changes."""
    before = _read(text, kind)
    merged = _merged(before, keys, value)
    put = {"json": _in_json, "toml": _in_toml, "yaml": _in_yaml}[kind]
    edit = put(text, keys, value)
    if "\r\n" in text:
        edit = edit._replace(put=edit.put.replace("\n", "\r\n"))
    if _read(edit.done(text), kind) != merged:
        raise InvalidInput("it is written in a way that cannot be changed by itself")
    return edit


def value_in(text: str, keys: Sequence[str], kind: Format) -> Any:
    """What a text says under `keys`; None where it says nothing. Raises InvalidInput."""
    found: Any = _read(text, kind)
    for key in keys:
        found = cast("dict[str, Any]", found).get(key) if isinstance(found, dict) else None
    return found


def without(text: str, keys: Sequence[str], value: Any, *, made: str = "") -> str | None:
    """JSON without `value`, or the items of such a list, under `keys`, however a client has written
    it anew; None where it is not there. Of what is empty then, what the text `made` is gone too."""
    for wanted in cast("list[Any]", value) if isinstance(value, list) else [value]:
        source = _Source(text)
        node, pair = source.find(keys)
        if node is not None and isinstance(value, list):
            pair = node = next((n for n in _items(node) if source.value(n) == wanted), None)
        if node is None or pair is None or source.value(node) != wanted:
            return None
        text = source.cut(pair)
    for depth in range(len(keys), 0, -1):
        source = _Source(text)
        node, pair = source.find(keys[:depth])
        was_made = f"{json.dumps(keys[depth - 1])}:" in made
        if node is not None and pair is not None and was_made and not source.value(node):
            text = source.cut(pair)
    return text


def without_table(text: str, keys: Sequence[str], value: Mapping[str, Any]) -> str | None:
    """TOML without the table `value` under `keys`; None where it does not stand there as a table
    of its own, a line a value."""
    after = text.replace(_toml_table(keys, value), "", 1)
    try:
        is_whole = _merged(_read(after, "toml"), keys, value) == _read(text, "toml")
    except InvalidInput:
        return None
    return after if is_whole else None


def pasted(keys: Sequence[str], value: Any, kind: Format) -> str:
    """The lines that a person would paste into an empty file."""
    if kind == "toml":
        return _toml_table(keys, value)
    if kind == "yaml":
        return _yaml(_nested(keys, value))
    return json.dumps(_nested(keys, value), indent=2, ensure_ascii=False) + "\n"


def _read(text: str, kind: Format) -> dict[str, Any]:
    plain = text.removeprefix("\ufeff")
    try:
        if kind == "toml":
            return tomllib.loads(plain)
        if kind == "yaml":
            found: object = yaml.safe_load(plain) or {}
        else:
            found = _json(plain) if plain.strip() else {}
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise InvalidInput(f"it is no {kind.upper()} ({error}): mend it first") from error
    if not isinstance(found, dict):
        raise InvalidInput("it holds no object: mend it first")
    return cast("dict[str, Any]", found)


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:  # comments, commas behind the last: slower to read
        return _Source(text).value()


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _merged(before: Mapping[str, Any], keys: Sequence[str], value: Any) -> dict[str, Any]:
    key, *deeper = keys
    there = before.get(key)
    if deeper:
        if not isinstance(there, dict | None):
            raise InvalidInput(f"{key!r} is no object there: mend it by hand")
        return {**before, key: _merged(cast("dict[str, Any]", there or {}), deeper, value)}
    if isinstance(value, list) and isinstance(there, list):
        return {**before, key: [*cast("list[Any]", value), *cast("list[Any]", there)]}
    if there is not None:
        raise InvalidInput(f"{key!r} is there already")
    return {**before, key: value}


class _Source:
    """JSON with comments and trailing commas, as the grammar of JavaScript reads it."""

    def __init__(self, text: str) -> None:
        self._bytes = b"(" + text.encode() + b")"
        tree = Parser(Language(tree_sitter_javascript.language())).parse(self._bytes)
        self.text, self._root = text, tree.root_node

    def value(self, node: Node | None = None) -> Any:
        """What a node says. Raises ValueError for what JSON does not have."""
        if node is None:
            if self._root.has_error:
                raise ValueError("a bracket, a quote or a comma is missing")
            node = self.top
        match node.type:
            case "object":
                return {
                    self._key(pair): self.value(pair.child_by_field_name("value"))
                    for pair in _items(node)
                }
            case "array":
                return [self.value(item) for item in _items(node)]
            case _:
                return json.loads(self._said(node))

    @property
    def top(self) -> Node:
        """The outermost value. Raises ValueError."""
        found = next((n for n in _walk(self._root) if n.type in ("object", "array")), None)
        if found is None:
            raise ValueError("there is no object")
        return found

    def find(self, keys: Sequence[str]) -> tuple[Node | None, Node | None]:
        """The value under keys and the pair that it stands in."""
        node: Node | None = self.top
        pair: Node | None = None
        for key in keys:
            inner = _items(node) if node is not None and node.type == "object" else []
            named = (
                p for p in inner if json.loads(self._said(p.child_by_field_name("key"))) == key
            )
            pair = next(named, None)
            node = pair.child_by_field_name("value") if pair is not None else None
        return node, pair

    def offset(self, node_byte: int) -> int:
        """The place in the text that a byte stands at."""
        return len(self._bytes[1:node_byte].decode())

    def cut(self, node: Node) -> str:
        """The text without an item and the comma that it leaves behind."""
        start, end = self.offset(node.start_byte), self.offset(node.end_byte)
        head, tail = self.text[:start].rstrip(), self.text[end:]
        if tail.lstrip().startswith(","):
            return head + tail.lstrip()[1:]
        return head.removesuffix(",") + tail

    def _key(self, pair: Node) -> str:
        return json.loads(self._said(pair.child_by_field_name("key")))

    def _said(self, node: Node | None) -> str:
        return "" if node is None else self._bytes[node.start_byte : node.end_byte].decode()


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _items(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _in_json(text: str, keys: Sequence[str], value: Any) -> Edit:
    if not text.strip():
        return Edit(0, text, pasted(keys, value, "json"))
    source = _Source(text)
    depth = next(n for n in range(len(keys), -1, -1) if source.find(keys[:n])[0] is not None)
    node, _ = source.find(keys[:depth])
    if depth == 0:
        node = source.top
    assert node is not None
    unit, base = _unit(text), _indent_of(text, source.offset(node.start_byte))
    rest = keys[depth:]
    if rest:
        said = f"{json.dumps(rest[0])}: {_shown(_nested(rest[1:], value), unit)}"
    else:
        said = ",\n".join(_shown(item, unit) for item in value)
    lines = "".join(f"\n{base}{unit}{line}" for line in said.split("\n"))
    after = node.children[0]
    for child in node.children[1:]:
        if child.type != "comment" or child.start_point.row != node.start_point.row:
            break
        after = child
    at, end = source.offset(after.end_byte), source.offset(node.end_byte) - 1
    if _items(node):
        on_one_line = "\n" not in text[at : source.offset(_items(node)[0].start_byte)]
        return Edit(at, "", lines + "," + (f"\n{base}{unit}" if on_one_line else ""))
    return Edit(at, "", lines + ("" if "\n" in text[at:end] else f"\n{base}"))


def _shown(value: Any, unit: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False)


def _unit(text: str) -> str:
    """One step of indentation as the text has it."""
    first = next((line for line in text.splitlines() if line[:1] in (" ", "\t")), _INDENT)
    return "\t" if first[0] == "\t" else first[: len(first) - len(first.lstrip(" "))]


def _indent_of(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _at_end(text: str, put: str) -> Edit:
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return Edit(len(text), "", gap + put)


def _in_toml(text: str, keys: Sequence[str], value: Any) -> Edit:
    return _at_end(text, _toml_table(keys, value))


def _toml_table(keys: Sequence[str], value: Mapping[str, Any]) -> str:
    head = f"[{'.'.join(map(_toml_key, keys))}]\n"
    return head + "".join(
        f"{key} = {json.dumps(said, ensure_ascii=False)}\n" for key, said in value.items()
    )


def _toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _in_yaml(text: str, keys: Sequence[str], value: Any) -> Edit:
    root = cast("Any", yaml.compose(text))  # pyright: ignore[reportUnknownMemberType]  untyped
    pairs: list[tuple[Any, Any]] = root.value if isinstance(root, yaml.MappingNode) else []
    there = next((node for key, node in pairs if key.value == keys[0]), None)
    if there is None:
        return _at_end(text, _yaml(_nested(keys, value)))
    if not isinstance(there, yaml.CollectionNode) or there.flow_style:
        raise InvalidInput(f"{keys[0]!r} is written in one line there: break it, or do it by hand")
    lines = _yaml(_nested(keys[1:], value)).splitlines(keepends=True)
    indent = " " * there.start_mark.column
    at = there.start_mark.index - there.start_mark.column
    return Edit(at, "", "".join(indent + line for line in lines))


def _yaml(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=1000)
