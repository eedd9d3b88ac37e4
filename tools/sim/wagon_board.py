"""Runs the firmware of one of the wagon's boards as a process, on simulated buses and pins:

python -m tools.sim.wagon_board balance|io FOLDER [--can can0]
"""

import argparse
import contextlib
import os
import random
import select
import sys
import time
from collections.abc import Callable
from functools import partial
from math import cos, radians, sin
from pathlib import Path
from typing import Any, Protocol

from image.boards.balance.balance_board import BalanceBoard
from image.boards.io.accessories import Accessories
from image.boards.io.barometer import Barometer
from image.boards.io.bridges import Bridge, Bridges
from image.boards.io.chips import Chips
from image.boards.io.distance import DistanceSensor
from image.boards.io.io_board import IoBoard
from image.boards.io.nfc import NfcReader
from saint_services.lib.errors import SaintError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import BusState
from saint_services.saintctl.board.board_files import version
from tools.sim.can_bus import SimCan
from tools.sim.chips.wagon_i2c import chips_of
from tools.sim.wagon_lines import PtyEnd, PtyLine
from tools.sim.wagon_world import RECEIVERS, WHEELS, WagonWorld

STEP_S = 0.005
CONSOLES = {"balance": "esp32-balance", "io": "esp32-io"}  # as the document names the devices
_G_MPS2 = 9.81
_FALL_DPS = 300.0


class WagonBoard(Protocol):
    """A board's firmware."""

    def step(self, now_ms: int) -> None: ...

    def off(self) -> None: ...


class WagonCan:
    """The BALANCE board's CAN controller on the simulated bus."""

    def __init__(self, directory: Path, interface: str, world: WagonWorld) -> None:
        self._bus = SimCan(directory, interface)
        self._world = world
        self._late: list[tuple[float, Callable[[], object]]] = []
        self._arrived: list[tuple[int, bytes, bool]] = []

    def fileno(self) -> int:
        return self._bus.fileno()

    def _later(self, act: Callable[[], object]) -> object:
        """Do it after the delay of the bus; then everything before it is done too."""
        self._late.append((time.monotonic() + self._world["can_delay_ms"] / 1000, act))
        return self._do_late()

    def _do_late(self) -> object:
        found: object = True
        while self._late and self._late[0][0] <= time.monotonic():
            found = self._late.pop(0)[1]()
        return found

    def send(self, identifier: int, data: bytes, is_extended: bool) -> bool:
        """Send a frame; False where it could not be."""
        if self._world["can_off"]:
            return False
        if random.random() < self._world["can_drop"]:
            return True
        frame = CanFrame(identifier, data, is_extended)
        return self._later(lambda: self._put(frame)) is not False

    def _put(self, frame: CanFrame) -> bool:
        try:
            return self._bus.send(frame)
        except SaintError:
            return False

    def receive(self) -> list[tuple[int, bytes, bool]]:
        """Return frames that have arrived."""
        try:
            found = self._bus.receive()
        except SaintError:
            return []
        if self._world["can_off"]:
            self._arrived.clear()
            return []
        for frame in found:
            if random.random() >= self._world["can_drop"]:
                each = (frame.id, frame.data, frame.is_extended)
                self._later(partial(self._arrived.append, each))
        self._do_late()
        arrived, self._arrived = self._arrived, []
        return arrived

    def is_off(self) -> bool:
        return bool(self._world["can_off"]) or self._bus.state().bus is BusState.OFF


class WagonImu:
    """The attitude sensor: gravity at the true angles, acceleration, turn rate and noise."""

    def __init__(self, world: WagonWorld) -> None:
        self._world = world
        self._last: tuple[Any, ...] | None = None
        self._angles = [world["pitch"], world["roll"]]
        self._last_s = time.monotonic()

    def read(self) -> tuple[Any, ...] | None:
        """Return the raw values and the sample."""
        world = self._world
        if world["sensor_silent"]:
            return None
        if world["sensor_frozen"] and self._last:
            return self._last
        pitch_dps, roll_dps = self._turn()
        pitch, roll = radians(self._angles[0]), radians(self._angles[1])
        truth = (
            -sin(pitch) + world["acceleration"] / _G_MPS2,
            sin(roll) * cos(pitch),
            cos(roll) * cos(pitch),
            roll_dps,
            pitch_dps,
            world["yaw_rate"] * 57.29578,
        )
        spread = (0.002,) * 3 + (0.05,) * 3
        sample = tuple(
            each + random.gauss(0.0, noise) for each, noise in zip(truth, spread, strict=True)
        )
        self._last = sample, sample
        return self._last

    def _turn(self) -> list[float]:
        """Turn towards the world's angles as fast as a wagon falls; return both rates."""
        now_s = time.monotonic()
        step_s, self._last_s = max(1e-4, now_s - self._last_s), now_s
        rates = []
        for axis, name in enumerate(("pitch", "roll")):
            change = self._world[name] - self._angles[axis]
            change = max(-_FALL_DPS * step_s, min(_FALL_DPS * step_s, change))
            self._angles[axis] += change
            rates.append(change / step_s)
        return rates


class WagonOutput:
    """An output pin: its level in the world."""

    def __init__(self, world: WagonWorld, name: str) -> None:
        self._world, self._name = world, name

    def value(self, level: int) -> None:
        self._world[self._name] = level


class WagonStrip:
    """The LED strip."""

    def __init__(self, world: WagonWorld) -> None:
        self._world = world

    def show(self, colour: tuple[int, ...]) -> None:
        for name, part in zip(("red", "green", "blue"), colour, strict=True):
            self._world[name] = part


class WagonBridge:
    """The pins of one bridge, whose outcome is the duty in the world."""

    def __init__(self, world: WagonWorld, wheel: str) -> None:
        self._world, self._name = world, f"bridge_{wheel}"
        self._enable = 0
        self._shares = [0.0, 0.0]
        pins = (_BridgePin(self, 0), _BridgePin(self, 1), _BridgePin(self, 2))
        self.bridge = Bridge(*pins)

    def put(self, pin: int, value: float) -> None:
        """Set a pin: the duties of both halves, or the enable."""
        if pin == 2:
            self._enable = int(value)
        else:
            self._shares[pin] = value
        self._world[self._name] = self._enable * (self._shares[0] - self._shares[1])


class _BridgePin:
    def __init__(self, owner: WagonBridge, number: int) -> None:
        self._owner, self._number = owner, number

    def duty(self, share: float) -> None:
        self._owner.put(self._number, share)

    def value(self, level: int) -> None:
        self._owner.put(self._number, level)


def now_ms() -> int:
    """Return milliseconds of the monotonic clock."""
    return time.monotonic_ns() // 1_000_000


def open_balance(
    directory: Path, interface: str, world: WagonWorld, console: PtyEnd
) -> tuple[WagonBoard, list[Any]]:
    """Return the BALANCE board, and what wakes it."""
    can = WagonCan(directory, interface, world)
    link = PtyLine(directory / "uart-link-balance")
    board = BalanceBoard(can, WagonImu(world), link, console, now_ms(), version("balance"))
    board.has_bridges = True  # of simulated ones, which stand a wagon's voltage
    return board, [can, link, console]


def open_io(directory: Path, world: WagonWorld, console: PtyEnd) -> tuple[WagonBoard, list[Any]]:
    """Return the IO board, and what wakes it."""
    link = PtyLine(directory / "uart-link-io")
    lines = [PtyLine(directory / f"uart-{receiver}") for receiver in RECEIVERS]
    wheels = [WagonBridge(world, wheel).bridge for wheel in WHEELS]
    outputs = [WagonOutput(world, name) for name in ("horn", "light", "fan", "buzzer")]
    board = IoBoard(
        lines[0],
        lines[1],
        link,
        console,
        Bridges(tuple(wheels[:2]), tuple(wheels[2:])),
        Accessories(WagonStrip(world), *outputs),
        now_ms(),
        version("io"),
    )
    board.chips = Chips(chips_of(world), (DistanceSensor(), Barometer(), NfcReader()))
    return board, [link, *lines, console]


def serve(board: WagonBoard, wakes: list[Any]) -> None:
    """Run the firmware until its parent ends: at each arrival of bytes, and every 5 ms."""
    parent = os.getppid()
    while os.getppid() == parent:
        select.select(wakes, [], [], STEP_S)
        board.step(now_ms())


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("board", choices=sorted(CONSOLES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--can", default="can0")
    options = parser.parse_args()
    world = WagonWorld(options.folder)
    console = PtyEnd(options.folder / CONSOLES[options.board])
    if options.board == "balance":
        board, wakes = open_balance(options.folder, options.can, world, console)
    else:
        board, wakes = open_io(options.folder, world, console)
    world[f"{options.board}_starts"] += 1
    with contextlib.suppress(KeyboardInterrupt):
        serve(board, wakes)
    board.off()
    return 0


if __name__ == "__main__":
    sys.exit(main())
