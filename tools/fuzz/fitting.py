"""Params that an action takes: made of its model's JSON schema, with the names that a simulated
robot has, so that messages pass the checks and reach what is behind them. Not here: unsound ones,
and their sender (websocket.py).
"""

import random
from typing import Any

from pydantic import BaseModel

Data = dict[str, Any]
Rng = random.Random

# What the simulated robot knows, by the name of the param.
_NODES = ["sim_head", "sim_arm_left", "sim_arm_right", "sim_tracks", "sim_console", "sim_spare"]
_KNOWN: dict[str, list[str]] = {
    "node_id": _NODES, "by": _NODES, "node": [*_NODES, "server"], "nodes": _NODES,
    "role": ["head", "arms", "tracks", "console", "parts", "viewer", "admin"],
    "instance": ["", "left", "right"],
    "target": ["head", "arms.left", "arms.right", "tracks"], "to": ["pan", "tilt", "linear", "jaw"],
    "field": ["pan", "tilt", "joint_0", "linear"], "output": ["head.pan", "tracks.linear"],
    "from": ["channel_1", "jawOpen", "headYaw"], "id": ["rc_drive", "made_up"],
    "source": ["rc", "livelink:*", "websocket", "webd", "routerd"],
    "route_id": ["rc_drive", "facecap_to_head", "websocket_direct", "made_up"],
    "preset_name": ["default", "rc_manual", "facecap_head", "made_up"],
    "subject_name": ["FaceCapture", "*"], "name": ["ann", "bob", "mine"],
    "password": ["a good long one", "another good one"], "version": ["0.1.0", "9.9.9"],
}  # fmt: skip
_TEXTS = ["x", "saint", "Ünïcode", "0", "a b", "-1"]


def params(rng: Rng, model: type[BaseModel]) -> Data:
    """Some of its fields, with values that fit, for the most part."""
    schema = model.model_json_schema(by_alias=True)
    return _object(rng, schema, schema.get("$defs", {}))


def _object(rng: Rng, schema: Data, named: Data) -> Data:
    needed = schema.get("required", ())
    fields = schema.get("properties", {})
    chosen = [name for name in fields if name in needed or rng.random() < 0.5]
    found = {name: _value(rng, fields[name], named, name) for name in chosen}
    if isinstance(more := schema.get("additionalProperties"), dict):
        found |= {word: _value(rng, more, named, word) for word in rng.sample(_TEXTS, 2)}
    return found


def _value(rng: Rng, schema: Data, named: Data, name: str) -> Any:
    if "$ref" in schema:
        schema = named[schema["$ref"].rpartition("/")[2]]
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return _value(rng, rng.choice(choices), named, name)
    if "enum" in schema or "const" in schema:
        return rng.choice(schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "object":
        return _object(rng, schema, named)
    if kind == "array":
        return _array(rng, schema, named, name)
    if kind in ("number", "integer"):
        return _number(rng, schema, is_whole=kind == "integer")
    if kind == "boolean":
        return rng.random() < 0.5
    return None if kind == "null" else rng.choice(_KNOWN.get(name, _TEXTS))


def _array(rng: Rng, schema: Data, named: Data, name: str) -> list[Any]:
    if parts := schema.get("prefixItems"):
        return [_value(rng, part, named, name) for part in parts]
    least = schema.get("minItems", 0)
    size = rng.randint(least, min(schema.get("maxItems", least + 3), least + 3))
    return [_value(rng, schema.get("items", {}), named, name) for _ in range(size)]


def _number(rng: Rng, schema: Data, *, is_whole: bool) -> float:
    limits: dict[str, float] = schema
    low = limits.get("minimum", limits.get("exclusiveMinimum", -100.0))
    high = limits.get("maximum", limits.get("exclusiveMaximum", max(low, 100.0)))
    found = rng.choice((low, high)) if rng.random() < 0.2 else rng.uniform(low, high)
    return int(found) if is_whole else found
