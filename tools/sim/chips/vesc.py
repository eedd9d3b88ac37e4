"""Model of a VESC on a simulated CAN bus. Its state is in mapped files, so that its motor goes on
after the process that drives it, until the VESC's own time-out.
"""

from pathlib import Path
from time import monotonic_ns
from typing import Any

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import buffers
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc.controller import COUNTS_PER_TURN
from saint_services.lib.hw.vesc.messages import VescMessage
from saint_services.lib.records import RecordReading, Records
from tools.sim.bodies.plant import Plant
from tools.sim.can_bus import bus_folder
from tools.sim.chips.base import ChipFault, ChipFile

TIMEOUT_S = 1.0  # the default of the firmware (app configuration, general)
STATUS_NS = 20_000_000
_WARM_C, _NO_SENSOR_C = 30.0, -79.7
_RECEIVED_NS, _ERPM, _CURRENT, _COUNT, _SUPPLY, _FET_C, _MOTOR_C, _STATUS_NS = range(8)
_TIMEOUT_S, _PLACES = 8, 9


def vesc_file(directory: Path, port: str, number: int) -> Path:
    """Return the file of a VESC below the board's directory."""
    return bus_folder(directory, port) / f"vesc-{number}"


class VescPeer(ChipFile):
    """One VESC; record 0 of its outputs is the duty that it was sent."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.number = int(path.name.rpartition("-")[2])
        self._records = Records(path.with_suffix(".outputs"), 1)
        super().__init__(path, 8 * _PLACES)

    def received(self, frame: CanFrame) -> list[CanFrame]:
        """Obey a frame that is addressed to it; return its reply."""
        if not frame.is_extended or frame.id & 0xFF not in (self.number, vesc.ALL):
            return []
        if self.fault in (ChipFault.UNPLUGGED, ChipFault.DEAF):
            return []
        if buffers.is_request(frame, self.number):
            return self._configuration(frame.data[0])
        try:
            content = vesc.decode(frame).content
        except ValueError:
            return []
        return self._obey(content)

    def _obey(self, content: Any) -> list[CanFrame]:
        if isinstance(content, vesc.Ping):
            return [vesc.encode(VescMessage(content.sender_id, vesc.Pong(self.number)))]
        if vesc.row_of(content).name.startswith("SET_"):
            self._numbers[_RECEIVED_NS] = float(monotonic_ns())
            self._records.write(0, content.value if isinstance(content, vesc.SetDuty) else 0.0)
        return []

    def _configuration(self, to_id: int) -> list[CanFrame]:
        """Return the begin of its application configuration: signature, id, time-out, and more."""
        timeout_ms = round(self.timeout_s * 1000)
        head = b"\x11" + bytes(4) + bytes((self.number,)) + timeout_ms.to_bytes(4, "big")
        return buffers.split(head + bytes(400), to_id, self.number)

    @property
    def timeout_s(self) -> float:
        """Return its own time-out."""
        return self._numbers[_TIMEOUT_S]

    def set_timeout(self, timeout_s: float) -> None:
        """Set its own time-out, as with VESC Tool; 0: none."""
        self._numbers[_TIMEOUT_S] = timeout_s

    def statuses(self) -> list[CanFrame]:
        """Return its status frames when they are due."""
        now_ns = monotonic_ns()
        numbers = self._numbers
        if now_ns - numbers[_STATUS_NS] < STATUS_NS or self.fault is not ChipFault.NONE:
            return []
        numbers[_STATUS_NS] = float(now_ns)
        contents = (
            vesc.Status1(int(numbers[_ERPM]), round(numbers[_CURRENT], 1), self.duty()),
            vesc.Status4(numbers[_FET_C], numbers[_MOTOR_C], round(numbers[_CURRENT], 1), 0.0),
            vesc.Status5(int(numbers[_COUNT]), round(numbers[_SUPPLY], 1)),
        )
        return [vesc.encode(VescMessage(self.number, content)) for content in contents]

    def duty(self) -> float:
        """Return the duty at present; zero after the VESC's time-out."""
        silent_s = (monotonic_ns() - self._numbers[_RECEIVED_NS]) / 1e9
        if self.timeout_s and silent_s > self.timeout_s:
            return 0.0
        return self._records.read(0).value

    def output(self) -> RecordReading:
        """Return the duty and when it was sent."""
        written = self._records.read(0)
        return RecordReading(self.duty(), written.writes, written.stamp_ns)

    def feed(self, erpm: float, count: float, current_a: float) -> None:
        """Set what it measures of its motor."""
        numbers = self._numbers
        numbers[_ERPM], numbers[_COUNT], numbers[_CURRENT] = erpm, count, current_a

    def feed_supply(self, voltage_v: float) -> None:
        """Set the voltage of its supply."""
        self._numbers[_SUPPLY] = voltage_v

    def feed_temperatures(self, fet_c: float, motor_c: float) -> None:
        """Set its temperatures."""
        self._numbers[_FET_C], self._numbers[_MOTOR_C] = fet_c, motor_c

    def close(self) -> None:
        """Unmap all files, which keep their values."""
        super().close()
        self._records.close()

    @property
    def _numbers(self) -> "memoryview[float]":
        return self._memory.cast("d")

    def _power_up(self) -> None:
        self._memory[:] = bytes(len(self._memory))
        self._records.write(0, 0.0)
        self.set_timeout(TIMEOUT_S)
        self.feed_supply(36.0)
        self.feed_temperatures(_WARM_C, _NO_SENSOR_C)


class SimVesc:
    """Motor side of a VESC: its duty to the motor; speed, count and current back."""

    def __init__(self, directory: Path, port: str, number: int) -> None:
        self.peer = VescPeer(vesc_file(directory, port, number))

    def output(self, _channel: int) -> RecordReading:
        """Return the duty and its time; zero after the VESC's time-out."""
        return self.peer.output()

    def feed(self, plant: Plant, device: str) -> None:
        """Update what the VESC measures."""
        for wheel in plant.wheels:
            if wheel.spec.device == device:
                # Counts of the wheel are those of the tachometer, whatever the poles are.
                erpm = wheel.motor.speed / COUNTS_PER_TURN * 60.0
                self.peer.feed(erpm, wheel.counted, abs(wheel.motor.current_a))

    def close(self) -> None:
        """Unmap all files, which keep their values."""
        self.peer.close()
