"""Writes output fields into command messages, and reads fields of foreign command messages. The
manifests say where each field stands; no message type is named here.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ...lib.bus import Topic
from ...lib.errors import Code, SaintError
from ...lib.generated import topics
from ...lib.role_config.message_places import Place as Place
from ...lib.role_config.message_places import get as get
from ...lib.role_config.message_places import place as place
from .claims import OutputField
from .targets import CommandLayout, Modifier

LEAVE = math.nan  # a position without a command: the joint is left as it is
LARGEST = 3.4e38  # what a float32 of ours can hold


class CommandWriter:
    """Fills the same message object for each command; publishing encodes it at once."""

    def __init__(self, command: CommandLayout, outputs: dict[tuple[str, str], OutputField]) -> None:
        self.command = command
        self.topic = command_topic(command)
        self._message: Any = self.topic.type()
        if command.is_named:
            self._message.names = tuple(name for name, _ in command.fields)
        for path, constant in command.topic.constants.items():
            put(self._message, place(path), constant)
        places = [place(path) for _, path in command.fields]
        for where in places:
            put(self._message, where, LEAVE)
        # Arrays have grown: what holds each number stays, so it is looked up once.
        self._slots = [
            (outputs[command.target, name], owner(self._message, where), where[-1])
            for (name, _), where in zip(command.fields, places, strict=True)
        ]
        self._modifiers = [(each, place(each.path)) for each in command.modifiers]

    @property
    def is_wanted(self) -> bool:
        """True as soon as one of its fields was driven."""
        return any(output.is_driven for output, _, _ in self._slots)

    def message(self) -> Any:
        """Return the message with the present values of the fields."""
        for output, holder, key in self._slots:
            value = output.value if output.is_driven or output.is_velocity else LEAVE
            if value is None:
                value = LEAVE
            if isinstance(key, int):
                holder[key] = value
            else:
                setattr(holder, key, value)
        for modifier, where in self._modifiers:
            put(self._message, where, self._modified(modifier))
        return self._message

    def _modified(self, modifier: Modifier) -> float:
        """Return the smallest value that a claim in control of one of the fields requests."""
        lowest: float | None = None
        for output, _, _ in self._slots:
            winner = output.winner
            if winner is None or not winner.modifiers:
                continue
            for each, value in winner.modifiers:
                if each is modifier and value != modifier.neutral:
                    lowest = value if lowest is None else min(lowest, value)
        return modifier.neutral if lowest is None else lowest


def command_topic(command: CommandLayout) -> Topic[Any]:
    """Return the topic of a command; raises SaintError config_invalid for an unknown type."""
    kind = topics.BY_TYPE.get(command.topic.type)
    if kind is None:
        raise SaintError(
            Code.CONFIG_INVALID, f"{command.topic.type!r} of {command.target} is no message type"
        )
    return Topic(command.topic.topic, kind, topics.HEAD_CMD.qos)


def read(command: CommandLayout, message: Any) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Return names and values of the fields that a foreign command sets. NaN leaves a field out;
    any other value that is no number within float32 voids the whole message (no fields).
    """
    found = [(name, value) for name, value in _fields(command, message) if not math.isnan(value)]
    if not all(abs(value) <= LARGEST for _, value in found):
        return (), ()
    return tuple(name for name, _ in found), tuple(value for _, value in found)


def _fields(command: CommandLayout, message: Any) -> Iterator[tuple[str, float]]:
    if command.is_named:
        yield from _named(command, message)
        return
    for name, path in command.fields:
        value = get(message, place(path))
        if value is not None:
            yield name, value


def _named(command: CommandLayout, message: Any) -> Iterator[tuple[str, float]]:
    """Yield the fields that a message names, each once; nothing when names and values differ in
    number."""
    known = {name for name, _ in command.fields}
    if len(message.names) != len(message.values):
        return
    for name, value in zip(message.names, message.values, strict=True):
        if name in known:
            known.discard(name)
            yield name, float(value)


def put(message: Any, where: Place, value: float) -> None:
    """Set one number in a message. Arrays grow as needed; LEAVE fills their gaps."""
    holder, last = owner(message, where), where[-1]
    if isinstance(last, str):
        setattr(holder, last, value)
        return
    holder.extend([LEAVE] * (last + 1 - len(holder)))
    holder[last] = value


def owner(message: Any, where: Place) -> Any:
    """Return what holds the number: the message, a part of it, or a list."""
    holder = message
    for key, after in pairwise(where):
        inner = holder[key] if isinstance(key, int) else getattr(holder, key)
        if isinstance(after, int) and not isinstance(inner, list):
            inner = list(inner)
            setattr(holder, str(key), inner)
        holder = inner
    return holder
