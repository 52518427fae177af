"""Modules that a question names by dots: `shop.cart` is the file that such an import means."""

from quipu.answer.wanted import Asked
from quipu.answer.wording import is_understood
from quipu.domain.schema import EntityType
from quipu.ports import Graph
from quipu.text import name_key

__all__ = ["modules_in"]

_FILES = ("{}.py", "{}/__init__.py", "src/{}.py", "src/{}/__init__.py")


def modules_in(asked: Asked, graph: Graph) -> list[str]:
    """The ids of the documents that are the modules named in the question, in its order."""
    found: list[str] = []
    for name in asked.names:
        if "." not in name or "/" in name or not is_understood(asked.text, name):
            continue
        path = name.removesuffix("()").replace(".", "/")
        keys = [name_key(file.format(path)) for file in _FILES]
        named = graph.named(keys)
        found += [
            entity.entity_id
            for key in keys
            for entity in named.get(key, ())
            if entity.type == EntityType.DOCUMENT
        ]
    return list(dict.fromkeys(found))
