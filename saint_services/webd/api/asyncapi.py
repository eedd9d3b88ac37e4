"""The AsyncAPI document of the WebSocket: what a client may send, what is answered, each topic's
state, from the models that messages are checked with. Pure; written by `make gen`.
"""

from typing import Any

from pydantic import BaseModel

from ...lib.api.states import STATES
from ...lib.ipc.wire import ErrorReply
from ..websocket.close_codes import TEXTS
from . import http_form
from . import messages as m
from .http_form import Named
from .openapi import VERSION
from .schemas import Schemas, first_line

Data = dict[str, Any]

_ID: Data = {"type": ["string", "integer"], "description": "Comes back in the response."}
_TEXT = (
    'Each message is one JSON object. Actions may also be sent as {"type": "command", "target": '
    "group, ...}. Every message is answered, but for inputs without an id. A motion holds for "
    "300 ms: who drives goes on sending."
)
_CONTROL: dict[str, type[BaseModel]] = {
    "auth": m.Auth,
    "subscribe": m.Subscribe,
    "unsubscribe": m.Unsubscribe,
    "input": m.Input,
}


def document() -> Data:
    """The whole document."""
    actions = list(http_form.every())
    models = {each.entry.params for each in actions}
    models |= {each.entry.reply for each in actions if each.entry.reply}
    schemas = Schemas(models | {ErrorReply, *STATES.values(), *_CONTROL.values()})
    messages = _messages(actions, schemas)
    refs = {name: {"$ref": f"#/components/messages/{name}"} for name in messages}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "SAINT.OS WebSocket", "version": VERSION, "description": _TEXT},
        "servers": {"robot": {"host": "saint.local:9090", "protocol": "ws"}},
        "defaultContentType": "application/json",
        "channels": {
            "socket": {"address": "/api/ws", "messages": refs, "x-close-codes": _close_codes()}
        },
        "operations": _operations(actions),
        "components": {"schemas": schemas.named, "messages": messages},
    }


def _close_codes() -> Data:
    return {str(code.value): text for code, text in TEXTS.items()}


def _messages(actions: list[Named], schemas: Schemas) -> Data:
    messages: Data = {
        name: _message(first_line(model), schemas.of(model)) for name, model in _CONTROL.items()
    }
    for each in actions:
        name = _name(each)
        messages[name] = _message(each.text.splitlines()[0], _request(each, schemas))
        messages[f"{name}_reply"] = _message(
            f"The answer to {each.group} {each.action}.",
            _response("ok", "data", schemas.of(each.entry.reply) if each.entry.reply else {}),
        )
    for topic, model in STATES.items():
        messages[f"state_{topic}"] = _message(first_line(model), _state(topic, schemas.of(model)))
    messages["done"] = _message("The message was taken.", _response("ok", "data", {}))
    problem = _response("error", "error", schemas.of(ErrorReply))
    messages["error"] = _message("The message was refused.", problem)
    return messages


def _name(named: Named) -> str:
    return f"{named.group}_{named.action}"


def _message(text: str, payload: Data) -> Data:
    return {"summary": text, "payload": payload}


def _request(named: Named, schemas: Schemas) -> Data:
    params = named.entry.params
    needed = ["params"] if params.model_json_schema().get("required") else []
    return {
        "type": "object",
        "properties": {
            "id": _ID,
            "type": {"const": named.group},
            "action": {"const": named.action},
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


def _operations(actions: list[Named]) -> Data:
    """As the robot sees it: it receives what clients send."""
    operations: Data = {name: _received(name, "done") for name in _CONTROL}
    for each in actions:
        received = _received(_name(each), f"{_name(each)}_reply")
        operations[_name(each)] = received | {"x-needs": each.entry.needs.word}
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
