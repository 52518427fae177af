"""The service graph: what a company's catalogues and deployments say of services.

    compose            services, images, what they depend on
    Backstage          components, resources, systems and APIs with owner and ties
    Kubernetes         workloads, their images, whom they call
    OpenAPI, AsyncAPI  an API with its endpoints or channels
    Terraform          resources and what they are made of

A form is told by its keys, whatever its file is called. One row of `_TIES` is one field of a
catalogue: the relation that it states, and what it names.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from quipu.patterns import late
from quipu.read.keys import read_keys, yaml_roots
from quipu.read.reading import Reading
from quipu.records.document import StatedRelation, Thing
from quipu.records.record import Properties
from quipu.text import excerpt

__all__ = ["add_services", "read_compose", "read_terraform"]

_LARGEST = 1_000_000
"""Bytes of a file that is read for services."""
_LONGEST_NAME = 300
_MOST = 2_000
"""Things of one file."""
_SAID = 300
"""Characters of a description."""
_LIKELY = 0.8
"""How sure it is that an address in a container's environment names a service it depends on."""
_FORMS = late(r"^[\s{\"']*(?:apiVersion|openapi|swagger|asyncapi)[\"']?\s*:", re.MULTILINE)
_KINDS = {
    "component": "Service",
    "resource": "Infra",
    "system": "Application",
    "domain": "Application",
    "api": "API",
    "group": "Owner",
    "user": "person",
}
"""Backstage's kinds of entity."""
_WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job", "Rollout"})
_VERBS = frozenset("get put post delete options head patch trace publish subscribe".split())
_OWNERS = frozenset({"owner", "team", "owned-by", "maintainer", "app.kubernetes.io/owner"})
_SYSTEMS = frozenset({"app.kubernetes.io/part-of"})
_HOST = late(r"//(?:[^@/\s]*@)?([a-z0-9][a-z0-9-]*)|^([a-z0-9][a-z0-9-]*)(?:\.[a-z0-9.-]+)?:\d+$")
"""The host of an address, or of `host:port`."""
_TF_BLOCK = late(r'^(resource|data|module)\s+"([\w-]+)"(?:\s+"([\w-]+)")?\s*\{', re.MULTILINE)
_TF_NAME = late(r'^\s+(?:name|identifier|bucket)\s*=\s*"([^"$\n]+)"', re.MULTILINE)
_TF_NAMED = late(r"(?<![\w.\"])(?:(data|module)\.)?([a-z][\w-]*)\.([a-zA-Z_][\w-]*)")

Source = tuple[str, str]


class _Tie(NamedTuple):
    """What a field of a catalogue's `spec` states: `target` is the kind of a bare name."""

    relation: str
    target: str
    inverse: bool = False


_TIES = {
    "owner": _Tie("OWNED_BY", "group"),
    "system": _Tie("PART_OF", "system"),
    "domain": _Tie("PART_OF", "domain"),
    "subcomponentOf": _Tie("PART_OF", "component"),
    "dependsOn": _Tie("DEPENDS_ON", "component"),
    "dependencyOf": _Tie("DEPENDS_ON", "component", inverse=True),
    "providesApis": _Tie("PROVIDES", "api"),
    "consumesApis": _Tie("USES", "api"),
}


def read_compose(text: str) -> Reading:
    """Return the services of a compose file; what is not YAML is plain text, with a warning."""
    reading = read_keys(text, "yaml")
    reading.type = "compose"
    if reading.warnings or len(text) > _LARGEST:
        return reading
    roots = yaml_roots(text)
    for key, service in _pairs(_child(roots[0] if roots else None, "services")):
        source = ("Service", str(key.value))
        image = _text(_child(service, "image"))
        properties: Properties = {"image": image} if image else {}
        reading.things.append(Thing(*source, _line(key), properties=properties))
        for other in _names(_child(service, "depends_on")):
            reading.relations.append(_tie("DEPENDS_ON", "Service", other, source))
    _tidy(reading)
    return reading


def add_services(reading: Reading) -> None:
    """Add the services, APIs and ties that YAML or JSON of a known form states; else change
    nothing."""
    if reading.warnings or len(reading.text) > _LARGEST or not _FORMS.search(reading.text):
        return
    try:
        roots = yaml_roots(reading.text)
    except yaml.YAMLError:
        return
    for root in _listed(roots):
        if _child(root, "openapi") or _child(root, "swagger") or _child(root, "asyncapi"):
            _add_api(reading, root)
        elif _text(_child(root, "apiVersion")).startswith("backstage.io/"):
            _add_catalogued(reading, root)
        elif _text(_child(root, "kind")) in _WORKLOADS:
            _add_workload(reading, root)
    _tidy(reading)
    del reading.things[_MOST:], reading.relations[_MOST:]


def _listed(roots: list[yaml.Node]) -> Iterator[yaml.Node]:
    """The documents of a file; of a list of Kubernetes (`kubectl get -o yaml`) its items."""
    for root in roots:
        items = _items(_child(root, "items"))
        yield from items if items and _text(_child(root, "kind")).endswith("List") else [root]


def _tidy(reading: Reading) -> None:
    """Leave out what has no name, or one that no reader could tell, and write the others on one
    line."""
    things = [thing._replace(name=_one_name(thing.name)) for thing in reading.things]
    reading.things[:] = [thing for thing in things if thing.name]
    relations: list[StatedRelation] = []
    for relation in reading.relations:
        target, source = _one_name(relation.target), relation.source
        if source is not None:
            source = (source[0], _one_name(source[1]))
        if target and (source is None or source[1]):
            relations.append(relation._replace(target=target, source=source))
    reading.relations[:] = relations


def _one_name(written: str) -> str:
    """A name on one line without marks that cannot be seen; "" for one that is too long."""
    if not written.isprintable():
        written = "".join(each if each.isprintable() else " " for each in written)
    name = " ".join(written.split())
    return name if len(name) <= _LONGEST_NAME else ""


def _add_catalogued(reading: Reading, root: yaml.Node) -> None:
    """An entity of Backstage's catalogue."""
    metadata, spec = _child(root, "metadata"), _child(root, "spec")
    name, type_ = _child(metadata, "name"), _KINDS.get(_text(_child(root, "kind")).lower())
    if not isinstance(name, yaml.ScalarNode) or type_ is None:
        return
    source = (type_, str(name.value))
    stated = ((key, _text(_child(spec, key))) for key in ("type", "lifecycle"))
    properties: Properties = {key: value for key, value in stated if value}
    said = excerpt(_text(_child(metadata, "description")), limit=_SAID)
    reading.type = "catalog"
    reading.things.append(Thing(*source, _line(name), said, properties))
    for key, tie in _TIES.items():
        for node in _scalars(_child(spec, key)):
            kind, named = _reference(str(node.value), tie.target)
            target = (_KINDS.get(kind, "Service"), named)
            one, other = (target, source) if tie.inverse else (source, target)
            relation = StatedRelation(
                tie.relation, *other, _line(node), source=one, create=not tie.inverse
            )
            reading.relations.append(relation)


def _reference(written: str, kind: str) -> tuple[str, str]:
    """The kind and name of `[kind:][namespace/]name`."""
    before, colon, name = written.rpartition(":")
    return (before.lower() if colon else kind), name.rpartition("/")[2]


def _add_workload(reading: Reading, root: yaml.Node) -> None:
    """A workload of Kubernetes: a service, its images, and whom its environment names."""
    metadata, spec = _child(root, "metadata"), _child(root, "spec")
    name = _child(metadata, "name")
    if not isinstance(name, yaml.ScalarNode):
        return
    source = ("Service", str(name.value))
    containers = [*_containers(spec)]
    images = [image for container in containers if (image := _text(_child(container, "image")))]
    properties: Properties = {"image": images[0] if len(images) == 1 else [*images]}
    properties["kind"] = _text(_child(root, "kind"))
    reading.type = "deployment"
    reading.things.append(Thing(*source, _line(name), properties=properties))
    for key, node in (*_labels(metadata, "labels"), *_labels(metadata, "annotations")):
        if key.rpartition("/")[2] in _OWNERS or key in _OWNERS:
            reading.relations.append(_tie("OWNED_BY", "Owner", node, source, create=True))
        elif key in _SYSTEMS:
            reading.relations.append(_tie("PART_OF", "Application", node, source, create=True))
    for container in containers:
        for entry in _items(_child(container, "env")):
            value = _child(entry, "value")
            match = _HOST.search(_text(value))
            host = (match[1] or match[2]) if match else source[1]
            if isinstance(value, yaml.ScalarNode) and host != source[1]:
                stated = StatedRelation("DEPENDS_ON", "", host, _line(value), source=source)
                reading.relations.append(stated._replace(confidence=_LIKELY))


def _containers(spec: yaml.Node | None) -> Iterator[yaml.Node]:
    """The containers of a workload's template, or of its job's."""
    for _ in range(3):  # CronJob: jobTemplate, template
        if containers := _child(spec, "containers"):
            yield from _items(containers)
            return
        template = _child(spec, "template") or _child(spec, "jobTemplate")
        spec = _child(template, "spec")


def _add_api(reading: Reading, root: yaml.Node) -> None:
    """An API by its title, and what can be called in it."""
    info = _child(root, "info")
    title = _child(info, "title")
    if not isinstance(title, yaml.ScalarNode):
        return
    api = ("API", str(title.value))
    reading.type = "api"
    version = _text(_child(info, "version"))
    said = excerpt(_text(_child(info, "description")), limit=_SAID)
    properties: Properties = {"version": version} if version else {}
    reading.things.append(Thing(*api, _line(title), said, properties))
    for path, item in (*_pairs(_child(root, "paths")), *_pairs(_child(root, "channels"))):
        for verb, operation in _pairs(item):
            if str(verb.value) not in _VERBS:
                continue
            name = f"{str(verb.value).upper()} {path.value}"
            told = _text(_child(operation, "summary")) or _text(_child(operation, "description"))
            called = _text(_child(operation, "operationId"))
            more: Properties = {"operation": called} if called else {}
            said = excerpt(told, limit=_SAID)
            reading.things.append(Thing("Endpoint", name, _line(verb), said, more))
            part_of = StatedRelation("PART_OF", *api, _line(verb), source=("Endpoint", name))
            reading.relations.append(part_of)


def read_terraform(text: str) -> Reading:
    """Return the resources of a Terraform file, with the resources that each names."""
    reading = read_keys(text, "hcl")
    reading.type = "deployment"
    blocks = [*_TF_BLOCK.finditer(text)] if len(text) <= _LARGEST else []
    line, counted = 1, 0
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        body = text[block.end() : following.start() if following else len(text)]
        line += text.count("\n", counted, block.start())
        counted = block.start()
        address = _address(block[1], block[2], block[3] or "")
        called = _TF_NAME.search(body)
        properties: Properties = {"resource": block[2]}
        if called:
            properties["name"] = called[1]
        reading.things.append(Thing("Infra", address, line, properties=properties))
        named = dict.fromkeys(
            (_address(match[1] or "resource", match[2], match[3]), match.start())
            for match in _TF_NAMED.finditer(body)
        )
        for other, at in named:
            if other != address:
                there = line + body.count("\n", 0, at)
                relation = StatedRelation("DEPENDS_ON", "Infra", other, there)
                reading.relations.append(relation._replace(source=("Infra", address)))
    return reading


def _address(block: str, type_: str, name: str) -> str:
    """A block as Terraform refers to it."""
    if block == "module":
        return f"module.{type_}"
    return f"data.{type_}.{name}" if block == "data" else f"{type_}.{name}"


def _tie(
    relation: str, type_: str, node: yaml.ScalarNode, source: Source, *, create: bool = False
) -> StatedRelation:
    return StatedRelation(
        relation, type_, str(node.value), _line(node), source=source, create=create
    )


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def _text(node: yaml.Node | None) -> str:
    return str(node.value).strip() if isinstance(node, yaml.ScalarNode) else ""


def _items(node: yaml.Node | None) -> list[yaml.Node]:
    return [*node.value] if isinstance(node, yaml.SequenceNode) else []


def _scalars(node: yaml.Node | None) -> list[yaml.ScalarNode]:
    """A value that is one text or a list of them."""
    listed = [node] if isinstance(node, yaml.ScalarNode) else _items(node)
    return [each for each in listed if isinstance(each, yaml.ScalarNode)]


def _labels(metadata: yaml.Node | None, key: str) -> Iterator[tuple[str, yaml.ScalarNode]]:
    for name, value in _pairs(_child(metadata, key)):
        if isinstance(value, yaml.ScalarNode):
            yield str(name.value), value


def _pairs(node: yaml.Node | None) -> list[tuple[yaml.ScalarNode, yaml.Node]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    return [(key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)]


def _child(node: yaml.Node | None, name: str) -> yaml.Node | None:
    """The value of a key, looked for in what the mapping merges in (`<<`) as well."""
    waiting = [] if node is None else [node]
    seen: set[int] = set()
    while waiting:
        place = waiting.pop()
        if id(place) in seen:  # mappings may merge each other in, round and round
            continue
        seen.add(id(place))
        if isinstance(place, yaml.SequenceNode):  # several are merged in, the first counts
            waiting += reversed(place.value)
            continue
        merged: list[yaml.Node] = []
        for key, value in _pairs(place):
            if key.value == name:
                return value
            if key.value == "<<":
                merged = [value]
        waiting += merged
    return None


def _names(node: yaml.Node | None) -> list[yaml.ScalarNode]:
    if isinstance(node, yaml.SequenceNode):
        return [item for item in node.value if isinstance(item, yaml.ScalarNode)]
    return [key for key, _ in _pairs(node)]
