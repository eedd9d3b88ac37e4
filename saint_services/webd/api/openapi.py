"""The OpenAPI document of webd's HTTP requests: all actions from their table, other requests from
http_paths.py. Written by `make gen`, served unchanged.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from ...lib.ipc.wire import ErrorReply
from ..actions import table
from ..actions.act import Act
from .http_paths import OTHERS, Described

Data = dict[str, Any]

_REF = "#/components/schemas/{model}"
# Two models of one name get their whole module as a prefix; its last part is enough.
_LONG_NAME = re.compile(r"(?:\w+?__)+(\w+?)__(\w+)")
_PARAMETER = re.compile(r"{(\w+)}")  # in a path
VERSION = "1"  # of the API; a release may only add to it
_SECURITY: list[dict[str, list[str]]] = [{"token": []}, {"session": []}]
_TEXT = (
    "Every action of the robot as one request; the WebSocket (/api/asyncapi.json) has the same "
    "actions and the live states. An error has a code, a message and a fix."
)


def document() -> Data:
    """Return the whole document."""
    actions = list(table.every())
    models = {model for act in actions for model in (act.params, act.reply)}
    schemas = Schemas(models | {ErrorReply} | {each.reply for each in OTHERS if each.reply})
    error = "The request was refused or failed: the reason, and what to do."
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


def _paths(actions: Iterable[Act], schemas: "Schemas") -> Data:
    paths: Data = {}
    for other in OTHERS:
        paths.setdefault(other.path, {})[other.method.lower()] = _other(other, schemas)
    for act in actions:
        paths[act.path] = {m.lower(): _action(act, m, schemas) for m in act.methods}
    return dict(sorted(paths.items()))


def _action(act: Act, method: str, schemas: "Schemas") -> Data:
    operation: Data = {
        "operationId": f"{act.group}_{act.action}" + ("_get" if method == "GET" else ""),
        "tags": [act.group],
        "summary": act.row.text,
        "description": f"{act.row.text}\n\nNeeds: {act.level.word}.",
        "x-needs": act.level.word,
        "security": _SECURITY,
        "responses": _responses(act.reply, schemas),
    }
    fields = act.params.model_json_schema()
    if method == "GET":
        operation["parameters"] = _parameters(fields)
    else:
        needed = bool(fields.get("required"))
        body = {"application/json": {"schema": schemas.of(act.params)}}
        operation["requestBody"] = {"required": needed, "content": body}
    return operation


def _parameters(fields: Data) -> list[Data]:
    required = fields.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _worded(schema)}
        for name, schema in fields.get("properties", {}).items()
    ]


def _worded(schema: Data) -> Data:
    """Return a schema without null, which a query expresses by leaving the field out."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    return {**kept, **kinds[0]}


def _responses(reply: type[BaseModel], schemas: "Schemas") -> Data:
    return {
        "200": _answer(first_line(reply), schemas.of(reply)),
        "default": {"$ref": "#/components/responses/Error"},
    }


def _answer(text: str, schema: Data) -> Data:
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _other(other: Described, schemas: "Schemas") -> Data:
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


class Schemas:
    """The named schemas of some models and of all models that these are made of."""

    def __init__(self, models: Iterable[type[BaseModel]]) -> None:
        wanted = sorted(set(models), key=lambda model: (model.__name__, model.__module__))
        refs, found = models_json_schema([(m, "validation") for m in wanted], ref_template=_REF)
        defs = _short(found.get("$defs", {}))
        self.named: Data = dict(sorted(defs.items()))
        self._refs = {model: _short(ref) for (model, _), ref in refs.items()}

    def of(self, model: type[BaseModel]) -> Data:
        """Return a reference to one of the models."""
        return self._refs[model]


def _short(part: Data) -> Data:
    made: Data = json.loads(_LONG_NAME.sub(r"\1_\2", json.dumps(part)))
    return made


def first_line(model: type[BaseModel]) -> str:
    """Return the first line of a model's description."""
    return (model.__doc__ or "").strip().splitlines()[0]
