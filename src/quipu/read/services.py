"""docker-compose: services and what they depend on."""

import yaml

from quipu.read.keys import read_keys, yaml_roots
from quipu.read.reading import Reading
from quipu.records.document import StatedRelation, Thing
from quipu.records.record import Properties

_LARGEST = 1_000_000


def read_compose(text: str) -> Reading:
    """The services of a compose file; what is not YAML is plain text, with a warning."""
    reading = read_keys(text, "yaml")
    reading.type = "compose"
    if reading.warnings or len(text) > _LARGEST:
        return reading
    roots = yaml_roots(text)
    for name, service in _pairs(_child(roots[0] if roots else None, "services")):
        line = name.start_mark.line + 1
        properties: Properties = {}
        image = _child(service, "image")
        if isinstance(image, yaml.ScalarNode):
            properties["image"] = str(image.value)
        reading.things.append(Thing("Service", str(name.value), line, properties=properties))
        for other in _names(_child(service, "depends_on")):
            reading.relations.append(
                StatedRelation(
                    "DEPENDS_ON",
                    "Service",
                    str(other.value),
                    other.start_mark.line + 1,
                    source=("Service", str(name.value)),
                )
            )
    return reading


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
