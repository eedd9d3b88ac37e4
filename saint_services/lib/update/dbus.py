"""Calls and signals on the system bus (D-Bus) over one connection, which is opened when needed and
again after a failure. Not here: the calls themselves (installer.py, checks.py).
"""

import asyncio
import contextlib
import importlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..clock import monotonic_s
from ..errors import Code, SaintError

if TYPE_CHECKING:
    from dbus_fast import Message
    from dbus_fast.aio import MessageBus

_USUAL_ADDRESS = "unix:path=/var/run/dbus/system_bus_socket"
_STATUS = "Check that dbus and rauc run: systemctl status dbus rauc."
_NO_BUS = (
    "On a robot, check: systemctl status dbus rauc. A simulated robot starts its own bus if"
    " dbus-daemon is installed (on Debian: apt install dbus-daemon)."
)
_DAEMON = "org.freedesktop.DBus"
_CONNECT_LIMIT_S = 5.0
_CHECK_INTERVAL_S = 0.5
_MOST_SIGNALS = 256  # waiting to be read; the oldest are dropped first


@dataclass(frozen=True, slots=True)
class Peer:
    """The service of a call: name, object and interface."""

    name: str
    path: str
    interface: str

    def at(self, path: str, interface: str = "") -> "Peer":
        """Return another object of the same service."""
        return Peer(self.name, path, interface or self.interface)


@dataclass(frozen=True, slots=True)
class Signal:
    """A received signal; variants are replaced by their values."""

    interface: str
    member: str
    body: tuple[Any, ...]


class CallError(Exception):
    """Raised when the peer answers with an error; `text` is its own message."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name, text)
        self.name = name
        self.text = text


class SystemBus:
    """The system bus, or the one that DBUS_SYSTEM_BUS_ADDRESS names."""

    def __init__(self, address: str | None = None) -> None:
        self._address = address
        self._bus: MessageBus | None = None
        self._connecting = asyncio.Lock()

    def close(self) -> None:
        """Close the connection, if there is one."""
        bus, self._bus = self._bus, None
        if bus and bus.connected:
            bus.disconnect()

    async def call(
        self, peer: Peer, member: str, signature: str = "", *body: Any, limit_s: float = 10.0
    ) -> tuple[Any, ...]:
        """Call a method. Raises CallError when the peer refuses, SaintError when there is no
        answer."""
        bus = await self._connected()
        from dbus_fast import Message

        message = Message(
            destination=peer.name,
            path=peer.path,
            interface=peer.interface,
            member=member,
            signature=signature,
            body=list(body),
        )
        try:
            async with asyncio.timeout(limit_s):
                reply = await bus.call(message)
        except TimeoutError:
            raise _silent(f"{peer.name} did not answer {member} within {limit_s:g} s") from None
        except (OSError, EOFError) as err:
            raise _silent(f"the connection ended during a call of {peer.name}") from err
        return _result(reply, peer)

    @contextlib.asynccontextmanager
    async def listen(self, *rules: str) -> AsyncIterator["Signals"]:
        """Receive the signals that match one of the rules, from entering on. Raises SaintError."""
        bus = await self._connected()
        signals = Signals(bus)
        daemon = Peer(_DAEMON, "/org/freedesktop/DBus", _DAEMON)
        bus.add_message_handler(signals.take)
        try:
            try:
                for rule in rules:
                    await self.call(daemon, "AddMatch", "s", rule)
            except CallError as err:
                raise _silent(f"the bus refused a rule: {err.text or err.name}") from err
            yield signals
        finally:
            bus.remove_message_handler(signals.take)
            with contextlib.suppress(SaintError, CallError):
                for rule in rules if bus.connected else ():
                    await self.call(daemon, "RemoveMatch", "s", rule)

    async def _connected(self) -> "MessageBus":
        async with self._connecting:
            if self._bus is None or not self._bus.connected:
                self._bus = await self._connect()
            return self._bus

    async def _connect(self) -> "MessageBus":
        # In a thread: importing from the disk takes a while.
        await asyncio.to_thread(importlib.import_module, "dbus_fast.aio")
        from dbus_fast import AuthError, BusType, InvalidAddressError
        from dbus_fast.aio import MessageBus

        try:
            async with asyncio.timeout(_CONNECT_LIMIT_S):
                return await MessageBus(self._address, BusType.SYSTEM).connect()
        except (OSError, EOFError, TimeoutError, AuthError, InvalidAddressError) as err:
            raise _unreached(err, self._address) from err


class Signals:
    """The received signals of one listener, in their order."""

    def __init__(self, bus: "MessageBus") -> None:
        self._bus = bus
        self._waiting: asyncio.Queue[Signal] = asyncio.Queue(_MOST_SIGNALS)

    def take(self, message: "Message") -> None:
        """Receive a message of the connection."""
        from dbus_fast import MessageType, unpack_variants

        if message.message_type is not MessageType.SIGNAL:
            return
        if self._waiting.full():
            self._waiting.get_nowait()
        body = tuple(unpack_variants(message.body))
        self._waiting.put_nowait(Signal(message.interface or "", message.member or "", body))

    async def next(self, limit_s: float) -> Signal | None:
        """Return the next signal; None when none came within the limit. Raises SaintError when the
        bus is gone."""
        deadline_s = monotonic_s() + limit_s
        while (rest_s := deadline_s - monotonic_s()) > 0:
            try:
                async with asyncio.timeout(min(rest_s, _CHECK_INTERVAL_S)):
                    return await self._waiting.get()
            except TimeoutError:
                # The library's own future for this is cancelled together with its waiting task.
                if not self._bus.connected:
                    raise _silent("the connection ended") from None
        return None


def _result(reply: "Message | None", peer: Peer) -> tuple[Any, ...]:
    from dbus_fast import MessageType, unpack_variants

    if reply is None:
        raise _silent(f"{peer.name} gave no answer")
    if reply.message_type is MessageType.ERROR:
        text = str(reply.body[0]) if reply.body else ""
        raise CallError(reply.error_name or "", text)
    return tuple(unpack_variants(reply.body))


def _unreached(error: Exception, address: str | None) -> SaintError:
    """Return the error for a missing connection, in words for users."""
    from dbus_fast import AuthError, InvalidAddressError

    where = address or os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or _USUAL_ADDRESS
    match error:
        case FileNotFoundError():
            return _silent(f"there is no bus at {where}", _NO_BUS)
        case ConnectionRefusedError():
            return _silent(f"no bus listens at {where}", _NO_BUS)
        case PermissionError() | AuthError():
            return _silent(f"this process may not use {where}", "Start it as the user of its unit.")
        case TimeoutError():
            return _silent(f"no answer from {where} within {_CONNECT_LIMIT_S:g} s")
        case InvalidAddressError():
            fix = "Correct or unset DBUS_SYSTEM_BUS_ADDRESS."
            return _silent(f"'{where}' is not a bus address", fix)
        case EOFError() | ConnectionError():
            return _silent(f"{where} ended the connection")
    why = getattr(error, "strerror", "") or str(error) or "no reason was given"
    return _silent(f"{where} cannot be reached: {why}")


def _silent(what: str, fix: str = _STATUS) -> SaintError:
    return SaintError(Code.DAEMON_UNREACHABLE, f"the system bus: {what}", fix=fix)
