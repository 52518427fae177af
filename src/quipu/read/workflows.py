"""CI pipelines: the workflow that a file is, and what it runs and uses."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import yaml

from quipu.read.keys import read_keys, yaml_roots
from quipu.read.reading import Reading
from quipu.records.document import StatedRelation, Thing

__all__ = ["read_workflow"]

_USED = frozenset({"uses", "include", "local", "extends", "template"})
_RUN = frozenset("run script before_script after_script commands command entrypoint".split())
_PATH = re.compile(
    r"(?<![\w$/.:@-])\.{0,2}/?(?:[\w.-]+/)+[\w.-]+\.[a-z]{1,5}\b"
    r"|\b[\w-]+\.(?:sh|py|js|ts|rb|pl|ps1)\b"
)
_ACTION = re.compile(r"(?P<name>[\w.-]+/[\w./-]+)@[\w./-]+")
_LARGEST = 1_000_000
_MOST = 500


def read_workflow(text: str, path: str) -> Reading:
    """The workflow of a file, by its `name` or the file's; what is not YAML is plain text, with
    a warning."""
    reading = read_keys(text, "yaml")
    reading.type = "workflow"
    if reading.warnings or len(text) > _LARGEST:
        return reading
    roots = yaml_roots(text)
    name, line = _name(roots[0] if roots else None, path)
    reading.things.append(Thing("Workflow", name, line, own=True))
    for relation in _relations(roots, ("Workflow", name)):
        if len(reading.relations) < _MOST and relation not in reading.relations:
            reading.relations.append(relation)
    return reading


def _name(root: yaml.Node | None, path: str) -> tuple[str, int]:
    if isinstance(root, yaml.MappingNode):
        for key, value in root.value:
            if getattr(key, "value", None) == "name" and isinstance(value, yaml.ScalarNode):
                return str(value.value).strip() or path, key.start_mark.line + 1
    place = PurePosixPath(path)
    return (place.stem.lstrip(".") if place.stem != "config" else path), 1


def _relations(roots: list[yaml.Node], source: tuple[str, str]) -> Iterator[StatedRelation]:
    for key, node in _scalars(roots):
        for offset, line in enumerate(str(node.value).split("\n")):
            at = node.start_mark.line + 1 + offset + (node.style in ("|", ">"))
            yield from _tied(key, line, at, source)


def _tied(key: str, text: str, line: int, source: tuple[str, str]) -> Iterator[StatedRelation]:
    if key in _USED and (action := _ACTION.fullmatch(text.strip())):
        yield StatedRelation("USES", "Package", action["name"], line, source=source, create=True)
    elif key in _USED and text.strip().lstrip("./").count(".") and " " not in text.strip():
        yield StatedRelation("USES", "", _from_root(text.strip()), line, source=source)
    elif key in _RUN:
        for match in _PATH.finditer(text):
            yield StatedRelation("USES", "", _from_root(match[0]), line, source=source)


def _from_root(path: str) -> str:
    """A path as pipelines mean it: they run in the root of the tree."""
    return "/" + path.removeprefix("./").lstrip("/")


def _scalars(roots: list[yaml.Node]) -> Iterator[tuple[str, yaml.ScalarNode]]:
    """Every scalar with the nearest key above it, in the order of the file."""
    waiting = [("", root) for root in reversed(roots)]
    seen: set[int] = set()
    while waiting:
        key, node = waiting.pop()
        if isinstance(node, yaml.ScalarNode):
            yield key, node
            continue
        if id(node) in seen:  # an alias stands in several places
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            pairs = [(str(getattr(k, "value", "")), value) for k, value in node.value]
            waiting += reversed(pairs)
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(key, item) for item in reversed(node.value)]
