"""Converts our messages to rclpy's and back, by FIELDS. Only services need it: topics are sent as
bytes. Classes of a ROS 2 installation are looked up by name.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from ...errors import SaintError
from ...generated.errors import Code
from .. import Message, cdr

_PLACEHOLDER = "structure_needs_at_least_one_member"  # rclpy hides it
_BYTES = ("uint8",)

Convert = Callable[[Any], Any]


def ros_class(name: str) -> Any:
    """Return the class of a ROS 2 type, "std_msgs/msg/String" or "saint_msgs/srv/AdoptNode"."""
    package, kind, base = name.split("/")
    try:
        return getattr(import_module(f"{package}.{kind}"), base)
    except (ImportError, AttributeError) as err:
        text = f"this ROS 2 installation has no {name}"
        fix = (
            f"Install the package {package} (for saint_msgs build manifests/saint_msgs with "
            "colcon) and source it, or set SAINT_BUS=dds."
        )
        raise SaintError(Code.BUS_UNAVAILABLE, text, fix=fix) from err


def to_ros(message: Any, made: Any) -> Any:
    """Fill `made`, an empty rclpy message, from our message and return it."""
    cls: type[Message] = type(message)
    for name, convert in _setters(cls):
        setattr(made, name, convert(getattr(message, name)))
    return made


def from_ros(cls: type[Message], message: Any) -> Any:
    """Convert an rclpy message to ours."""
    return cls(**{name: convert(getattr(message, name)) for name, convert in _getters(cls)})


@cache
def _setters(cls: type[Message]) -> tuple[tuple[str, Convert], ...]:
    return tuple((name, _outward(kind)) for name, kind in cls.FIELDS if name != _PLACEHOLDER)


@cache
def _getters(cls: type[Message]) -> tuple[tuple[str, Convert], ...]:
    return tuple((name, _inward(kind)) for name, kind in cls.FIELDS if name != _PLACEHOLDER)


def _outward(kind: Any) -> Convert:
    """Convert to the exact type that rclpy's setters require: 1 is not a float there."""
    if isinstance(kind, cdr.Array | cdr.Sequence):
        element = _outward(kind.of)
        return lambda values: [element(value) for value in values]
    if isinstance(kind, str):
        return _python_type(kind)
    made = ros_class(kind.TYPE)
    return lambda value: to_ros(value, made())


def _inward(kind: Any) -> Convert:
    """Convert sequences to tuples and bytes to bytes, as our codec decodes them."""
    if isinstance(kind, cdr.Array | cdr.Sequence):
        if kind.of in _BYTES:
            return bytes
        element = _inward(kind.of)
        return lambda values: tuple(element(value) for value in values)
    if isinstance(kind, str):
        return _python_type(kind)
    return lambda value: from_ros(kind, value)


def _python_type(kind: str) -> Convert:
    if kind == "string":
        return str
    if kind == "bool":
        return bool
    return float if kind.startswith("float") else int
