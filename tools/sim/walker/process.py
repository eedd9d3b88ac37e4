"""Runs a simulated walking controller on UDP: receives commands, steps the robot, reports 100 times
a second. Not here: the robot (plant.py).
"""

import contextlib
import json
import select
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from saint_services.lib.errors import SaintError
from saint_services.lib.role_config.walker import Walker
from saint_services.lib.walker.codec import decode_command, encode_state
from saint_services.lib.walker.model import Protocol

from . import address
from .plant import WalkerPlant

PERIOD_S = 0.01
_LOOK_S = 0.1  # into the board's folder
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Place:
    """Where the controller listens and reports. With a board its files name the ports."""

    host: str = address.HOST
    command_port: int = 0
    state_port: int = 0
    board: Path | None = None


class WalkerProcess:
    """One controller on its socket."""

    def __init__(self, protocol: Protocol, plant: WalkerPlant, place: Place) -> None:
        self.plant = plant
        self.malformed = 0
        self._protocol = protocol
        self._place = place
        self._state_port = place.state_port
        self._looked_s = float("-inf")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._bind()

    @property
    def command_port(self) -> int:
        """The port of commands."""
        return int(self._socket.getsockname()[1])

    def run(self, is_ended: Callable[[], bool] = lambda: False) -> None:
        """Run until `is_ended`."""
        due_s = time.monotonic()
        while not is_ended():
            left_s = due_s - time.monotonic()
            if left_s > 0.0:
                readable, _, _ = select.select([self._socket], [], [], left_s)
                if readable:
                    self.receive(time.monotonic())
                continue
            due_s = max(due_s + PERIOD_S, time.monotonic())
            self.report(time.monotonic())

    def receive(self, now_s: float) -> None:
        """Obey what has arrived."""
        with contextlib.suppress(BlockingIOError):
            while True:
                try:
                    data = self._socket.recv(_MOST_BYTES)
                except ConnectionError:  # nothing listens where we report
                    continue
                try:
                    command = decode_command(self._protocol, data)
                except ValueError:
                    self.malformed += 1
                    continue
                self.plant.command(command, now_s)

    def report(self, now_s: float) -> None:
        """Step the robot and send its state."""
        self.plant.step(now_s)
        if self._place.board and now_s - self._looked_s > _LOOK_S:
            self._looked_s = now_s
            self._look(self._place.board)
        if not self._state_port:
            return
        data = encode_state(self._protocol, self.plant.state())
        with contextlib.suppress(OSError):
            self._socket.sendto(data, (self._place.host, self._state_port))

    def _look(self, board: Path) -> None:
        """Follow the board's files: the role's port, its protocol and joints, raised alerts."""
        self._state_port = address.state_port(board)
        self.plant.raised = _alerts(board)
        walker = _walker(board)
        if walker and (walker.protocol, walker.joints) != (self._protocol, self.plant.joints):
            self._protocol = walker.protocol
            self.plant = WalkerPlant(walker.joints)

    def close(self) -> None:
        """Release the port."""
        self._socket.close()

    def _bind(self) -> None:
        """Bind the port of the run before, if it is free: wills name it."""
        board, host = self._place.board, self._place.host
        port = self._place.command_port or (address.command_port(board) if board else 0)
        try:
            self._socket.bind((host, port))
        except OSError:
            if not board:
                raise
            self._socket.bind((host, 0))
        if board:
            address.announce(board, self.command_port)


def _walker(board: Path) -> Walker | None:
    """Return what the role that opened the board says of its controller."""
    with contextlib.suppress(OSError, ValueError, KeyError, SaintError):
        found = json.loads((board / "role.legs.json").read_text())
        return Walker.model_validate(found["walker"])
    return None


def _alerts(board: Path) -> set[int]:
    """Read the alerts that a user raises: numbers in the file walker.alerts."""
    with contextlib.suppress(OSError, ValueError):
        return {int(each) for each in (board / "walker.alerts").read_text().split()}
    return set()
