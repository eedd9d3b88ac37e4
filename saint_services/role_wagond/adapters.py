"""The CAN bus of the BALANCE board: sends messages, reads its reports and those of the motor
controllers, reports a lost bus. Not here: what is sent (logic.py).
"""

import asyncio
import errno
from collections.abc import Callable

from saint_services.lib.binary_layout import LayoutError
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.load import BusLoad
from saint_services.lib.hw.can.port import BusState, CanPort, CanState
from saint_services.lib.hw.ports import Board
from saint_services.lib.role_config.devices import CanDevice
from saint_services.lib.role_config.model import RoleConfig
from saint_services.lib.wagon import can_frames

from .motors import MotorView

DRIVER = "wagon"
_MOST_READS = 50  # that empty the queue of a bus that was open before the loop


class BoardLine:
    """An open bus."""

    def __init__(self, board: Board, device: CanDevice, motors: MotorView) -> None:
        self.port_name = device.port
        self.foreign = 0  # frames that are none of the wagon's; where the kernel filters, none
        self.damaged = 0  # reports with another length or content
        self.load: float | None = None
        self._motors = motors
        filters = (*can_frames.REPORT_FILTERS, *motors.filters)
        self._port: CanPort = board.can(device.port, device.bit_rate, filters)
        self._load = BusLoad(device.port, device.bit_rate)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def problem(self) -> str:
        """Return what is wrong with the bus in a sentence, or ""."""
        if self._port.state().bus is BusState.OFF:
            return f"{self.port_name}: the controller of the bus is off (bus-off): check its wires"
        return ""

    @property
    def state(self) -> CanState:
        """Return the state of the bus."""
        return self._port.state()

    def measure(self, now_s: float) -> None:
        """Measure the load of the bus since the last call."""
        self.load = self._load.look(self._port.state(), now_s)

    def discard(self) -> None:
        """Discard what arrived until now: it is old. Raises OSError."""
        for _ in range(_MOST_READS):
            if not self._frames():
                return

    def listen(self, on_frames: Callable[[], None]) -> None:
        """Call back when frames have arrived, in the running loop; without one nothing calls."""
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._loop.add_reader(self._port.fileno(), on_frames)

    def send(self, message: object) -> None:
        """Send a message. Without room it is left out: its repetition is newer. Raises OSError for
        a bus that is lost or off."""
        if problem := self.problem:
            raise OSError(errno.EIO, problem)
        try:
            self._port.send(can_frames.encode(message))
        except SaintError as err:
            raise OSError(errno.EIO, err.message) from err

    def read(self, now_s: float) -> list[object]:
        """Return the board's reports that have arrived; the motors' are followed. Raises OSError
        for a bus that is lost."""
        found: list[object] = []
        for frame in self._frames():
            try:
                if can_frames.is_report(frame):
                    found.append(can_frames.decode(frame))
                elif self._motors.concerns(frame):
                    self._motors.received(frame, now_s)
                elif not self._motors.is_expected(frame):
                    self.foreign += 1
            except LayoutError:
                self.damaged += 1
        return found

    def _frames(self) -> list[CanFrame]:
        try:
            return self._port.receive()
        except SaintError as err:
            raise OSError(errno.EIO, err.message) from err

    def close(self) -> None:
        """Release the bus. Never raises."""
        if self._loop:
            self._loop.remove_reader(self._port.fileno())
            self._loop = None
        try:
            self._port.close()
        except SaintError:
            return  # the adapter is gone


def device_of(config: RoleConfig) -> CanDevice:
    """Return the one BALANCE board of a role. Raises SaintError."""
    found = [each for each in config.can_devices.values() if each.driver == DRIVER]
    if len(found) != 1 or len(config.can_devices) != 1:
        raise SaintError(
            Code.CONFIG_INVALID,
            "the role wagon needs one CAN device with driver: wagon, and no other: the board "
            "drives the motor controllers itself",
        )
    return found[0]
