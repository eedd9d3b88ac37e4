"""Renders the API's models as the TypeScript declarations that the web pages are checked with:
each action with its params and its reply, each topic with its state.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from saint_services.lib.api import states
from saint_services.lib.api.backup import BackupInfo
from saint_services.lib.ipc.wire import ErrorReply
from saint_services.webd.api import http_form
from saint_services.webd.api.http_paths import OTHERS

Data = dict[str, Any]
Model = type[BaseModel]

_HEAD = """\
// What the robot is asked and answers, as its models say it. A reply is whole; a part of a state
// may be missing until it was heard. What ends in "Given" is what may be sent of a model that also
// comes back.
//
// Written by `make gen` from saint_services; do not edit.
"""
_WIDTH = 100
_WHOLE = {"LatchState", "OutputsState", "PressState"}  # of the states: told at once or not at all
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def module() -> str:
    """The declarations as text."""
    return declarations(list(http_form.every()), states.STATES)


def declarations(actions: list[http_form.Named], topics: Mapping[str, Model]) -> str:
    """Of these actions and states, and of the requests that are no actions."""
    replies = {each.entry.reply for each in actions} | {each.reply for each in OTHERS}
    told = Side({model for model in replies if model} | {BackupInfo, ErrorReply, *topics.values()})
    asked = Side({each.entry.params for each in actions})
    for name, schema in told.named.items():
        if "properties" in schema and name not in _state_models():
            schema["required"] = list(schema["properties"])
    asked.given = {name for name in asked.named.keys() & told.named if _is_object(told.named[name])}
    blocks = {
        side.name(name): side.declaration(name) for side in (asked, told) for name in side.named
    }
    rows = "\n".join(f"  {topic}: {told.of(model)};" for topic, model in topics.items())
    return "\n".join(
        [
            _HEAD,
            *(text for _, text in sorted(blocks.items())),
            f"/** State by topic. */\nexport interface States {{\n{rows}\n}}\n",
            "/** What each action is given and what it answers, by group. */\n"
            "export interface Actions {\n" + "\n".join(_groups(actions, asked, told)) + "\n}\n",
        ]
    )


def _groups(actions: Iterable[http_form.Named], asked: "Side", told: "Side") -> Iterator[str]:
    groups: dict[str, list[http_form.Named]] = {}
    for each in actions:
        groups.setdefault(each.group, []).append(each)
    for group, members in groups.items():
        yield f"  {group}: {{"
        for each in members:
            reply = told.of(each.entry.reply) if each.entry.reply else "null"
            yield f"    {each.action}: {{ params: {asked.of(each.entry.params)}; reply: {reply} }};"
        yield "  };"


def _state_models() -> set[str]:
    """Models of states alone of which a part may be missing."""
    own = (each for each in vars(states).values() if isinstance(each, type))
    names = {each.__name__ for each in own if each.__module__ == states.__name__}
    return names - _WHOLE


def _is_object(schema: Data) -> bool:
    return "properties" in schema


class Side:
    """What is asked, or what is answered: the same model may be whole in the one only."""

    def __init__(self, models: set[Model]) -> None:
        ordered = sorted(models, key=lambda model: (model.__name__, model.__module__))
        self._refs, found = models_json_schema([(model, "validation") for model in ordered])
        self.named: Data = {_short(name): schema for name, schema in found["$defs"].items()}
        self.given: set[str] = set()

    def of(self, model: Model) -> str:
        """The type of one of the models."""
        return self._type(self._refs[(model, "validation")])

    def name(self, name: str) -> str:
        """What a model is called on this side."""
        return f"{name}Given" if name in self.given else name

    def declaration(self, name: str) -> str:
        """The model as an interface, or a name for something else."""
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
        """The TypeScript type of one JSON schema."""
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
    """Of two models of one name pydantic gives the whole module too; its last part is enough."""
    *module, own = name.split("__")
    return module[-1].capitalize() + own if module else own


def _doc(schema: Data) -> str:
    text = " ".join(schema.get("description", "").split())
    return f"/** {text} */\n" if text and len(text) < _WIDTH - len("/**  */") else ""


def _fitting(line: str) -> str:
    """A union that is too long for its line has one member on each."""
    if len(line) <= _WIDTH or " | " not in line:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    sign = " =" if " = " in line else ":"
    return line.replace(f"{sign} ", f"{sign} | ", 1).replace(" | ", f"\n{indent}| ")
