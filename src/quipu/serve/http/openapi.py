"""The description of the API: Litestar's, with what our shapes say of themselves."""

from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args, get_type_hints

import msgspec
from litestar import Litestar
from litestar.routes import HTTPRoute
from litestar.typing import FieldDefinition

from quipu.serve.http.problems import PROBLEM_TYPE, ProblemDetails
from quipu.serve.meanings import keys, parts
from quipu.version import VERSION

__all__ = ["described", "shapes_of"]

_REF = "#/components/schemas/{name}"
_ABOUT = """\
Evidence-first graph memory. Answers cite graph records and `path:line`, or are the word `unknown`.

Every request but those for health and the page needs a key (`Authorization: Bearer` or
`X-API-Key`) once one was made; before, the server answers this machine alone. A key opens one
namespace. Errors are `application/problem+json` with the words of the command line."""
_FAILURES = {
    "400": "what was given cannot be used",
    "401": "no key, or one that is unknown or revoked",
    "403": "the key's scope does not allow it, or a page of elsewhere asks",
    "404": "what was named is not there",
    "408": "the body did not come in time",
    "409": "the state of the memory does not allow it",
    "413": "the request is too large",
    "421": "the host is not this server",
    "429": "too many requests",
    "503": "something is missing, locked or full, or too much is asked at once",
    "504": "no answer in time",
}
# One event of a stream, as the readers of OpenAPI take the schema of `text/event-stream`.
_EVENT = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "event": {"type": "string", "description": "`message`"},
        "data": {"type": "string", "description": "a piece of the answer as JSON; last: `[DONE]`"},
    },
}


def described(app: Litestar) -> dict[str, Any]:
    """The OpenAPI document of `app`: shapes as msgspec reads them, every key with its meaning."""
    document: dict[str, Any] = msgspec.to_builtins(app.openapi_schema.to_schema())
    document["info"] = {"title": "Quipu", "version": VERSION, "description": _ABOUT}
    document["servers"] = [{"url": "/"}]
    shapes = {shape.__name__: shape for shape in shapes_of(app)}
    components = cast("dict[str, Any]", document["components"])
    schemas = cast("dict[str, Any]", components["schemas"])
    for name, shape in shapes.items():
        schemas[name] = _with_meanings(_schema(shape), shape)
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    }
    for handler, operation in _operations(app, document):
        _finish(operation, handler.opt)
    return document


def shapes_of(app: Litestar) -> list[type[msgspec.Struct]]:
    """Every shape that a route takes or gives. The document knows them by their names alone."""
    found: list[type[msgspec.Struct]] = [ProblemDetails]
    for route in app.routes:
        if not isinstance(route, HTTPRoute):
            continue
        for handler in route.route_handlers:
            found += handler.opt.get("gives", ())
            signature = handler.parsed_fn_signature
            for each in (signature.return_type, *signature.parameters.values()):
                found += _within(each)
    return parts(dict.fromkeys(found))


def _within(field: FieldDefinition) -> list[type[msgspec.Struct]]:
    """The shapes that a parameter or a result is made of."""
    kind = field.annotation
    here = [kind] if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else []
    return here + [shape for inner in field.inner_types for shape in _within(inner)]


def _schema(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """A shape as msgspec describes it. It describes no choice between untagged shapes, which is
    only ever written and never read, so that such a field is described here."""
    try:
        _, found = msgspec.json.schema_components((shape,), ref_template=_REF)
        return found[shape.__name__]
    except TypeError:
        hints = get_type_hints(shape)
    chosen = {name: each for name, each in hints.items() if len(_structs(each)) > 1}
    fields = [
        (f.name, Any if f.name in chosen else hints[f.name], f.default_factory)
        if f.default_factory is not msgspec.NODEFAULT
        else (f.name, Any if f.name in chosen else hints[f.name], f.default)
        for f in msgspec.structs.fields(shape)
    ]
    like = msgspec.defstruct(shape.__name__, fields, kw_only=True)
    like.__doc__ = shape.__doc__
    _, found = msgspec.json.schema_components((like,), ref_template=_REF)
    for name, each in chosen.items():
        choices = [{"$ref": _REF.format(name=struct.__name__)} for struct in _structs(each)]
        found[shape.__name__]["properties"][name] = {"anyOf": choices}
    return found[shape.__name__]


def _structs(hint: Any) -> list[type[msgspec.Struct]]:
    return [
        each
        for each in get_args(hint)
        if isinstance(each, type) and issubclass(each, msgspec.Struct)
    ]


def _with_meanings(schema: dict[str, Any], shape: type[msgspec.Struct] | None) -> dict[str, Any]:
    for key in keys(shape) if shape else ():
        described = schema.get("properties", {}).get(key.name)
        if described is not None:
            described["description"] = key.meaning
    return schema


def _operations(app: Litestar, document: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    paths = cast("dict[str, dict[str, Any]]", document["paths"])
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for handler in route.route_handlers:
                for method in handler.http_methods:
                    operation = paths.get(_path(route.path_format), {}).get(method.lower())
                    if operation is not None:
                        yield handler, operation


def _path(path_format: str) -> str:
    return path_format or "/"


def _finish(operation: dict[str, Any], opt: Mapping[str, Any]) -> None:
    """Failures as problems, who may call it, and a summary that is a sentence."""
    needs = opt.get("needs")
    description = str(operation.pop("description", "") or "").strip()
    if description:
        first, _, rest = description.partition("\n")
        operation["summary"] = first.strip().rstrip(".")
        if rest.strip():
            operation["description"] = " ".join(rest.split())
    operation["security"] = [{"bearer": []}, {"key": []}] if needs else []
    if needs:
        operation["x-quipu-scope"] = needs
    responses = operation["responses"]
    for shape in opt.get("gives", ()):
        responses["200"]["content"] = _json(shape)
    if opt.get("streams"):
        responses["200"]["content"]["text/event-stream"] = {"schema": _EVENT}
    for status, meaning in _FAILURES.items():
        if status in ("401", "403") and not needs:
            continue
        kept = responses.get(status, {})
        if (
            "application/problem+json" in kept.get("content", {})
            or status not in responses
            or ("Validation Exception" in str(kept))
        ):
            responses[status] = {
                "description": meaning,
                "content": {PROBLEM_TYPE: {"schema": {"$ref": _REF.format(name="ProblemDetails")}}},
            }
    for status, shape in opt.get("told", {}).items():
        meaning = _FAILURES.get(status, "accepted: it is done after")
        responses[status] = {"description": meaning, "content": _json(shape)}


def _json(shape: type[msgspec.Struct]) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": _REF.format(name=shape.__name__)}}}
