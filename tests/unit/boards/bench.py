"""Both boards of the wagon on one clock, with wires, receivers, motor controllers and a computer
that a test can break. Runs the firmware's own files; nothing waits.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any

from image.boards.balance import config
from image.boards.balance.balance_board import BalanceBoard
from image.boards.io.accessories import Accessories
from image.boards.io.bridges import Bridge, Bridges
from image.boards.io.crsf import crc_d5
from image.boards.io.io_board import IoBoard
from image.boards.shared import tables as t
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc.messages import VescMessage
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonMode, WagonState

STEP_MS = 5
FRAME_MS = 20  # of a receiver, and of the computer's commands
NEUTRAL, LOW, HIGH = 1500, 1000, 2000


def crsf_frame(kind: int, payload: bytes) -> bytes:
    """Return a CRSF frame of a flight controller's receiver."""
    body = bytes((kind,)) + payload
    return bytes((0xC8, len(body) + 1)) + body + bytes((crc_d5(body),))


def crsf_channels(us: list[int]) -> bytes:
    """Return the frame of 16 channels in microseconds."""
    bits = sum(round((each - 1500) * 8 / 5 + 992) << 11 * n for n, each in enumerate(us))
    return crsf_frame(0x16, bits.to_bytes(22, "little"))


@dataclass
class Pin:
    """An output: level and duty."""

    level: int = 0
    share: float = 0.0

    def value(self, level: int) -> None:
        self.level = level

    def duty(self, share: float) -> None:
        self.share = share


@dataclass
class Strip:
    """The LED strip."""

    colour: tuple[int, ...] = ()

    def show(self, colour: tuple[int, ...]) -> None:
        self.colour = colour


@dataclass
class Line:
    """One end of a serial line; `alter` may drop or change what arrives."""

    waiting: bytes = b""
    sent: bytes = b""
    peer: "Line | None" = None
    alter: Callable[[bytes], bytes] = lambda data: data

    def read(self) -> bytes:
        data, self.waiting = self.waiting, b""
        return data

    def write(self, data: bytes) -> None:
        if self.peer is None:
            self.sent += data
        else:
            self.peer.waiting += self.alter(data)


@dataclass
class WagonVesc:
    """One motor controller: obeys its duty until its own time-out."""

    number: int
    duty: float = 0.0
    commanded_ms: int = -10_000
    volts: float = 37.0
    current_a: float = 1.0
    is_blocked: bool = False
    fet_c: float = 30.0

    def received(self, frame: vesc.CanFrame, now_ms: int) -> None:
        message = vesc.decode(frame)
        if message.id == self.number:
            self.commanded_ms = now_ms
            content = message.content
            self.duty = content.value if isinstance(content, vesc.SetDuty) else 0.0

    def turning(self, now_ms: int) -> float:
        """Return the duty that is on the motor."""
        return self.duty if now_ms - self.commanded_ms <= t.VESC_TIMEOUT_MS else 0.0

    def reports(self, now_ms: int) -> list[vesc.CanFrame]:
        duty = self.turning(now_ms)
        erpm = 0 if self.is_blocked else round(duty * 9000)
        amps = 40.0 if self.is_blocked and duty else self.current_a
        contents: tuple[Any, ...] = (
            vesc.Status1(erpm, amps, round(duty, 3)),
            vesc.Status4(self.fet_c, -79.7, amps, 0.0),
            vesc.Status5(0, self.volts),
        )
        return [vesc.encode(VescMessage(self.number, each)) for each in contents]


@dataclass
class Can:
    """The BALANCE board's controller."""

    bench: "Bench"
    is_bus_off: bool = False
    waiting: list[tuple[int, bytes, bool]] = field(default_factory=list)

    def send(self, identifier: int, data: bytes, is_extended: bool) -> bool:
        if self.is_bus_off:
            return False
        frame = vesc.CanFrame(identifier, data, is_extended)
        if not is_extended:
            self.bench.telemetry[identifier] = can_frames.decode(frame)
        elif not self.bench.is_can_cut:
            for each in self.bench.vescs.values():
                each.received(frame, self.bench.now_ms)
        return True

    def receive(self) -> list[tuple[int, bytes, bool]]:
        found, self.waiting = self.waiting, []
        return [] if self.is_bus_off else found

    def is_off(self) -> bool:
        return self.is_bus_off


@dataclass
class Imu:
    """The attitude sensor: gravity at the true angles, noise in the last bit."""

    pitch: float = 0.0
    roll: float = 0.0
    is_frozen: bool = False
    is_silent: bool = False
    _count: int = 0
    _last: tuple[Any, Any] | None = None
    _before: tuple[float, float] = (0.0, 0.0)

    def read(self) -> tuple[Any, Any] | None:
        if self.is_silent:
            return None
        if self.is_frozen and self._last:
            return self._last
        self._count += 1
        pitch, roll = radians(self.pitch), radians(self.roll)
        rates = tuple(
            (now - then) / (STEP_MS / 1000)
            for now, then in zip((self.pitch, self.roll), self._before, strict=True)
        )
        self._before = self.pitch, self.roll
        noise = (self._count % 3 - 1) * 1e-3
        sample = (
            -sin(pitch),
            sin(roll) * cos(pitch),
            cos(roll) * cos(pitch) + noise,
            rates[1],
            rates[0],
            0.0,
        )
        self._last = self._count, sample
        return self._last


@dataclass
class Radio:
    """What a receiver receives: channels from 1, and whether it sends frames."""

    us: list[int]
    is_on: bool = True
    alter: Callable[[bytes], bytes] = lambda data: data


class Bench:
    """The wagon, as it stands after power-on: pilot with the switch at DISARM, computer silent."""

    def __init__(self, has_bridges: bool = True) -> None:
        self.now_ms = 1000
        self.telemetry: dict[int, Any] = {}
        self.is_can_cut = False  # between the BALANCE board and the VESCs
        self.vescs = {
            number: WagonVesc(number) for number in config.VESCS_LEFT + config.VESCS_RIGHT
        }
        us = [NEUTRAL] * 4 + [LOW, LOW, HIGH, LOW] + [LOW] * 8
        self.radios = [Radio(list(us)), Radio(list(us))]
        self.host: can_frames.WagonDrive | None = None
        self.imu = Imu()
        self.pins: list[tuple[Pin, Pin, Pin]] = []
        self.horn, self.light, self.fan, self.buzzer = (Pin() for _ in range(4))
        self.strip = Strip()
        self.has_bridges = has_bridges
        self.balance: BalanceBoard | None = None
        self.io: IoBoard | None = None
        self.watch: Callable[[], None] = lambda: None
        self.power_balance()
        self.power_io()

    def power_balance(self) -> None:
        """Start the BALANCE board, or start it again."""
        self.can, self.console = Can(self), Line()
        self.balance_link = Line(peer=self.io_link if self.io else None)
        if self.io:
            self.io_link.peer = self.balance_link
        self.balance = BalanceBoard(
            self.can, self.imu, self.balance_link, self.console, self.now_ms, "test"
        )
        self.balance.has_bridges = self.has_bridges

    def power_io(self) -> None:
        """Start the IO board, or start it again."""
        self.io_link, self.io_console = Line(peer=self.balance_link), Line()
        self.balance_link.peer = self.io_link
        self.lines = [Line(), Line()]
        self.pins = [(Pin(), Pin(), Pin()) for _ in range(4)]
        wheels = [Bridge(*each) for each in self.pins]
        self.io = IoBoard(
            *self.lines,
            self.io_link,
            self.io_console,
            Bridges(tuple(wheels[:2]), tuple(wheels[2:])),
            Accessories(self.strip, self.horn, self.light, self.fan, self.buzzer),
            self.now_ms,
            "test",
        )

    def cut_balance(self) -> None:
        """Take the power from the BALANCE board."""
        self.balance = None

    def cut_io(self) -> None:
        """Take the power from the IO board: its outputs fall."""
        self.io = None
        for each in self.pins:
            for pin in each:
                pin.level, pin.share = 0, 0.0

    def run(self, duration_ms: int) -> None:
        """Let time pass."""
        for _ in range(duration_ms // STEP_MS):
            self.step()

    def until(self, is_true: Callable[[], bool], most_ms: int) -> int:
        """Let time pass until something holds; return how long it took."""
        start_ms = self.now_ms
        while not is_true():
            assert self.now_ms - start_ms <= most_ms, f"not within {most_ms} ms"
            self.step()
        return self.now_ms - start_ms

    def step(self) -> None:
        """One step of everything."""
        self.now_ms += STEP_MS
        if self.now_ms % FRAME_MS == 0:
            self._send_frames()
        if self.io:
            self.io.step(self.now_ms)
        if self.balance:
            self.balance.step(self.now_ms)
        self.watch()

    def _send_frames(self) -> None:
        for radio, line in zip(self.radios, self.lines, strict=True):
            if radio.is_on:
                line.waiting += radio.alter(crsf_channels(radio.us))
        if self.host:
            self.send(self.host)
        self._send_vescs()

    def _send_vescs(self) -> None:
        if not self.is_can_cut:
            for each in self.vescs.values():
                frames = each.reports(self.now_ms)
                self.can.waiting += [(frame.id, frame.data, True) for frame in frames]

    def send(self, message: Any) -> None:
        """Send a message of the computer."""
        frame = can_frames.encode(message)
        self.can.waiting.append((frame.id, frame.data, False))

    def command(self, line: str) -> str:
        """Type a line at the console and return the reply."""
        self.console.waiting += line.encode() + b"\n"
        self.step()
        reply, self.console.sent = self.console.sent.decode(), b""
        return reply

    def channel(self, number: int, us: int, *receivers: int) -> None:
        """Set a channel (from 1) at the pilot's transmitter, for these receivers or both."""
        for each in receivers or (0, 1):
            self.radios[each].us[number - 1] = us

    def arm(self) -> None:
        """Arm as a pilot does: the switch to DISARM, then to ARM."""
        self.channel(5, LOW)
        self.run(300)
        self.channel(5, HIGH)
        self.run(60)

    def drive(self, speed_us: int = HIGH) -> None:
        """Arm, and drive until the wheels turn."""
        self.arm()
        self.channel(2, speed_us)
        self.run(600)
        assert self.is_turning

    def autonomous(self, speed: int = 800) -> None:
        """Arm, and let the computer drive until the wheels turn."""
        self.channel(6, HIGH)
        self.host = can_frames.WagonDrive(0, 0, WagonMode.AUTONOMOUS, 1)
        self.arm()
        self.run(300)
        self.host = can_frames.WagonDrive(speed, 0, WagonMode.AUTONOMOUS, 1)
        self.run(600)
        assert self.is_turning

    @property
    def state(self) -> WagonState:
        assert self.balance
        return WagonState(self.balance.arming.state)

    @property
    def vesc_duties(self) -> list[float]:
        return [each.turning(self.now_ms) for each in self.vescs.values()]

    @property
    def bridge_duties(self) -> list[float]:
        return [enable.level * (a.share - b.share) for a, b, enable in self.pins]

    @property
    def is_turning(self) -> bool:
        """Return whether any wheel is driven."""
        return any(self.vesc_duties) or any(self.bridge_duties)
