"""Interface of a CAN bus, and its state. Not here: what is behind it (socketcan.py, slcan.py)."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Protocol

from ...errors import Code, SaintError
from .frame import CanFrame

MOST_AT_ONCE: Final = 64  # frames of one call of receive: a busy bus must not hold the loop


class BusState(StrEnum):
    """State of a controller on its bus, by its own error counters (ISO 11898-1)."""

    ACTIVE = "active"
    WARNING = "warning"  # an error counter is above 95
    PASSIVE = "passive"  # above 127: it no longer interrupts frames of others
    OFF = "bus-off"  # it no longer takes part


@dataclass(frozen=True, slots=True)
class CanState:
    """State of a bus and what has passed since its port was opened."""

    bus: BusState = BusState.ACTIVE
    sent: int = 0
    received: int = 0
    errors: int = 0  # reported by the controller, or text that is no frame
    lost: int = 0  # frames that the kernel or the adapter dropped
    bus_offs: int = 0

    def counted(
        self, *, sent: int = 0, received: int = 0, errors: int = 0, lost: int = 0
    ) -> "CanState":
        """Return the state after so many more."""
        return replace(
            self,
            sent=self.sent + sent,
            received=self.received + received,
            errors=self.errors + errors,
            lost=self.lost + lost,
        )

    def turned(self, bus: BusState) -> "CanState":
        """Return the state after the controller reported its own."""
        is_new = bus is BusState.OFF and self.bus is not BusState.OFF
        return replace(self, bus=bus, bus_offs=self.bus_offs + is_new)


@dataclass(frozen=True, slots=True)
class CanFilter:
    """Frames to receive: those whose identifier agrees in the bits of `mask`."""

    id: int
    mask: int
    is_extended: bool


class CanPort(Protocol):
    """An open bus that never blocks. Its methods raise SaintError when the adapter is gone."""

    def fileno(self) -> int: ...

    def send(self, frame: CanFrame) -> bool:
        """Send a frame; False: there is no room now."""
        ...

    def receive(self) -> list[CanFrame]:
        """Return data frames that have arrived, MOST_AT_ONCE at most."""
        ...

    def state(self) -> CanState:
        """Return the state as last reported."""
        ...

    def close(self) -> None: ...


def fault(code: Code, interface: str, reason: str, fix: str = "") -> SaintError:
    """Return the error of a bus."""
    return SaintError(code, f"CAN bus {interface}: {reason}", fix=fix)


def passes(frame: CanFrame, filters: Collection[CanFilter]) -> bool:
    """Return whether a frame passes one of the filters; without any, all do."""
    return not filters or any(
        frame.is_extended == each.is_extended and not (frame.id ^ each.id) & each.mask
        for each in filters
    )
