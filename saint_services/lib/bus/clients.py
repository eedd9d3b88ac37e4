"""Clients of services, kept open for the next call, in each backend's form. Not here: a call."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from ..errors import SaintError
from ..generated.errors import Code
from . import Service

MOST = 64  # the oldest idle one makes room


class KeptClient(Protocol):
    """What each backend's client can do."""

    @property
    def is_busy(self) -> bool: ...

    def close(self) -> None: ...


C = TypeVar("C", bound=KeptClient)


class Clients(Generic[C]):
    """By name and type of the service."""

    def __init__(self, make: Callable[[Service[Any, Any]], C]) -> None:
        self._make = make
        self._kept: dict[tuple[str, str], C] = {}

    def of(self, service: Service[Any, Any]) -> C:
        """The client of a service; raises bus_unavailable when all are busy."""
        key = (service.name, service.type)
        if key not in self._kept:
            self._make_room()
            self._kept[key] = self._make(service)
        return self._kept[key]

    def __iter__(self) -> Iterator[C]:
        return iter(self._kept.values())

    def clear(self) -> None:
        """Forget them; whoever closes them has done so."""
        self._kept.clear()

    def _make_room(self) -> None:
        if len(self._kept) < MOST:
            return
        for key, client in self._kept.items():
            if not client.is_busy:
                client.close()
                del self._kept[key]
                return
        raise SaintError(Code.BUS_UNAVAILABLE, f"{MOST} services are being called at once")
