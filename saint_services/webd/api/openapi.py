"""The OpenAPI document of webd's HTTP requests: all actions from their table, the requests that are
no actions from http_paths.py. Pure; written by `make gen`, served as it was written.
"""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from ...lib.ipc.wire import ErrorReply
from . import http_form
from .http_form import Named
from .http_paths import OTHERS, Described
from .schemas import Schemas, first_line

Data = dict[str, Any]

_PARAMETER = re.compile(r"{(\w+)}")  # in a path
VERSION = "1"  # of the API; a release may only add to it
_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
_TEXT = (
    "Every action of the robot as one request; the WebSocket (/api/asyncapi.json) has the same "
    "actions and the live states. Errors have a code, a message and what to do."
)


def document() -> Data:
    """The whole document."""
    actions = list(http_form.every())
    models = {m for each in actions for m in (each.entry.params, each.entry.reply) if m}
    schemas = Schemas(models | {ErrorReply} | {each.reply for each in OTHERS if each.reply})
    error = "Refused or failed: what, with which value, what to do."
    return {
        "openapi": "3.1.0",
        "info": {"title": "SAINT.OS", "version": VERSION, "description": _TEXT},
        "servers": [{"url": "/"}],
        "paths": _paths(actions, schemas),
        "components": {
            "schemas": schemas.named,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                # Over TLS it is __Host-saint.
                "session": {"type": "apiKey", "in": "cookie", "name": "saint"},
            },
            "responses": {"Error": _answer(error, schemas.of(ErrorReply))},
        },
    }


def _paths(actions: Iterable[Named], schemas: Schemas) -> Data:
    paths: Data = {}
    for other in OTHERS:
        paths.setdefault(other.path, {})[other.method.lower()] = _other(other, schemas)
    for each in actions:
        paths[each.path] = {m.lower(): _action(each, m, schemas) for m in each.methods}
    return dict(sorted(paths.items()))


def _action(named: Named, method: str, schemas: Schemas) -> Data:
    entry = named.entry
    operation: Data = {
        "operationId": f"{named.group}_{named.action}" + ("_get" if method == "GET" else ""),
        "tags": [named.group],
        "summary": named.text.splitlines()[0],
        "description": f"{named.text}\n\nNeeds: {entry.needs.word}.",
        "x-needs": entry.needs.word,
        "security": _SECURITY,
        "responses": _responses(entry.reply, schemas),
    }
    fields = entry.params.model_json_schema()
    if method == "GET":
        operation["parameters"] = _parameters(fields)
    else:
        needed = bool(fields.get("required"))
        body = {"application/json": {"schema": schemas.of(entry.params)}}
        operation["requestBody"] = {"required": needed, "content": body}
    return operation


def _parameters(fields: Data) -> list[Data]:
    required = fields.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _worded(schema)}
        for name, schema in fields.get("properties", {}).items()
    ]


def _worded(schema: Data) -> Data:
    """Without null: a query that leaves a field out says that."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**kept, **kinds[0]}


def _responses(reply: type[BaseModel] | None, schemas: Schemas) -> Data:
    answer = _answer(first_line(reply), schemas.of(reply)) if reply else {"description": "Done."}
    return {"200": answer, "default": {"$ref": "#/components/responses/Error"}}


def _answer(text: str, schema: Data) -> Data:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _other(other: Described, schemas: Schemas) -> Data:
    answer: Data = {"description": other.answer}
    if other.reply:
        answer = _answer(other.answer, schemas.of(other.reply))
    elif other.answer_type:
        answer["content"] = {other.answer_type: {}}
    operation: Data = {
        "operationId": other.name,
        "tags": [other.tag],
        "summary": other.text,
        "security": _SECURITY if other.needs else [],
        "responses": {"200": answer, "default": {"$ref": "#/components/responses/Error"}},
    }
    if other.needs:
        operation["x-needs"] = other.needs.word
    if names := _PARAMETER.findall(other.path):
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in names
        ]
    if other.body_type:
        operation["requestBody"] = {"required": True, "content": {other.body_type: {}}}
    return operation
