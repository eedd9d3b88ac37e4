"""The part of systemd's D-Bus interface that a health check queries: which units failed, and which
start again and again. Not here: the services themselves (the caller provides `units`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from dbus_fast import Variant
from dbus_fast.aio import MessageBus

from .bus_object import BusObjects, Interface, Method, RefusalError

NAME = "org.freedesktop.systemd1"
PATH = "/org/freedesktop/systemd1"
MANAGER = "org.freedesktop.systemd1.Manager"
_UNIT = "org.freedesktop.systemd1.Unit"
_SERVICE = "org.freedesktop.systemd1.Service"
_LIST = "a(ssssssouso)"
_NO_SUCH_UNIT = "org.freedesktop.systemd1.NoSuchUnit"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as systemctl shows it."""

    name: str
    active: str = "active"  # "active", "activating", "failed", "inactive"
    sub: str = "running"  # "auto-restart" while it waits for its next try
    restarts: int = 0
    result: str = "success"  # or "exit-code", "signal", "watchdog"
    exit_status: int = 0


class Systemd:
    """One machine's service manager."""

    def __init__(self, units: Callable[[], Iterable[Unit]]) -> None:
        self._units = units
        self._objects: BusObjects | None = None
        self._manager = Interface(
            MANAGER,
            {
                "ListUnits": Method("", _LIST, self._list),
                "ListUnitsFiltered": Method("as", _LIST, self._list),
                "ListUnitsByPatterns": Method("asas", _LIST, self._list),
                "GetUnit": Method("s", "o", self._get),
                "LoadUnit": Method("s", "o", self._get),
            },
        )

    async def serve(self, bus: MessageBus) -> None:
        """Answer on this connection."""
        self._objects = BusObjects(bus, self._at)
        await bus.request_name(NAME)

    async def close(self) -> None:
        """No more answers."""
        if self._objects:
            await self._objects.close()

    def _at(self, path: str) -> list[Interface]:
        if path == PATH:
            return [self._manager]
        found = next((unit for unit in self._units() if _path(unit.name) == path), None)
        if found is None:
            return []
        facts = {
            "NRestarts": Variant("u", found.restarts),
            "Result": Variant("s", found.result),
            "ExecMainStatus": Variant("i", found.exit_status),
        }
        states = {
            "Id": Variant("s", found.name),
            "ActiveState": Variant("s", found.active),
            "SubState": Variant("s", found.sub),
        }
        return [
            Interface(_UNIT, properties=lambda: states),
            Interface(_SERVICE, properties=lambda: facts),
        ]

    async def _list(self, *arguments: list[str]) -> list[Any]:
        states = arguments[0] if arguments else []
        patterns = arguments[1] if len(arguments) > 1 else []
        found = [
            unit
            for unit in self._units()
            if (not states or {unit.active, unit.sub, "loaded"} & set(states))
            and (not patterns or any(fnmatchcase(unit.name, each) for each in patterns))
        ]
        return [[_row(unit) for unit in found]]

    async def _get(self, name: str) -> list[Any]:
        if all(unit.name != name for unit in self._units()):
            raise RefusalError(_NO_SUCH_UNIT, f"Unit {name} not loaded.")
        return [_path(name)]


def _row(unit: Unit) -> list[Any]:
    """Name, description, load, active and sub state, followed, object, job number, type, object."""
    path = _path(unit.name)
    return [unit.name, unit.name, "loaded", unit.active, unit.sub, "", path, 0, "", "/"]


def _path(name: str) -> str:
    """As sd_bus_path_encode() does: other characters than letters and digits in hexadecimal."""
    coded = "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):02x}" for c in name)
    return f"{PATH}/unit/{coded}"
