"""The simulated wagon: its two boards as processes of their own, the wires between them, both
receivers, motor controllers, wheels and battery.

    python -m tools.sim.wagon_boards FOLDER                     runs until Ctrl-C
    python -m tools.sim.wagon_boards FOLDER set crossfire_5 2000  changes the world of a running one
    python -m tools.sim.wagon_boards FOLDER show

`start_wagon_boards` starts it for a robot whose template has the role wagon.
"""

import argparse
import contextlib
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from math import cos, sin
from pathlib import Path
from typing import Any

from image.boards.balance import config
from image.boards.io.crsf import crc_d5
from saint_services.lib.errors import SaintError
from saint_services.lib.hw.can.frame import CanFrame
from tools import sim
from tools.sim.can_bus import SimCan
from tools.sim.chips.vesc import VescPeer, vesc_file
from tools.sim.wagon_lines import PtyEnd
from tools.sim.wagon_world import CHANNELS, NAMES, RECEIVERS, VESCS, WHEELS, WagonWorld

VESC_TIMEOUT_S = 0.2  # as the boards' README demands; a VESC comes with 1 s
_TICK_S = 0.005
_LINK_S = 0.5  # between two reports of the radio link
_FREE_MPS = 5.0  # speed of the free wheels at full duty and 37 V
_TIME_CONSTANT_S = 0.15
_TRACK_WIDTH_M = 0.45  # of this body; the firmware has no use for it
_FREE_ERPM = _FREE_MPS / (3.1415927 * config.WHEEL_DIAMETER_M) * 60 * config.POLE_PAIRS
_IDLE_A, _BLOCKED_A, _DRIVE_A = 0.5, 40.0, 6.0
_BOARDS = ("balance", "io")


def crsf_frame(kind: int, payload: bytes) -> bytes:
    """Return a frame as a receiver sends it."""
    body = bytes((kind,)) + payload
    return bytes((0xC8, len(body) + 1)) + body + bytes((crc_d5(body),))


def crsf_channels(us: list[float]) -> bytes:
    """Return the frame of 16 channels in microseconds."""
    ticks = (max(0, min(2047, round((each - 1500) * 8 / 5 + 992))) for each in us)
    bits = sum(each << 11 * n for n, each in enumerate(ticks))
    return crsf_frame(0x16, bits.to_bytes(22, "little"))


class WagonReceiver:
    """One RC receiver on its line."""

    def __init__(self, world: WagonWorld, name: str) -> None:
        self._world, self.name = world, name
        self._us: list[float] = []
        self._next_link_s = 0.0

    def frames(self, now_s: float) -> bytes:
        """Return what it sends now."""
        world, name = self._world, self.name
        if not world[f"{name}_on"]:
            return b""
        if not (world[f"{name}_stuck"] and self._us):
            before, self._us = self._us, [world[f"{name}_{n}"] for n in range(1, CHANNELS + 1)]
            if self._us != before:
                world[f"{name}_changed_s"] = time.monotonic()
        data = crsf_channels(self._us)
        if now_s >= self._next_link_s:
            self._next_link_s = now_s + _LINK_S
            quality = max(0, min(100, int(world[f"{name}_quality"])))
            data = crsf_frame(0x14, bytes((60, 70, quality, 10, 0, 2, 3, 60, 100, 10))) + data
        return data


class WagonWire:
    """The serial line between the boards, with its faults. It keeps the order: when a delay ends,
    what waited comes as one burst.
    """

    def __init__(self, world: WagonWorld, ends: tuple[PtyEnd, PtyEnd]) -> None:
        self.ends = ends
        self._world = world
        self._waiting: deque[tuple[float, bytes, PtyEnd]] = deque()  # sent when, what, to whom

    def step(self, now_s: float) -> None:
        """Carry bytes both ways."""
        for source, target in (self.ends, self.ends[::-1]):
            if data := source.read():
                self._send(data, target, now_s)
        delay_s = self._world["link_delay_ms"] / 1000
        while self._waiting and self._waiting[0][0] + delay_s <= now_s:
            _, data, target = self._waiting.popleft()
            target.write(data)

    def _send(self, data: bytes, target: PtyEnd, now_s: float) -> None:
        world = self._world
        if random.random() < world["link_drop"]:
            return
        if random.random() < world["link_corrupt"]:
            broken = bytearray(data)
            broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
            data = bytes(broken)
        self._waiting.append((now_s, data, target))


class WagonBody:
    """Wheels, base and battery."""

    def __init__(self, world: WagonWorld) -> None:
        self._world = world
        self._sides = [0.0, 0.0]  # metres per second

    def step(self, duties: list[float], step_s: float) -> None:
        """Move by the duties of the left and right motor."""
        world, before = self._world, sum(self._sides) / 2
        share = step_s / (_TIME_CONSTANT_S + step_s)
        for side, (number, duty) in enumerate(zip(VESCS, duties, strict=True)):
            target = 0.0 if world[f"blocked_{number}"] else duty * _FREE_MPS
            self._sides[side] += share * (target - self._sides[side])
        left, right = self._sides
        speed, yaw_rate = (left + right) / 2, (right - left) / _TRACK_WIDTH_M
        world["acceleration"] = (speed - before) / step_s if step_s else 0.0
        world["speed"], world["yaw_rate"] = speed, yaw_rate
        world["heading"] += yaw_rate * step_s
        world["x"] += speed * cos(world["heading"]) * step_s
        world["y"] += speed * sin(world["heading"]) * step_s

    def erpm(self, side: int) -> float:
        """Return the electrical speed of the left (0) or right motor."""
        return self._sides[side] / _FREE_MPS * _FREE_ERPM

    def current_a(self, side: int, duty: float) -> float:
        """Return the motor's current."""
        if self._world[f"blocked_{VESCS[side]}"]:
            return _BLOCKED_A if duty else 0.0
        lacking = abs(duty * _FREE_MPS - self._sides[side]) / _FREE_MPS
        return _IDLE_A + _DRIVE_A * abs(duty) + _BLOCKED_A * lacking


class WagonVescs:
    """Both motor controllers on the bus."""

    def __init__(self, directory: Path, interface: str) -> None:
        self.bus = SimCan(directory, interface)
        self.peers = [VescPeer(vesc_file(directory, interface, number)) for number in VESCS]
        self._counts = [0.0, 0.0]
        for peer in self.peers:
            peer.set_timeout(VESC_TIMEOUT_S)

    def step(self, world: WagonWorld, body: WagonBody, step_s: float) -> None:
        """Obey frames, report, and move the wheels."""
        with contextlib.suppress(SaintError):  # an adapter that is unplugged
            for frame in self.bus.receive():
                for peer in self.peers:
                    self._send(peer.received(frame))
        duties = [peer.duty() for peer in self.peers]
        body.step(duties, step_s)
        for side, peer in enumerate(self.peers):
            world[f"duty_{peer.number}"] = duties[side]
            self._counts[side] += body.erpm(side) / 60 * 6 * step_s
            amps = body.current_a(side, duties[side])
            peer.feed(body.erpm(side), self._counts[side], amps)
            peer.feed_supply(world["battery_v"] - 0.02 * amps)
            self._send(peer.statuses())

    def _send(self, frames: list[CanFrame]) -> None:
        for frame in frames:
            with contextlib.suppress(SaintError):
                self.bus.send(frame)

    def close(self) -> None:
        self.bus.close()
        for peer in self.peers:
            peer.close()


class SimulatedWagon:
    """Runs the world and the boards' processes."""

    def __init__(self, directory: Path, interface: str) -> None:
        self._directory, self._interface = directory, interface
        self.world = WagonWorld(directory)
        ends = (directory / "uart-link-balance", directory / "uart-link-io")
        self._wire = WagonWire(self.world, (PtyEnd(ends[0]), PtyEnd(ends[1])))
        self._receivers = [WagonReceiver(self.world, name) for name in RECEIVERS]
        self._lines = [PtyEnd(directory / f"uart-{name}") for name in RECEIVERS]
        self._body = WagonBody(self.world)
        self._vescs = WagonVescs(directory, interface)
        self._boards: dict[str, subprocess.Popen[bytes]] = {}
        self._last_s = self._next_frame_s = time.monotonic()

    def serve(self, is_ended: Callable[[], bool]) -> None:
        """Run until the end."""
        wakes: list[Any] = [*self._wire.ends, self._vescs.bus]
        try:
            while not is_ended():
                select.select(wakes, [], [], _TICK_S)
                self._step()
        finally:
            self.close()

    def _step(self) -> None:
        now_s = time.monotonic()
        step_s, self._last_s = min(0.1, now_s - self._last_s), now_s
        self._power()
        self._wire.step(now_s)
        self._vescs.step(self.world, self._body, step_s)
        if now_s >= self._next_frame_s:
            self._next_frame_s = max(now_s, self._next_frame_s + self.world["receiver_ms"] / 1000)
            lines = self._lines[::-1] if self.world["receivers_swapped"] else self._lines
            for receiver, line in zip(self._receivers, lines, strict=True):
                if data := receiver.frames(now_s):
                    line.write(data)

    def _power(self) -> None:
        """Start and end the boards' processes as their power says."""
        for name in _BOARDS:
            board = self._boards.get(name)
            if not self.world[f"{name}_power"]:
                if board:
                    self._end(name)
            elif board is None or board.poll() is not None:
                command = [sys.executable, "-m", "tools.sim.wagon_board", name]
                command += [str(self._directory), "--can", self._interface]
                self._boards[name] = subprocess.Popen(command, env=_environment())

    def _end(self, name: str) -> None:
        board = self._boards.pop(name)
        board.kill()  # a board without power does nothing more
        board.wait(5.0)
        if name == "io":
            for wheel in WHEELS:
                self.world[f"bridge_{wheel}"] = 0.0

    def close(self) -> None:
        """End the boards and remove the lines."""
        for name in list(self._boards):
            self._end(name)
        for end in (*self._wire.ends, *self._lines):
            end.close()
        self._vescs.close()


def _environment() -> dict[str, str]:
    return os.environ | sim.environment()


class WagonBoards:
    """A running simulation of the wagon: its process, its world, the paths of its consoles."""

    def __init__(self, directory: Path, process: "subprocess.Popen[bytes]") -> None:
        self.world = WagonWorld(directory)
        self.process = process
        self.balance_console = directory / "esp32-balance"
        self.io_console = directory / "esp32-io"

    def close(self) -> None:
        """End it and its boards."""
        self.process.terminate()
        self.process.wait(10.0)
        if self.process.stdin:
            self.process.stdin.close()
        self.world.close()


def wagon_command(directory: Path, interface: str = "can0") -> list[str]:
    """Return the command that runs the wagon of a board's folder, for a launcher."""
    program = [sys.executable, "-m", "tools.sim.wagon_boards"]
    return [*program, str(directory), "--can", interface, "--until-eof"]


def start_wagon_boards(directory: Path, interface: str = "can0") -> WagonBoards:
    """Start both boards and the wagon around them for the bus `interface` of a simulated board's
    folder. The caller closes it; it ends with the caller too.
    """
    command = wagon_command(directory, interface)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=_environment())
    return WagonBoards(directory, process)


def _serve(options: argparse.Namespace) -> int:
    wagon = SimulatedWagon(options.folder, options.can)
    stopped = _StopSignals(options.until_eof)
    wagon.serve(lambda: stopped.is_stopped)
    return 0


class _StopSignals:
    """Whether the process must end: a signal, or the end of its input."""

    def __init__(self, until_eof: bool) -> None:
        self._until_eof = until_eof
        self._is_signalled = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)

    def _signalled(self, *_: object) -> None:
        self._is_signalled = True

    @property
    def is_stopped(self) -> bool:
        if self._until_eof and select.select([sys.stdin], [], [], 0)[0]:
            self._is_signalled = not os.read(sys.stdin.fileno(), 1) or self._is_signalled
        return self._is_signalled


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--can", default="can0", help="the bus (default: can0)")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    parser.add_argument("act", nargs="?", choices=("run", "set", "show"), default="run")
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME")
    parser.add_argument("value", nargs="?", type=float)
    options = parser.parse_args()
    if options.act == "run":
        return _serve(options)
    world = WagonWorld(options.folder)
    if options.act == "set":
        if options.name is None or options.value is None:
            parser.error("set needs a name and a value")
        world[options.name] = options.value
    else:
        print("\n".join(f"{name} {world[name]:g}" for name in NAMES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
