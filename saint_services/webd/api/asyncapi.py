"""The AsyncAPI document of the WebSocket: messages of clients, replies, the state of each topic,
from the models that check them. Written by `make gen`.
"""

from typing import Any

from pydantic import BaseModel

from ...lib.api.states import STATES
from ...lib.ipc.wire import ErrorReply
from ..actions import table
from ..actions.act import Act
from ..websocket.frames import CLOSE_TEXTS
from . import messages as m
from .openapi import VERSION, Schemas, first_line

Data = dict[str, Any]

_ID: Data = {"type": ["string", "integer"], "description": "The response repeats it."}
_TEXT = (
    'Each message is one JSON object. Actions may also be sent as {"type": "command", "target": '
    "group, ...}. Every message is answered, except inputs without an id. A motion command holds "
    "for 300 ms: a client that drives sends again and again."
)
_CONTROL: dict[str, type[BaseModel]] = {
    "auth": m.Auth,
    "subscribe": m.Subscribe,
    "unsubscribe": m.Unsubscribe,
    "input": m.Input,
}


def document() -> Data:
    """Return the whole document."""
    actions = list(table.every())
    models = {model for act in actions for model in (act.params, act.reply)}
    schemas = Schemas(models | {ErrorReply, *STATES.values(), *_CONTROL.values()})
    messages = _messages(actions, schemas)
    refs = {name: {"$ref": f"#/components/messages/{name}"} for name in messages}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "SAINT.OS WebSocket", "version": VERSION, "description": _TEXT},
        "servers": {"robot": {"host": "saint-server.local:9090", "protocol": "ws"}},
        "defaultContentType": "application/json",
        "channels": {
            "socket": {"address": "/api/ws", "messages": refs, "x-close-codes": _close_codes()}
        },
        "operations": _operations(actions),
        "components": {"schemas": schemas.named, "messages": messages},
    }


def _close_codes() -> Data:
    return {str(code.value): text for code, text in CLOSE_TEXTS.items()}


def _messages(actions: list[Act], schemas: Schemas) -> Data:
    messages: Data = {
        name: _message(first_line(model), schemas.of(model)) for name, model in _CONTROL.items()
    }
    for act in actions:
        name = _name(act)
        messages[name] = _message(act.row.text, _request(act, schemas))
        messages[f"{name}_reply"] = _message(
            f"The reply to {act.group} {act.action}.",
            _response("ok", "data", schemas.of(act.reply)),
        )
    for topic, model in STATES.items():
        messages[f"state_{topic}"] = _message(first_line(model), _state(topic, schemas.of(model)))
    messages["done"] = _message("The message was accepted.", _response("ok", "data", {}))
    problem = _response("error", "error", schemas.of(ErrorReply))
    messages["error"] = _message("The message was refused.", problem)
    return messages


def _name(act: Act) -> str:
    return f"{act.group}_{act.action}"


def _message(text: str, payload: Data) -> Data:
    return {"summary": text, "payload": payload}


def _request(act: Act, schemas: Schemas) -> Data:
    params = act.params
    needed = ["params"] if params.model_json_schema().get("required") else []
    return {
        "type": "object",
        "properties": {
            "id": _ID,
            "type": {"const": act.group},
            "action": {"const": act.action},
            "params": schemas.of(params),
        },
        "required": ["type", "action", *needed],
    }


def _response(status: str, key: str, schema: Data) -> Data:
    return {
        "type": "object",
        "properties": {
            "id": _ID,
            "type": {"const": "response"},
            "status": {"const": status},
            key: schema,
        },
        "required": ["type", "status", key],
    }


def _state(topic: str, schema: Data) -> Data:
    return {
        "type": "object",
        "properties": {
            "type": {"const": "state"},
            "node": {"const": topic},
            "timestamp": {"type": "number", "description": "Seconds since 1970."},
            "data": schema,
        },
        "required": ["type", "node", "timestamp", "data"],
    }


def _operations(actions: list[Act]) -> Data:
    """Return the operations from the robot's side: it receives what clients send."""
    operations: Data = {name: _received(name, "done") for name in _CONTROL}
    for act in actions:
        received = _received(_name(act), f"{_name(act)}_reply")
        operations[_name(act)] = received | {"x-needs": act.level.word}
    operations["state"] = {
        "action": "send",
        "channel": {"$ref": "#/channels/socket"},
        "messages": [_in_channel(f"state_{topic}") for topic in STATES],
    }
    return operations


def _received(name: str, reply: str) -> Data:
    channel = {"$ref": "#/channels/socket"}
    answers = [_in_channel(reply), _in_channel("error")]
    return {
        "action": "receive",
        "channel": channel,
        "messages": [_in_channel(name)],
        "reply": {"channel": channel, "messages": answers},
    }


def _in_channel(name: str) -> Data:
    return {"$ref": f"#/channels/socket/messages/{name}"}
