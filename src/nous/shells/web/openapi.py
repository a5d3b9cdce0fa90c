"""How the routes are described to other programs: parameters, bodies, answers and examples, out of the same structs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from nous import __version__
from nous.shells.web.guard import STATUSES
from nous.shells.web.routes import Route

REFERENCE = "#/components/schemas/{name}"
ERRORS = {
    "400": "bad_request",
    "401": "unauthorized",
    "403": "forbidden",
    "404": "not_found",
    "422": "refused",
    "429": "too_many",
}
WRITE_HEADERS = ("Idempotency-Key", "Nous-Client", "Nous-Session", "Nous-Source", "Nous-Schema-Version")


def describe(route: Route) -> dict[str, Any]:
    """The OpenAPI operation of a route."""
    schema, parts = _schema(route)
    properties: dict[str, Any] = schema.get("properties", {})
    in_path = [name for name in properties if "{" + name + "}" in route.path]
    parameters = [_parameter(name, properties[name], "path", True, "12") for name in in_path]
    found: dict[str, Any] = {
        "operationId": _name(route),
        "summary": route.operation.summary,
        "tags": [route.path.split("/")[2]],
        "description": route.operation.help,
        "responses": {"200": _describe_answers(route)} | {status: _error(code) for status, code in ERRORS.items()},
        "security": [{"token": []}],
    }
    rest = {name: shape for name, shape in properties.items() if name not in in_path}
    required = [name for name in schema.get("required", ()) if name in rest]
    if route.method == "GET":
        parameters += [
            _parameter(name, shape, "query", name in required, route.operation.example.get(name))
            for name, shape in rest.items()
        ]
    else:
        parameters += [_header(name) for name in WRITE_HEADERS]
        body = {"type": "object", "properties": rest, "additionalProperties": False}
        if required:
            body["required"] = required
        content: dict[str, Any] = {"schema": _inline(body, parts), "example": route.operation.example}
        found["requestBody"] = {"required": bool(required), "content": {"application/json": content}}
    return found | {"parameters": [_inline(parameter, parts) for parameter in parameters]}


def _schema(route: Route) -> tuple[dict[str, Any], dict[str, Any]]:
    (_,), parts = msgspec.json.schema_components([route.operation.takes], ref_template=REFERENCE)
    return parts[route.operation.takes.__name__], parts


def _inline(shape: Any, parts: dict[str, Any]) -> Any:
    """A schema with what it refers to in its place."""
    if isinstance(shape, dict):
        if "$ref" in shape:
            return _inline(parts[shape["$ref"].rpartition("/")[2]], parts)
        return {name: _inline(value, parts) for name, value in shape.items()}
    return [_inline(one, parts) for one in shape] if isinstance(shape, list) else shape


def _name(route: Route) -> str:
    words = [word.strip("{}") for word in route.path.split("/")[2:]]
    return "_".join([route.method.lower(), *words]).replace("-", "_")


def _parameter(name: str, shape: dict[str, Any], place: str, required: bool, example: Any) -> dict[str, Any]:
    shape = dict(shape)
    described = {"name": name, "in": place, "required": required, "description": shape.pop("description", name)}
    return described | {"schema": shape} | ({"example": example} if example is not None else {})


def _header(name: str) -> dict[str, Any]:
    says = "does the same thing once only" if name == "Idempotency-Key" else "who asks; kept beside what is written"
    return {"name": name, "in": "header", "required": False, "description": says, "schema": {"type": "string"}}


def _describe_answers(route: Route) -> dict[str, Any]:
    """What is answered, as the operation declares it; a write may say more, which its page tells."""
    (shape,), parts = msgspec.json.schema_components([route.operation.gives], ref_template=REFERENCE)
    return {"description": route.operation.summary, "content": {"application/json": {"schema": _inline(shape, parts)}}}


def _error(code: str) -> dict[str, Any]:
    properties = {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": ["string", "null"]}}
    shape = {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"type": "object", "properties": properties, "required": list(properties)}},
    }
    example = {"error": {"code": code, "message": "why, in a sentence", "hint": None}}
    says = f"{code} ({STATUSES[code]})"
    return {"description": says, "content": {"application/json": {"schema": shape, "example": example}}}


def description(routes: Iterable[Route], others: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """Everything that can be asked, and how to come in."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = describe(route)
    for method, path, says in others:
        name = "_".join([method.lower(), "server", *path.removeprefix("/v1").strip("/").split("/")])
        answer = {"200": {"description": says}}
        paths.setdefault(path, {})[method.lower()] = {"operationId": name, "summary": says, "responses": answer}
    schemes = {"token": {"type": "http", "scheme": "bearer", "description": "http.token in the data directory"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Nous",
            "version": __version__,
            "summary": "Long-term memory for coding agents",
            "description": "docs/reference/http-api.md says the same for people.",
        },
        "paths": paths,
        "components": {"securitySchemes": schemes},
    }
