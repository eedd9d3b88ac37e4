"""Renders the API's models as TypeScript declarations for the web pages: params and reply of each
action, state of each topic.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from saint_services.lib.api import states
from saint_services.lib.api.backup import BackupInfo
from saint_services.lib.ipc.wire import ErrorReply
from saint_services.webd.actions import table
from saint_services.webd.actions.act import Act
from saint_services.webd.api.http_paths import OTHERS

Data = dict[str, Any]
Model = type[BaseModel]

_HEAD = """\
// Requests and replies of the robot, from its models. A reply is complete; a part of a state may be
// missing until it is received. A name with "Given" is the request form of a model that is also a
// reply.
//
// Written by `make gen` from saint_services; do not edit.
"""
_WIDTH = 100
_WHOLE = {"LatchState", "OutputsState", "PressState"}  # states that are always complete
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def module() -> str:
    """Return the declarations of the whole API."""
    return declarations(list(table.every()), states.STATES)


def declarations(actions: list[Act], topics: Mapping[str, Model]) -> str:
    """Return the declarations of these actions and states, and of requests that are not actions."""
    models = {each.reply for each in actions} | {each.reply for each in OTHERS}
    replies = ModelSide(
        {model for model in models if model} | {BackupInfo, ErrorReply, *topics.values()}
    )
    params = ModelSide({each.params for each in actions})
    for name, schema in replies.named.items():
        if "properties" in schema and name not in _state_models():
            schema["required"] = list(schema["properties"])
    params.given = {
        name for name in params.named.keys() & replies.named if _is_object(replies.named[name])
    }
    blocks = {
        side.name(name): side.declaration(name) for side in (params, replies) for name in side.named
    }
    rows = "\n".join(f"  {topic}: {replies.of(model)};" for topic, model in topics.items())
    return "\n".join(
        [
            _HEAD,
            *(text for _, text in sorted(blocks.items())),
            f"/** State by topic. */\nexport interface States {{\n{rows}\n}}\n",
            "/** Params and reply of each action, by group. */\n"
            "export interface Actions {\n" + "\n".join(_groups(actions, params, replies)) + "\n}\n",
        ]
    )


def _groups(actions: Iterable[Act], params: "ModelSide", replies: "ModelSide") -> Iterator[str]:
    groups: dict[str, list[Act]] = {}
    for each in actions:
        groups.setdefault(each.group, []).append(each)
    for group, members in groups.items():
        yield f"  {group}: {{"
        for each in members:
            reply = replies.of(each.reply) if each.reply else "null"
            given = params.of(each.params)
            yield f"    {each.action}: {{ params: {given}; reply: {reply} }};"
        yield "  };"


def _state_models() -> set[str]:
    """Return models that only states use, whose parts may be missing."""
    own = (each for each in vars(states).values() if isinstance(each, type))
    names = {each.__name__ for each in own if each.__module__ == states.__name__}
    return names - _WHOLE


def _is_object(schema: Data) -> bool:
    return "properties" in schema


class ModelSide:
    """The models of requests, or those of replies: optional fields differ between both."""

    def __init__(self, models: set[Model]) -> None:
        ordered = sorted(models, key=lambda model: (model.__name__, model.__module__))
        self._refs, found = models_json_schema([(model, "validation") for model in ordered])
        self.named: Data = {_short(name): schema for name, schema in found["$defs"].items()}
        self.given: set[str] = set()

    def of(self, model: Model) -> str:
        """Return the type of a model."""
        return self._type(self._refs[(model, "validation")])

    def name(self, name: str) -> str:
        """Return the name of a model on this side."""
        return f"{name}Given" if name in self.given else name

    def declaration(self, name: str) -> str:
        """Declare a model as an interface, or as a type alias."""
        schema = self.named[name]
        doc, called = _doc(schema), self.name(name)
        if not _is_object(schema):
            is_empty = schema.get("type") == "object" and "additionalProperties" not in schema
            kind = "{ [key: string]: never }" if is_empty else self._type(schema)
            return doc + _fitting(f"export type {called} = {kind};") + "\n"
        needed = set(schema.get("required", ()))
        lines = [
            _fitting(f"  {field}{'' if field in needed else '?'}: {self._type(inner)};")
            for field, inner in schema["properties"].items()
        ]
        return f"{doc}export interface {called} {{\n" + "\n".join(lines) + "\n}\n"

    def _type(self, schema: Data) -> str:
        """Return the TypeScript type of a JSON schema."""
        if "$ref" in schema:
            return self.name(_short(schema["$ref"].rsplit("/", 1)[1]))
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(json.dumps(each) for each in schema["enum"])
        if choices := schema.get("anyOf") or schema.get("oneOf"):
            return " | ".join(dict.fromkeys(self._type(each) for each in choices))
        kind = schema.get("type")
        if kind == "array":
            return self._array(schema)
        if kind == "object":
            return self._object(schema)
        return "null" if kind == "null" else _PLAIN.get(str(kind), "unknown")

    def _array(self, schema: Data) -> str:
        if "prefixItems" in schema:
            return f"[{', '.join(self._type(each) for each in schema['prefixItems'])}]"
        inner = self._type(schema.get("items", {}))
        return f"({inner})[]" if " | " in inner else f"{inner}[]"

    def _object(self, schema: Data) -> str:
        inner = schema.get("additionalProperties", True)
        value = "unknown" if inner is True else self._type(inner)
        keys = schema.get("propertyNames", {})
        if "$ref" in keys:
            return f"{{ [key in {self._type(keys)}]?: {value} }}"
        return f"{{ [key: string]: {value} }}"


def _short(name: str) -> str:
    """Shorten a model's name: pydantic adds the whole module to ambiguous names; its last part is
    enough.
    """
    *module, own = name.split("__")
    return module[-1].capitalize() + own if module else own


def _doc(schema: Data) -> str:
    text = " ".join(schema.get("description", "").split())
    return f"/** {text} */\n" if text and len(text) < _WIDTH - len("/**  */") else ""


def _fitting(line: str) -> str:
    """Break a union that is too long for its line, one member per line."""
    if len(line) <= _WIDTH or " | " not in line:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    sign = " =" if " = " in line else ":"
    return line.replace(f"{sign} ", f"{sign} | ", 1).replace(" | ", f"\n{indent}| ")
