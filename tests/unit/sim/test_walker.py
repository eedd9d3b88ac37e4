"""The simulated walking controller: its modes and times, its dead-man, its falls, its bytes."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.walker.codec import decode_state, encode_command
from saint_services.lib.walker.model import Protocol, WalkCommand, WalkMode, WalkState
from tests.waiting import block_until
from tools.sim.walker import address
from tools.sim.walker.plant import WalkerPlant
from tools.sim.walker.process import Place, WalkerProcess


def commanded(plant: WalkerPlant, seconds: float, mode: WalkMode, vx: float = 0.0) -> None:
    """Command a mode 100 times a second."""
    now_s = max(plant._now_s, 0.0)
    for number in range(1, round(seconds * 100) + 1):
        plant.command(WalkCommand(mode, vx), now_s + number * 0.01)


def test_robot_stands_up_within_two_seconds_and_walks() -> None:
    plant = WalkerPlant()
    commanded(plant, 1.9, WalkMode.STAND)
    assert 0.9 < plant.body.height < 1.0
    commanded(plant, 0.2, WalkMode.STAND)
    assert plant.body.height == 1.0
    commanded(plant, 0.5, WalkMode.BALANCE)
    commanded(plant, 2.0, WalkMode.MOVE, 0.4)
    assert plant.body.x_m == pytest.approx(0.8, abs=0.01)
    assert plant.falls == 0
    state = plant.state()
    assert (state.mode, state.is_upright, len(state.joint_pos)) == (WalkMode.MOVE, True, 12)
    assert 0.0 < state.gait_phase < 1.0


def test_dead_man_damps_after_100_ms_without_a_command() -> None:
    plant = WalkerPlant()
    commanded(plant, 2.5, WalkMode.STAND)
    last_s = plant._now_s
    plant.step(last_s + 0.099)
    assert plant.mode is WalkMode.STAND
    plant.step(last_s + 0.101)
    assert (plant.mode, plant.deadmen) == (WalkMode.DAMP, 1)


@pytest.mark.parametrize("stood_s", [0.0, 1.0])
def test_robot_that_is_to_walk_before_it_stands_falls_and_reports_it(stood_s: float) -> None:
    plant = WalkerPlant()
    commanded(plant, stood_s, WalkMode.STAND)
    commanded(plant, 0.05, WalkMode.MOVE, 0.3)
    state = plant.state()
    assert (plant.falls, state.mode, state.is_upright) == (1, WalkMode.FAULT, False)
    assert [alert.id for alert in state.alerts] == [7]
    assert state.error_flags == 0b1_0000_0001
    commanded(plant, 0.5, WalkMode.STAND)
    assert plant.mode is WalkMode.FAULT  # not acknowledged
    commanded(plant, 0.1, WalkMode.DAMP)
    commanded(plant, 2.1, WalkMode.STAND)
    assert (plant.mode, plant.state().error_flags) == (WalkMode.STAND, 0)


def test_velocity_is_limited_and_a_mad_one_throws_the_robot_over() -> None:
    plant = WalkerPlant()
    commanded(plant, 2.1, WalkMode.STAND)
    commanded(plant, 0.5, WalkMode.BALANCE)
    commanded(plant, 1.0, WalkMode.MOVE, 2.5)
    assert plant.body.x_m == pytest.approx(1.0, abs=0.02)
    commanded(plant, 0.1, WalkMode.MOVE, 3.5)
    assert plant.falls == 1


def test_old_command_is_dropped_but_never_one_to_damp() -> None:
    plant = WalkerPlant()
    for sequence in range(1, 220):
        plant.command(WalkCommand(WalkMode.STAND, sequence=sequence), sequence * 0.01)
    plant.command(WalkCommand(WalkMode.BALANCE, sequence=5), 2.2)
    assert (plant.mode, plant.refused) == (WalkMode.STAND, 1)
    plant.command(WalkCommand(WalkMode.DAMP, sequence=5), 2.21)
    assert plant.mode is WalkMode.DAMP


def test_low_battery_is_reported() -> None:
    plant = WalkerPlant(charge=0.1)
    plant.step(1.0)
    assert [alert.id for alert in plant.state().alerts] == [27]


class Running:
    """A controller in a thread, and the program that commands it."""

    def __init__(self, board: Path, protocol: Protocol) -> None:
        self.protocol = protocol
        self.process = WalkerProcess(protocol, WalkerPlant(), Place(board=board))
        self.port = address.open_port(board)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self.process.run, args=(self._end.is_set,))
        self._thread.start()

    def state(self) -> WalkState:
        """Wait for a report."""
        found: list[bytes] = []
        block_until(lambda: bool(found or found.extend(self.port.receive()) or found))
        return decode_state(self.protocol, found[-1])

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.port.close()
        self.process.close()


@pytest.fixture(params=list(Protocol))
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    found = Running(tmp_path, request.param)
    yield found
    found.close()


def test_process_reports_and_obeys_over_udp(running: Running) -> None:
    assert running.state().mode is WalkMode.DAMP
    command = encode_command(running.protocol, WalkCommand(WalkMode.STAND, timestamp_us=5))
    block_until(lambda: running.port.send(command) and running.state().mode is WalkMode.STAND)
    running.port.send(b"\xff\xff")
    block_until(lambda: running.process.malformed == 1)


def test_controller_that_starts_again_has_the_port_that_wills_name(tmp_path: Path) -> None:
    first = WalkerProcess(Protocol.IO, WalkerPlant(), Place(board=tmp_path))
    port = first.command_port
    assert address.command_address(tmp_path) == f"127.0.0.1:{port}"
    first.close()
    second = WalkerProcess(Protocol.IO, WalkerPlant(), Place(board=tmp_path))
    assert second.command_port == port
    second.close()


def test_port_without_a_controller_says_how_to_start_it(tmp_path: Path) -> None:
    with pytest.raises(SaintError, match="does not run") as raised:
        address.open_port(tmp_path)
    assert "python -m tools.sim.walker" in raised.value.fix


def test_datagram_of_another_address_is_dropped(tmp_path: Path) -> None:
    address.announce(tmp_path, 9)
    port = address.open_port(tmp_path)
    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    other.bind(("127.0.0.2", 0))
    other.sendto(b"x", ("127.0.0.1", port.listen_port))
    block_until(lambda: port.receive() == [] and port.foreign == 1)
    other.close()
    port.close()
