"""The wagon's boards as processes, on pseudo terminals and the simulated CAN bus, with the faults
that people can switch. Times are generous here: tests/safety has the exact ones.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.hw.can.opening import open_can
from saint_services.lib.hw.can.port import CanPort
from saint_services.lib.simulation import VARIABLE
from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonFault, WagonFlag, WagonMode, WagonState
from tests.waiting import block_until, every
from tools.sim.can_bus import BusFault, break_bus
from tools.sim.wagon_boards import WagonBoards, start_wagon_boards
from tools.sim.wagon_lines import PtyLine

NEUTRAL, LOW, HIGH = 1500.0, 1000.0, 2000.0


class Wagon:
    """A running wagon, and its computer's side of the bus."""

    def __init__(self, boards: WagonBoards, bus: CanPort) -> None:
        self.boards, self.world, self.bus = boards, boards.world, bus
        self.seen: dict[int, Any] = {}

    def look(self) -> "Wagon":
        for frame in self.bus.receive():
            if not frame.is_extended:
                self.seen[frame.id] = can_frames.decode(frame)
        return self

    def send(self, message: Any) -> None:
        self.bus.send(can_frames.encode(message))

    @property
    def state(self) -> WagonState | None:
        found = self.look().seen.get(0x400)
        return None if found is None else WagonState(found.state)

    @property
    def flags(self) -> int:
        found = self.look().seen.get(0x400)
        return found.flags if found else 0

    @property
    def fault(self) -> int:
        found = self.look().seen.get(0x401)
        return found.fault_code if found else WagonFault.INTERNAL

    def until(self, state: WagonState) -> None:
        block_until(lambda: self.state is state, explain=lambda: str(self.seen))

    def stops(self, limit_s: float) -> None:
        block_until(
            lambda: self.look() and not self.world.turning,
            limit_s,
            explain=lambda: str(self.seen),
        )

    def drive(self) -> None:
        """Repair everything, arm and drive."""
        starts = self.world["balance_starts"], self.world["io_starts"]
        self.world.reset()
        self.world["balance_starts"], self.world["io_starts"] = starts
        block_until(self._drives, 60.0, explain=lambda: str(self.seen), pause_s=0.0)

    def _drives(self) -> bool:
        """Arm by the switch, and drive; a busy computer that stalls a board is tried again."""
        self.world.channel(2, NEUTRAL)
        self.world.channel(5, LOW)
        may_arm = self._soon(
            lambda: (
                self.state is WagonState.DISARMED
                and self.fault in (WagonFault.NONE, WagonFault.WARN_RC_WEAK)
                and not self.flags & WagonFlag.CYCLE_SWITCH
            )
        )
        self.world.channel(5, HIGH)
        if not may_arm or not self._soon(lambda: self.state is WagonState.ARMED):
            return False
        self.world.channel(2, 1800)
        driven = "duty_68", "duty_56", "bridge_front_left", "bridge_rear_right"
        return self._soon(
            lambda: self.look() and all(self.world[name] > 0.1 for name in driven)
        ) and self._soon(lambda: self.look() and self.world["speed"] > 0.5)

    def _soon(self, condition: Callable[[], object]) -> bool:
        return any(condition() for _ in every(0.02, for_s=3.0))


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WagonBoards, Path]]:
    folder = tmp_path_factory.mktemp("wagon")
    boards = start_wagon_boards(folder)
    block_until(lambda: boards.world["balance_starts"] and boards.world["io_starts"])
    yield boards, folder
    boards.close()


@pytest.fixture
def wagon(started: tuple[WagonBoards, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Wagon]:
    boards, folder = started
    monkeypatch.setenv(VARIABLE, "tools.sim")
    bus = open_can("can0", f"sim:{folder}")
    yield Wagon(boards, bus)
    break_bus(folder, "can0", BusFault.NONE)
    bus.close()


def test_wagon_drives_and_reports(wagon: Wagon) -> None:
    wagon.drive()
    found = wagon.seen
    block_until(lambda: wagon.state and abs(found[0x400].speed - wagon.world["speed"]) < 0.1)
    assert 35_000 < found[0x401].battery_mv < 38_000
    assert wagon.world["bridge_front_left"] > 0


def test_stop_frame_stops(wagon: Wagon) -> None:
    wagon.drive()
    wagon.send(can_frames.WagonEstop())
    wagon.stops(0.5)
    wagon.until(WagonState.ESTOP)


def test_computer_drives_in_autonomous_mode_and_its_silence_stops(wagon: Wagon) -> None:
    wagon.drive()
    wagon.world.channel(2, NEUTRAL)
    wagon.world.channel(6, HIGH)
    wagon.stops(1.0)
    began_s = time.monotonic()

    def drives() -> bool:
        speed = 600 if time.monotonic() - began_s > 0.6 else 0
        wagon.look().send(can_frames.WagonDrive(speed, 0, WagonMode.AUTONOMOUS, 1))
        return wagon.world["speed"] > 0.3 and wagon.flags & WagonFlag.MODE == WagonMode.AUTONOMOUS

    block_until(drives)
    wagon.stops(0.8)
    assert wagon.state is WagonState.ARMED


@pytest.mark.parametrize(
    ("fault", "value", "state"),
    [
        ("pitch", 40.0, WagonState.TILT),
        ("roll", -40.0, WagonState.TILT),
        ("link_drop", 1.0, None),
        ("link_corrupt", 1.0, None),
        ("link_delay_ms", 2000.0, None),
        ("balance_power", 0.0, None),
        ("io_power", 0.0, None),
        ("sensor_frozen", 1.0, WagonState.FAULT),
        ("sensor_silent", 1.0, WagonState.FAULT),
        ("blocked_68", 1.0, WagonState.FAULT),
        ("can_drop", 1.0, None),
        ("can_delay_ms", 2000.0, None),
        ("can_off", 1.0, None),
    ],
)
def test_fault_stops_the_wagon_and_needs_a_new_arm(
    wagon: Wagon, fault: str, value: float, state: WagonState | None
) -> None:
    wagon.drive()
    wagon.world[fault] = value
    wagon.stops(2.0)
    if state:
        wagon.until(state)
    wagon.world[fault] = 1.0 if fault.endswith("power") else 0.0
    for _ in every(0.02, for_s=0.6):
        assert not wagon.world.turning
    wagon.drive()


def test_bus_off_stops_the_wagon(wagon: Wagon, started: tuple[WagonBoards, Path]) -> None:
    wagon.drive()
    break_bus(started[1], "can0", BusFault.BUS_OFF)
    wagon.stops(1.0)
    break_bus(started[1], "can0", BusFault.NONE)
    for _ in every(0.02, for_s=0.6):
        assert not wagon.world.turning


def test_elrs_takes_over_and_its_loss_stops(wagon: Wagon) -> None:
    wagon.drive()
    wagon.world["crossfire_on"] = 0.0
    block_until(lambda: wagon.flags & WagonFlag.RC_FAILOVER)
    assert wagon.state is WagonState.ARMED
    assert wagon.world.turning
    wagon.world["elrs_on"] = 0.0
    wagon.stops(1.0)
    wagon.until(WagonState.FAILSAFE)


def test_swapped_receivers_drive_too(wagon: Wagon) -> None:
    wagon.drive()
    wagon.world["receivers_swapped"] = 1.0
    wagon.world.channel(2, 1700)
    for _ in every(0.02, for_s=0.6):
        assert wagon.world.turning


def test_stuck_stick_is_overruled_by_the_stop_frame(wagon: Wagon) -> None:
    wagon.drive()
    for receiver in ("crossfire", "elrs"):
        wagon.world[f"{receiver}_stuck"] = 1.0
    for _ in every(0.05, times=3):
        wagon.look()
    wagon.world.channel(2, NEUTRAL)
    wagon.world.channel(5, LOW)
    for _ in every(0.02, for_s=0.4):
        assert wagon.world.turning
    wagon.send(can_frames.WagonEstop())
    wagon.stops(0.5)


def test_console_answers_on_its_terminal(started: tuple[WagonBoards, Path]) -> None:
    for board, path in (
        ("balance", started[0].balance_console),
        ("io", started[0].io_console),
    ):
        line, found = PtyLine(path), b""
        line.write(b"STATUS\n")

        def has_line(line: PtyLine = line) -> bool:
            nonlocal found
            found += line.read()
            return found.endswith(b"\n")

        block_until(has_line)
        assert json.loads(found)["board"] == board
        line.close()


def status_of(path: Path) -> dict[str, Any]:
    """Return what a board's console replies to STATUS."""
    line, found = PtyLine(path), b""
    line.write(b"\nSTATUS\n")

    def has_line() -> bool:
        nonlocal found
        found += line.read()
        return found.endswith(b"}\n")

    block_until(has_line)
    line.close()
    status: dict[str, Any] = json.loads(found.splitlines()[-1])
    return status


def test_chips_are_measured_and_hostile_ones_disturb_nothing(wagon: Wagon) -> None:
    wagon.drive()
    wagon.world["distance_m"], wagon.world["tag"] = 0.42, 0x04A1B2C3

    def measured() -> dict[str, Any]:
        found: dict[str, Any] = status_of(wagon.boards.balance_console)["sensors"]
        return found

    block_until(lambda: measured().get("distance_m") == pytest.approx(0.42))
    block_until(lambda: measured().get("tag") == "00000004a1b2c3")
    assert measured()["pressure_pa"] == pytest.approx(101_325, abs=2)
    for name in ("distance", "barometer", "nfc"):
        wagon.world[f"{name}_chip"] = 2.0

    def errors() -> list[int]:
        chips = status_of(wagon.boards.io_console)["chips"]
        return [each["errors"] for each in chips.values()]

    block_until(lambda: all(errors()))
    assert wagon.state is WagonState.ARMED
    assert wagon.world.turning
