"""What a question names by dots: `shop.cart` is the file that such an import means, `shop.total`
the symbol `total` of something called shop."""

from quipu.answer.wording import is_understood
from quipu.ports import Graph
from quipu.question import Question
from quipu.records.record import Entity
from quipu.records.schema import EntityType
from quipu.text import name_key

__all__ = ["modules_in", "symbols_in"]

_FILES = ("{}.py", "{}/__init__.py", "src/{}.py", "src/{}/__init__.py")


def modules_in(asked: Question, graph: Graph) -> list[str]:
    """The ids of the documents that are the modules named in the question, in its order."""
    found: list[str] = []
    for name in asked.names:
        if "." not in name or "/" in name or not is_understood(asked, name):
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


def symbols_in(asked: Question, graph: Graph) -> list[str]:
    """The ids of the symbols that the question names after a package, module or class: all that
    is before the last dot is in their path or qualified name."""
    found: list[str] = []
    for name in asked.names:
        parts = name.removesuffix("()").split(".")
        if len(parts) < 2 or "/" in name or not all(parts):
            continue
        *before, last = parts
        key = name_key(last)
        found += [
            entity.entity_id
            for entity in graph.named([key]).get(key, ())
            if entity.type == EntityType.SYMBOL and _is_within(entity, before, last)
        ]
    return list(dict.fromkeys(found))


def _is_within(entity: Entity, before: list[str], last: str) -> bool:
    path, qualified = entity.properties.get("path"), entity.properties.get("qualified_name")
    if not isinstance(path, str) or not isinstance(qualified, str):
        return False
    *outer, own = qualified.split(".")
    folders = path.rpartition(".")[0].split("/")
    return own == last and set(before) <= {*outer, *folders}
