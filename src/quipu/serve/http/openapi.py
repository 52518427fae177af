"""The description of the API, made of its endpoints and of what their shapes say of themselves."""

import re
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any, get_type_hints

import msgspec

from quipu.serve.http.endpoints import Endpoint
from quipu.serve.http.problems import PROBLEM_TYPE, ProblemDetails
from quipu.serve.shapes import keys, parts, shapes_in
from quipu.version import VERSION

__all__ = ["described", "shapes_of"]

_REF = "#/components/schemas/{name}"
_ABOUT = """\
Evidence-first graph memory. Answers cite graph records and `path:line`, or are the word `unknown`.

Every request but those for health and the page needs a key (`Authorization: Bearer` or
`X-API-Key`) once one was made; before, the server answers this machine alone. A key opens one
namespace. Errors are `application/problem+json` with the words of the command line."""
# One event of a stream, as the readers of OpenAPI take the schema of `text/event-stream`.
_EVENT = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "event": {"type": "string", "description": "`run`"},
        "data": {"type": "string", "description": "JSON"},
    },
}
_TEXT = {"text/plain": {"schema": {"type": "string"}}}


def described(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The OpenAPI document of endpoints: shapes as msgspec reads them, with meanings."""
    every = list(endpoints)
    paths: dict[str, dict[str, Any]] = {}
    for each in every:
        paths.setdefault(each.shown_path, {})[each.method.lower()] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Quipu", "version": VERSION, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas_of(shapes_of(every)),
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def shapes_of(endpoints: Iterable[Endpoint]) -> list[type[msgspec.Struct]]:
    """Every shape that an endpoint takes or gives. The document knows them by names alone."""
    found: list[type[msgspec.Struct]] = [ProblemDetails]
    for each in endpoints:
        for kind in (each.body, each.gives, *each.door.told.values()):
            found += shapes_in(kind)
    return parts(dict.fromkeys(found))


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    needs = endpoint.operation.needs
    summary, _, rest = endpoint.operation.help.partition("\n\n")
    made: dict[str, Any] = {
        "operationId": "".join(
            re.split(r"[\W_]", f"{endpoint.shown_path} {endpoint.name}".title())
        ),
        "summary": " ".join(summary.split()).rstrip("."),
        "security": [{"bearer": []}, {"key": []}] if needs else [],
        "responses": dict(_responses(endpoint)),
    }
    if rest.strip():
        made["description"] = " ".join(rest.split())
    if parameters := list(_parameters(endpoint)):
        made["parameters"] = parameters
    if endpoint.body is not None:
        made["requestBody"] = {"required": True, "content": _json(endpoint.body)}
    if needs:
        made["x-quipu-scope"] = needs
    return made


def _parameters(endpoint: Endpoint) -> Iterator[dict[str, Any]]:
    for name in endpoint.in_path:
        said = endpoint.arguments[name].says
        schema = {"type": "string"}
        yield {"name": name, "in": "path", "required": True, "description": said, "schema": schema}
    query = _schemas(endpoint.query)[endpoint.query.__name__]
    for name, schema in query["properties"].items():
        needed = name in query.get("required", ())
        yield {
            "name": name,
            "in": "query",
            "required": needed,
            "description": schema.pop("description", ""),
            "schema": schema,
        }


def _responses(endpoint: Endpoint) -> Iterator[tuple[str, Any]]:
    """What it gives, then failures as problems."""
    door = endpoint.door
    content = _json(endpoint.gives) if list(shapes_in(endpoint.gives)) else {}
    if door.streams:
        content["text/event-stream"] = {"schema": _EVENT}
    yield str(door.status), _response(door.status, content or _TEXT)
    for status, shape in door.told.items():
        yield str(status), _response(status, _json(shape))
    problem = {"schema": {"$ref": _REF.format(name=ProblemDetails.__name__)}}
    yield "default", {"description": "what failed, and why", "content": {PROBLEM_TYPE: problem}}


def _response(status: int, content: dict[str, Any]) -> dict[str, Any]:
    return {"description": HTTPStatus(status).phrase, "content": content}


def _json(kind: Any) -> dict[str, Any]:
    """The content of a kind; of a choice of shapes that of the first, the others are told."""
    shapes = list(shapes_in(kind))
    name = shapes[0].__name__ if shapes else ""
    schema = {"$ref": _REF.format(name=name)} if name else msgspec.json.schema(kind)
    return {"application/json": {"schema": schema}}


def _schemas(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a shape and what is in it as msgspec describes them. It describes no choice between
    untagged shapes, which is only ever written and never read, so that such a field is described
    here."""
    try:
        _, found = msgspec.json.schema_components((shape,), ref_template=_REF)
        return found
    except TypeError:
        hints = get_type_hints(shape)
    chosen = {
        name: several for name, hint in hints.items() if len(several := [*shapes_in(hint)]) > 1
    }
    fields = [
        (
            f.name,
            Any if f.name in chosen else hints[f.name],
            f.default if f.default_factory is msgspec.NODEFAULT else f.default_factory,
        )
        for f in msgspec.structs.fields(shape)
    ]
    like = msgspec.defstruct(shape.__name__, fields, kw_only=True)
    like.__doc__ = shape.__doc__
    _, found = msgspec.json.schema_components((like,), ref_template=_REF)
    for name, several in chosen.items():
        choices = [{"$ref": _REF.format(name=struct.__name__)} for struct in several]
        found[shape.__name__]["properties"][name] = {"anyOf": choices}
    return found


def schemas_of(shapes: Iterable[type[msgspec.Struct]]) -> dict[str, Any]:
    """Return the JSON Schemas of `shapes` by name and of what is in them, each key with what it
    means; a field without a meaning is not printed and has none."""
    inner: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for shape in shapes:
        found = _schemas(shape)
        own[shape.__name__] = schema = found.pop(shape.__name__)
        inner |= {name: other for name, other in found.items() if "enum" in other}
        meanings = {key.name: key.meaning for key in keys(shape)}
        unprinted = schema.get("properties", {}).keys() - meanings.keys()
        for name in unprinted if meanings else ():
            del schema["properties"][name]
        for name, described in schema.get("properties", {}).items():
            described["description"] = meanings.get(name, described.get("description", ""))
    return inner | own
