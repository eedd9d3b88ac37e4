"""The wagon of the bench with what only a history does to it: cables that delay, receivers that are
stuck, boards that stand still; and the computer that hosts it, with its guard.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, Final

from image.boards.balance.balance_board import BalanceBoard
from image.boards.io.io_board import IoBoard
from saint_services.lib.wagon import can_frames
from saint_services.role_wagond.logic import Message, WagonHost
from tests.unit.boards.bench import FRAME_MS, Bench, crsf_channels, crsf_frame

DEADLINE_MS: Final = 150  # of a command in the role's session
GUARD_MS: Final = 150  # a role's loop that stands still for so long loses its outputs
WATCHDOG_MS: Final = 1000
_QUEUE: Final = 10  # frames that a kernel keeps while nobody acknowledges them
_QUALITY_MS: Final = 100

Alter = Callable[[bytes], bytes]


def good(data: bytes) -> bytes:
    return data


def cut(data: bytes) -> bytes:
    return b""


def garbled(data: bytes) -> bytes:
    """Break every byte."""
    return bytes(each ^ 0x10 for each in data)


def is_cut(fault: Alter) -> bool:
    """Return whether nothing whole comes through."""
    return fault in (cut, garbled)


class HostOfHistory:
    """The computer: role-wagond's logic, a source that commands, the guard."""

    def __init__(self, wire: Callable[[Any], None]) -> None:
        self._wire = wire
        self.speeds: tuple[float, float] | None = None  # of a living source
        self.is_running = self.is_stopped = False
        self.frozen_ms = -1
        self._reports: list[Any] = []
        self.start(0)

    def start(self, now_ms: int) -> None:
        """Start the process, or start it again; the latch is the router's."""
        self.wagon = WagonHost(self._send)
        self.is_running, self.frozen_ms, self._command_ms = True, -1, -1
        self._reports = []
        if self.is_stopped:
            self.wagon.stop(now_ms / 1000)

    def kill(self) -> None:
        """End the process: the guard carries out its will."""
        if self.is_running:
            self.is_running = False
            self._wire(can_frames.WagonEstop())

    def freeze(self, now_ms: int) -> None:
        if self.is_running and self.frozen_ms < 0:
            self.frozen_ms = now_ms

    def thaw(self) -> None:
        self.frozen_ms, self._reports = -1, []

    def estop(self, is_stopped: bool, now_ms: int) -> None:
        """Follow the robot's e-stop. A frozen process does not receive it, its guard stops then."""
        self.is_stopped = is_stopped
        if self.is_alive:
            self._follow_stop(now_ms)

    @property
    def is_alive(self) -> bool:
        return self.is_running and self.frozen_ms < 0

    def report(self, message: Any) -> None:
        """Take a report of the board."""
        if self.is_running:
            self._reports.append(message)

    def arm(self, now_ms: int) -> bool:
        """Carry out a person's request to arm; return whether a frame was sent."""
        return self.is_alive and not self.wagon.arm(now_ms / 1000)

    def disarm(self, now_ms: int) -> None:
        if self.is_alive:
            self.wagon.disarm(now_ms / 1000)

    def step(self, now_ms: int) -> None:
        """Do what the role's loop does until `now_ms`."""
        if not self.is_alive:
            if self.is_running and now_ms - self.frozen_ms == GUARD_MS:
                self._wire(can_frames.WagonEstop())
            return
        now_s = now_ms / 1000
        reports, self._reports = self._reports, []
        for each in reports:
            self.wagon.received(each, now_s)
        self._follow_stop(now_ms)
        if now_ms % FRAME_MS == 0:
            self._command(now_ms)
            self.wagon.step(now_s)
        self.wagon.arming(now_s)

    def _follow_stop(self, now_ms: int) -> None:
        if self.is_stopped:
            self.wagon.stop(now_ms / 1000)
        elif self.wagon.is_stopped:
            self.wagon.clear()

    def _command(self, now_ms: int) -> None:
        now_s = now_ms / 1000
        if self.speeds and not self.is_stopped:
            self._command_ms = now_ms
            self.wagon.renew(now_s, is_motion=any(self.speeds))
            self.wagon.drive(*self.speeds, now_s)
        elif self._command_ms >= 0 and now_ms - self._command_ms >= DEADLINE_MS:
            self._command_ms = -1
            self.wagon.rest(now_s)

    def _send(self, message: Message) -> None:
        self._wire(message)


class Cable:
    """One direction of the link between the boards: as it is said, and some time later."""

    def __init__(self, world: "HistoryWorld", board: str) -> None:
        self._world, self._board = world, board
        self.fault: Alter = good
        self.delay_ms = 0
        self._waiting: deque[tuple[int, bytes]] = deque()

    def alter(self, data: bytes) -> bytes:
        data = self.fault(data)
        if not self.delay_ms and not self._waiting:
            return data
        due_ms = self._world.now_ms + self.delay_ms
        if self._waiting:  # a wire never turns the order round, also where it gets quicker
            due_ms = max(due_ms, self._waiting[-1][0])
        self._waiting.append((due_ms, data))
        return b""

    def deliver(self) -> None:
        """Hand over what is due."""
        line = getattr(self._world, f"{self._board}_link")
        while self._waiting and self._waiting[0][0] <= self._world.now_ms:
            line.peer.waiting += self._waiting.popleft()[1]


class _Reports(dict[int, Any]):
    """Hands each report of the board to the computer, where the cable is whole."""

    def __init__(self, world: "HistoryWorld") -> None:
        super().__init__()
        self._world = world

    def __setitem__(self, identifier: int, message: Any) -> None:
        super().__setitem__(identifier, message)
        if not self._world.is_host_cut:
            self._world.computer.report(message)


class HistoryWorld(Bench):
    """The bench, its computer, and faults that it has not by itself."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.is_host_cut = False
        self._queued: list[Any] = []
        self.computer = HostOfHistory(self._wire)
        self.stuck: list[list[int] | None] = [None, None]
        self.quality, self.sent_quality = [100, 100], [100, 100]
        self.received: Callable[[int, list[int]], None] = lambda line, us: None
        self.arrived: Callable[[Any], None] = lambda message: None
        self.cables = {name: Cable(self, name) for name in ("balance", "io")}
        self.frozen: dict[str, tuple[Any, int]] = {}
        super().__init__(has_bridges=self.random.random() < 0.5)
        self.telemetry = _Reports(self)

    def power_balance(self) -> None:
        self.frozen.pop("balance", None)
        super().power_balance()
        self.balance_link.alter = self.cables["balance"].alter

    def power_io(self) -> None:
        self.frozen.pop("io", None)
        self.sent_quality = [100, 100]
        super().power_io()
        self.io_link.alter = self.cables["io"].alter

    def freeze(self, board: str) -> None:
        """Let the board's program stand still; its outputs stay."""
        firmware: BalanceBoard | IoBoard | None = getattr(self, board)
        if firmware:
            self.frozen[board] = (firmware, self.now_ms)
            setattr(self, board, None)

    def thaw(self, board: str) -> None:
        if board in self.frozen:
            setattr(self, board, self.frozen.pop(board)[0])

    def repair_host_cable(self) -> None:
        """Plug the computer in again: what its kernel has kept arrives."""
        self.is_host_cut = False
        queued, self._queued = self._queued, []
        for each in queued:
            self._arrive(each)

    def _wire(self, message: Any) -> None:
        if not self.is_host_cut:
            self._arrive(message)
        elif len(self._queued) < _QUEUE:
            self._queued.append(message)

    def _arrive(self, message: Any) -> None:
        if self.balance and not self.can.is_bus_off:
            self.arrived(message)
            self.send(message)

    def step(self) -> None:
        for name, (_, since_ms) in list(self.frozen.items()):
            if self.now_ms - since_ms >= WATCHDOG_MS:
                self._restart(name)
        for cable in self.cables.values():
            cable.deliver()
        self.computer.step(self.now_ms)
        super().step()

    def _restart(self, board: str) -> None:
        getattr(self, f"cut_{board}")()
        getattr(self, f"power_{board}")()

    def _send_frames(self) -> None:
        for number, (radio, line) in enumerate(zip(self.radios, self.lines, strict=True)):
            if radio.is_on:
                line.waiting += self._frames(number, self.stuck[number] or radio.us)
        self._send_vescs()

    def _frames(self, number: int, us: list[int]) -> bytes:
        """Return what a receiver sends now: sometimes the state of its radio link, its channels."""
        found = b""
        if self.now_ms % _QUALITY_MS == 0:
            self.sent_quality[number] = self.quality[number]
            found = crsf_frame(0x14, bytes((60, 60, self.quality[number], *(0,) * 7)))
        if self.io and self.sent_quality[number]:
            self.received(number, us)
        return found + crsf_channels(us)
