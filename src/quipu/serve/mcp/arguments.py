"""What is wrong with arguments, in one line that says what would be right."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

__all__ = ["mistakes"]

_SHOWN = 5


def mistakes(error: ValidationError, schema: Mapping[str, Any]) -> str:
    """What is wrong, each with its place; values only by their kind, and for what is not known
    what `schema` knows at that place."""
    found: list[str] = []
    for each in error.errors(include_url=False)[:_SHOWN]:
        place = ".".join(str(part) for part in each["loc"])
        if each["type"] == "extra_forbidden":
            known = _known(schema, each["loc"][:-1]) or ["none"]
            found.append(f"there is no argument {place!r} (known: {', '.join(known)})")
        elif each["type"] == "missing":
            found.append(f"the argument {place!r} is missing")
        else:
            said = each["msg"][0].lower() + each["msg"][1:]
            kind = type(each.get("input")).__name__
            found.append(f"the argument {place!r} is of no use ({kind}): {said}")
    return "; ".join(dict.fromkeys(found))


def _known(schema: Mapping[str, Any], place: Sequence[int | str]) -> list[str]:
    """The keys of the object at `place`, in the schema's order."""
    here: Any = schema
    for step in place:
        here = here.get("items", {}) if isinstance(step, int) else here["properties"].get(step, {})
        if reference := here.get("$ref"):
            here = schema["$defs"][reference.rpartition("/")[2]]
    return list(here.get("properties", {}))
