"""One object on a D-Bus, written as a table of methods with their exact signatures. Unlike the
library's own service class it says nothing that the imitated program does not say. Not here: what
the methods do.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

PROPERTIES = "org.freedesktop.DBus.Properties"
_INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"
_UNKNOWN_METHOD = "org.freedesktop.DBus.Error.UnknownMethod"
_INVALID_ARGUMENTS = "org.freedesktop.DBus.Error.InvalidArgs"
_FAILED = "org.freedesktop.DBus.Error.Failed"


class RefusalError(Exception):
    """A method's answer is an error."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        self.text = text


@dataclass(frozen=True, slots=True)
class Method:
    """`answer` gets the arguments and returns what `result` describes."""

    arguments: str
    result: str
    answer: Callable[..., Awaitable[list[Any]]]


@dataclass(frozen=True, slots=True)
class Interface:
    """Methods, and properties as they are now."""

    name: str
    methods: dict[str, Method] = field(default_factory=dict)
    properties: Callable[[], dict[str, Variant]] = dict


class BusObjects:
    """All objects of one connection. `find` maps a path to the interfaces there, or to none."""

    def __init__(self, bus: MessageBus, find: Callable[[str], list[Interface]]) -> None:
        self._bus = bus
        self._find = find
        self._tasks: set[asyncio.Task[None]] = set()
        bus.add_message_handler(self._take)

    async def close(self) -> None:
        """No more answers."""
        self._bus.remove_message_handler(self._take)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def signal(self, path: str, interface: str, member: str, signature: str, *body: Any) -> None:
        """Emit a signal."""
        if self._bus.connected:
            self._bus.send(
                Message(
                    message_type=MessageType.SIGNAL,
                    path=path,
                    interface=interface,
                    member=member,
                    signature=signature,
                    body=list(body),
                )
            )

    def _take(self, message: Message) -> bool | None:
        is_ours = message.message_type is MessageType.METHOD_CALL
        if not is_ours or not self._find(message.path or ""):
            return None  # another object's, or the library's to refuse
        task = asyncio.get_running_loop().create_task(self._answer(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def _answer(self, message: Message) -> None:
        try:
            method = self._method(message)
            if message.signature != method.arguments:
                raise RefusalError(
                    _INVALID_ARGUMENTS,
                    f"Type of message, “({message.signature})”, does not match expected type"
                    f" “({method.arguments})”",
                )
            body = await method.answer(*message.body)
        except RefusalError as err:
            reply = Message.new_error(message, err.name, err.text)
        else:
            reply = Message.new_method_return(message, method.result, body)
        if self._bus.connected:
            await self._bus.send(reply)

    def _method(self, message: Message) -> Method:
        interfaces = {each.name: each for each in self._find(message.path or "")}
        if message.interface == PROPERTIES:
            return _property_methods(interfaces)[message.member or ""]
        if message.interface == _INTROSPECTABLE:
            return Method("", "s", lambda: _introspected(interfaces))
        found = interfaces.get(message.interface or "")
        method = found.methods.get(message.member or "") if found else None
        if method is None:
            text = (
                f"No such interface “{message.interface}” on object at path {message.path}"
                if found is None
                else f"No such method “{message.member}”"
            )
            raise RefusalError(_UNKNOWN_METHOD, text)
        return method


def _property_methods(interfaces: dict[str, Interface]) -> dict[str, Method]:
    async def all_of(name: str) -> list[Any]:
        return [interfaces[name].properties() if name in interfaces else {}]

    async def get(name: str, key: str) -> list[Any]:
        values = interfaces[name].properties() if name in interfaces else {}
        if key not in values:
            raise RefusalError(_INVALID_ARGUMENTS, f"No such property “{key}”")
        return [values[key]]

    async def put(_: str, key: str, __: Any) -> list[Any]:
        raise RefusalError(_FAILED, f"Property “{key}” is not writable")

    return {
        "Get": Method("ss", "v", get),
        "GetAll": Method("s", "a{sv}", all_of),
        "Set": Method("ssv", "", put),
    }


async def _introspected(interfaces: dict[str, Interface]) -> list[Any]:
    names = "".join(f'<interface name="{name}"/>' for name in interfaces)
    return [f"<node>{names}</node>"]
