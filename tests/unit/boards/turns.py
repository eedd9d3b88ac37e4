"""The BALANCE board alone, called turn by turn; its wires are lists."""

import struct
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from image.boards.balance.balance_board import BalanceBoard
from image.boards.shared import tables as t
from image.boards.shared.codec import unpack
from image.boards.shared.link import LinkParser, framed

CHANNELS = [1500, 1500, 1500, 1500, 1000, 1000, 2000, 1000] + [1000] * 8
DUTY, CURRENT, BRAKE = 0x044, 0x144, 0x244  # to the left controller


@dataclass
class Wire:
    """A line or a bus: what waits, and what was sent."""

    waiting: Any = b""
    sent: Any = b""
    is_bus_off: bool = False

    def read(self) -> Any:
        found, self.waiting = self.waiting, type(self.waiting)()
        return found

    receive = read

    def write(self, data: bytes) -> None:
        self.sent += data

    def send(self, identifier: int, data: bytes, is_extended: bool) -> bool:
        self.sent.append((identifier, data, is_extended))
        return True

    def is_off(self) -> bool:
        return self.is_bus_off


@dataclass
class Sensor:
    """The attitude sensor: always another sample, until it is silent."""

    sample: tuple[float, ...] = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    is_silent: bool = False
    count: int = 0

    def read(self) -> tuple[int, tuple[float, ...]] | None:
        self.count += 1
        return None if self.is_silent else (self.count, self.sample)


@dataclass
class Turns:
    """The board, with good reports in each turn but for those that are `missing`."""

    missing: set[str] = field(default_factory=set)
    us: list[int] = field(default_factory=lambda: list(CHANNELS))
    flags: int = t.RC_FLAG_ALIVE | t.RC_FLAG_NEW
    volts: float = 37.0
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.can, self.imu = Wire([], []), Sensor()
        self.link, self.console = Wire(), Wire()
        self.board = BalanceBoard(self.can, self.imu, self.link, self.console, self.now_ms, "v")

    def turn(self, ms: int = 5) -> None:
        """Let one turn come so much later."""
        self.now_ms += ms
        if "heartbeat" not in self.missing:
            self.link.waiting += framed(t.LINK_HEARTBEAT, 1)
        if "rc" not in self.missing:
            self.link.waiting += framed(t.LINK_RC_CHANNELS, *self.us, self.flags)
        if "vescs" not in self.missing:
            for number in (68, 56):
                self.frame(0x900 | number, struct.pack(">ihh", 900, 20, 100), True)
                self.frame(0x1B00 | number, struct.pack(">ihh", 0, round(self.volts * 10), 0), True)
        self.board.step(self.now_ms)

    def frame(self, identifier: int, data: bytes, is_extended: bool = False) -> None:
        self.can.waiting.append((identifier, data, is_extended))

    def say(self, row: tuple[Any, ...], *values: float) -> None:
        self.link.waiting += framed(row, *values)

    def run(self, ms: int, step_ms: int = 5) -> None:
        for _ in range(ms // step_ms):
            self.turn(step_ms)

    def arm(self) -> None:
        self.run(50)
        self.us[4] = 2000
        self.turn()
        assert self.state == t.STATE_ARMED
        self.forget()

    def forget(self) -> None:
        self.can.sent, self.link.sent, self.console.sent = [], b"", b""

    @property
    def state(self) -> int:
        return self.board.arming.state

    @property
    def sent(self) -> Counter[int]:
        """Return how often each frame was sent since."""
        return Counter(identifier for identifier, _, _ in self.can.sent)

    def messages(self, row: tuple[Any, ...]) -> list[Any]:
        """Return what was sent to the IO board of one type."""
        return [values for kind, values in LinkParser().feed(self.link.sent, 0) if kind == row[0]]

    def newest(self, row: tuple[Any, ...]) -> Any:
        data = [data for identifier, data, _ in self.can.sent if identifier == row[0]][-1]
        return unpack(row, data)
