"""The CAN bus of a role with its simulated VESCs: they receive what anything on the bus sends, and
report while the process of the role runs.
"""

from collections.abc import Mapping
from pathlib import Path

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import CanState
from tools.sim.bodies.drive import BodyDrive
from tools.sim.can_bus import SimCan
from tools.sim.chips.vesc import SimVesc


class VescNodes:
    """Implements CanPort. What the VESCs send is also seen on the bus."""

    def __init__(
        self, directory: Path, port: str, vescs: Mapping[str, SimVesc], drive: BodyDrive
    ) -> None:
        self._bus = SimCan(directory, port)
        self._vescs = vescs
        self._drive = drive
        self._replies: list[CanFrame] = []

    def fileno(self) -> int:
        return self._bus.fileno()

    def send(self, frame: CanFrame) -> bool:
        """Send a frame to the VESCs and all others on the bus."""
        is_sent = self._bus.send(frame)
        if is_sent:
            self._pass(frame)
        return is_sent

    def receive(self) -> list[CanFrame]:
        """Return frames of others, then replies and reports of the VESCs."""
        found = self._bus.receive()
        for frame in found:
            self._pass(frame)
        self._drive.advance()
        for name, node in self._vescs.items():
            node.feed(self._drive.plant, name)
            self._replies += node.peer.statuses()
        own, self._replies = self._replies, []
        for frame in own:
            self._bus.send(frame)
        return [*found, *own]

    def state(self) -> CanState:
        return self._bus.state()

    def close(self) -> None:
        """Leave the bus; the VESCs keep their state."""
        self._bus.close()

    def _pass(self, frame: CanFrame) -> None:
        for node in self._vescs.values():
            self._replies += node.peer.received(frame)
