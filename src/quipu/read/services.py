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
from typing import Any, NamedTuple, cast

import yaml

from quipu.limits import LARGEST_TEXT_FILE, LONGEST_KEY
from quipu.patterns import late
from quipu.read.keys import Written, items_of, read_keys, table_of, value_at, yaml_data
from quipu.read.reading import Reading
from quipu.records.document import StatedRelation, Thing
from quipu.text import excerpt

__all__ = ["add_services", "read_compose", "read_terraform"]

_MOST = 2_000
"""Things of one file."""
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
_LABELS = {
    **dict.fromkeys(("owner", "team", "owned-by", "maintainer"), ("OWNED_BY", "Owner")),
    "app.kubernetes.io/owner": ("OWNED_BY", "Owner"),
    "app.kubernetes.io/part-of": ("PART_OF", "Application"),
}
"""What a label or annotation of a workload states, by its key or the end of that."""
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
    for root in _documents(reading)[:1]:
        for name, service in table_of(root, "services").items():
            _add(reading, ("Service", name), name, image=_text(service, "image"))
            for other in _names(value_at(service, "depends_on")):
                _tie(reading, ("Service", name), "DEPENDS_ON", ("Service", other), other)
    return reading


def add_services(reading: Reading) -> None:
    """Add the services, APIs and ties that YAML or JSON of a known form states; else change
    nothing."""
    for root in _documents(reading) if _FORMS.search(reading.text) else ():
        items = value_at(root, "items")  # of a list of Kubernetes (`kubectl get -o yaml`)
        is_list = bool(items) and _text(root, "kind").endswith("List")
        for each in items_of(items) if is_list else [root]:
            if any(value_at(each, form) for form in ("openapi", "swagger", "asyncapi")):
                _add_api(reading, each)
            elif _text(each, "apiVersion").startswith("backstage.io/"):
                _add_catalogued(reading, each)
            elif _text(each, "kind") in _WORKLOADS:
                _add_workload(reading, each)
    del reading.things[_MOST:], reading.relations[_MOST:]


def _documents(reading: Reading) -> list[Any]:
    if reading.warnings or len(reading.text) > LARGEST_TEXT_FILE:
        return []
    try:
        return yaml_data(reading.text)
    except yaml.YAMLError:
        return []


def _add(reading: Reading, source: Source, at: str, said: str = "", **properties: object) -> None:
    """Add a thing, unless it has no name that a reader could tell."""
    if name := _one_name(source[1]):
        kept = cast("Any", {key: value for key, value in properties.items() if value})
        reading.things.append(Thing(source[0], name, _line(at), excerpt(said, limit=300), kept))


def _tie(
    reading: Reading,
    source: Source,
    relation: str,
    target: Source,
    at: str,
    *,
    create: bool = False,
    confidence: float = 1.0,
) -> None:
    """Add what one thing is to another, unless one of them has no name."""
    one, other = _one_name(source[1]), _one_name(target[1])
    if one and other:
        stated = StatedRelation(relation, target[0], other, _line(at), source=(source[0], one))
        reading.relations.append(stated._replace(create=create, confidence=confidence))


def _one_name(written: str) -> str:
    """A name on one line without marks that cannot be seen; "" for one that is too long."""
    name = " ".join("".join(c if c.isprintable() else " " for c in written).split())
    return name if len(name) <= LONGEST_KEY else ""


def _add_catalogued(reading: Reading, root: Any) -> None:
    """Add an entity of Backstage's catalogue."""
    name, type_ = value_at(root, "metadata", "name"), _KINDS.get(_text(root, "kind").lower())
    if not isinstance(name, str) or type_ is None:
        return
    source, spec = (type_, name), value_at(root, "spec")
    reading.type = "catalog"
    said = _text(root, "metadata", "description")
    lifecycle = _text(spec, "lifecycle")
    _add(reading, source, name, said, type=_text(spec, "type"), lifecycle=lifecycle)
    for key, tie in _TIES.items():
        value = value_at(spec, key)
        for written in [value] if isinstance(value, str) else _names(items_of(value)):
            before, colon, named = written.rpartition(":")  # `[kind:][namespace/]name`
            kind = _KINDS.get(before.lower() if colon else tie.target, "Service")
            other = (kind, named.rpartition("/")[2])
            one, other = (other, source) if tie.inverse else (source, other)
            _tie(reading, one, tie.relation, other, written, create=not tie.inverse)


def _add_workload(reading: Reading, root: Any) -> None:
    """Add a workload of Kubernetes: a service, its images, and whom its environment names."""
    name = value_at(root, "metadata", "name")
    if not isinstance(name, str):
        return
    source = ("Service", name)
    spec = value_at(root, "spec", "jobTemplate", "spec") or value_at(root, "spec")
    pod = items_of(spec, "template", "spec", "containers")
    containers = pod or items_of(spec, "containers")
    images = [image for container in containers if (image := _text(container, "image"))]
    reading.type = "deployment"
    image = images[0] if len(images) == 1 else [*images]
    _add(reading, source, name, image=image, kind=_text(root, "kind"))
    for place in ("labels", "annotations"):
        for key, value in table_of(root, "metadata", place).items():
            relation, type_ = _LABELS.get(key) or _LABELS.get(key.rpartition("/")[2], ("", ""))
            if relation and isinstance(value, str):
                _tie(reading, source, relation, (type_, value), value, create=True)
    for entry in (each for container in containers for each in items_of(container, "env")):
        value = value_at(entry, "value")
        match = _HOST.search(value) if isinstance(value, str) else None
        host = (match[1] or match[2]) if match else name
        if host != name:
            _tie(reading, source, "DEPENDS_ON", ("", host), value, confidence=_LIKELY)


def _add_api(reading: Reading, root: Any) -> None:
    """Add an API by its title, and what can be called in it."""
    title = value_at(root, "info", "title")
    if not isinstance(title, str):
        return
    api = ("API", title)
    reading.type = "api"
    version = _text(root, "info", "version")
    _add(reading, api, title, _text(root, "info", "description"), version=version)
    for path, item in (*table_of(root, "paths").items(), *table_of(root, "channels").items()):
        for verb, operation in table_of(item).items():
            if verb in _VERBS:
                called = ("Endpoint", f"{verb.upper()} {path}")
                said = _text(operation, "summary") or _text(operation, "description")
                _add(reading, called, verb, said, operation=_text(operation, "operationId"))
                _tie(reading, called, "PART_OF", api, verb)


def read_terraform(text: str) -> Reading:
    """Return the resources of a Terraform file, with the resources that each names."""
    reading = read_keys(text, "hcl")
    reading.type = "deployment"
    blocks = [*_TF_BLOCK.finditer(text)] if len(text) <= LARGEST_TEXT_FILE else []
    line, counted = 1, 0
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        body = text[block.end() : following.start() if following else len(text)]
        line += text.count("\n", counted, block.start())
        counted = block.start()
        source = ("Infra", _address(block[1], block[2], block[3] or ""))
        called = _TF_NAME.search(body)
        at = Written(block[2], line)
        _add(reading, source, at, resource=block[2], name=called[1] if called else "")
        for match in _TF_NAMED.finditer(body):
            other = _address(match[1] or "resource", match[2], match[3])
            if other != source[1]:
                there = Written(other, line + body.count("\n", 0, match.start()))
                _tie(reading, source, "DEPENDS_ON", ("Infra", other), there)
    return reading


def _address(block: str, type_: str, name: str) -> str:
    """A block as Terraform refers to it."""
    if block == "module":
        return f"module.{type_}"
    return f"data.{type_}.{name}" if block == "data" else f"{type_}.{name}"


def _text(value: Any, *keys: str) -> str:
    found = value_at(value, *keys)
    return found.strip() if isinstance(found, str) else ""


def _names(value: Any) -> list[str]:
    """The texts of a list, the keys of a mapping."""
    items: list[Any] = [*value] if isinstance(value, list | dict) else []
    return [each for each in items if isinstance(each, str)]


def _line(written: str) -> int:
    return written.line if isinstance(written, Written) else 1
