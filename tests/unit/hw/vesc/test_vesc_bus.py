"""VESCs on their bus: opened, driven, silent, off the bus, pulled; on a simulated bus with the
models of tools/sim.
"""

import math
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.port import CanState
from saint_services.lib.hw.motors.drives import Drives
from saint_services.lib.hw.vesc import messages as vesc
from saint_services.lib.hw.vesc.controller import VescController, VescSettings
from saint_services.lib.hw.vesc.messages import VescMessage
from saint_services.lib.hw.vesc.vesc_bus import OWN_ID, VescBus, VescEncoder, VescMeter, VescMotor
from saint_services.lib.role_config.model import RoleConfig
from tests.waiting import every, until
from tools.sim.board import SimBoard
from tools.sim.can_bus import BusFault, SimCan, break_bus
from tools.sim.chips.base import ChipFault
from tools.sim.chips.vesc import VescPeer, vesc_file

Fault = ChipFault
NUMBERS = (68, 56)


class Nodes:
    """A port with two VESCs behind it. Implements CanPort."""

    def __init__(self, directory: Path) -> None:
        self.peers = [VescPeer(vesc_file(directory, "can0", number)) for number in NUMBERS]
        self.sent: list[CanFrame] = []
        self._bus = SimCan(directory, "can0")
        self._replies: list[CanFrame] = []

    def fileno(self) -> int:
        return self._bus.fileno()

    def send(self, frame: CanFrame) -> bool:
        if not self._bus.send(frame):
            return False
        self.sent.append(frame)
        for peer in self.peers:
            self._replies += peer.received(frame)
        return True

    def receive(self) -> list[CanFrame]:
        found = self._bus.receive() + self._replies
        self._replies = []
        return found + [frame for peer in self.peers for frame in peer.statuses()]

    def state(self) -> CanState:
        return self._bus.state()

    def close(self) -> None:
        self._bus.close()


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Nodes]:
    made = Nodes(tmp_path)
    yield made
    with suppress(SaintError):
        made.close()
    for peer in made.peers:
        peer.close()


def added(bus: VescBus, number: int = 68) -> VescController:
    return bus.add(VescSettings(number), f"vesc_{number}")


def test_opening_stops_the_motor_of_an_earlier_process(nodes: Nodes) -> None:
    nodes.send(vesc.encode(VescMessage(68, vesc.SetDuty(0.5))))
    assert nodes.peers[0].duty() == 0.5
    bus = VescBus(nodes, "can0")
    added(bus)
    assert nodes.peers[0].duty() == 0.0
    assert vesc.encode(VescMessage(68, vesc.Ping(OWN_ID))) in nodes.sent


def test_missing_vesc_is_named_with_its_id_and_bus(nodes: Nodes) -> None:
    nodes.peers[0].set_fault(Fault.DEAF)
    with pytest.raises(SaintError, match="left: no VESC answers with the id 68 on can0") as caught:
        VescBus(nodes, "can0").add(VescSettings(68), "left")
    assert caught.value.code is Code.HARDWARE_MISSING


def test_vesc_that_answers_and_does_not_report_is_a_fault(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(VescPeer, "statuses", lambda _: [])
    with pytest.raises(SaintError, match="does not report") as caught:
        added(VescBus(nodes, "can0"))
    assert caught.value.code is Code.HARDWARE_FAULT


@pytest.mark.parametrize(("limit_s", "shown"), [(1.5, "1.5 s"), (0.0, "switched off")])
def test_vesc_that_would_drive_on_without_commands_is_refused(
    nodes: Nodes, limit_s: float, shown: str
) -> None:
    nodes.peers[0].set_timeout(limit_s)
    with pytest.raises(SaintError, match=f"time-out of the VESC is {shown}") as caught:
        added(VescBus(nodes, "can0"))
    assert caught.value.code is Code.HARDWARE_FAULT


def test_time_out_is_read_or_unknown(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes.peers[0].set_timeout(0.5)
    bus = VescBus(nodes, "can0")
    assert added(bus).readings.timeout_s == 0.5
    monkeypatch.setattr(VescPeer, "_configuration", lambda *_: [])
    assert added(bus, 56).readings.timeout_s is None


async def test_motors_of_one_bus_are_driven_each_by_its_id(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    left, right = (VescMotor(bus, added(bus, number), number == 56) for number in NUMBERS)
    left.set(0.4)
    right.set(0.4)
    await until(lambda: [peer.duty() for peer in nodes.peers] == [0.4, -0.4])
    left.stop()
    assert [peer.duty() for peer in nodes.peers] == [0.0, -0.4] and left.duty == 0.0
    right.set(float("nan"))
    assert nodes.peers[1].duty() == 0.0
    left.set(5.0)
    assert nodes.peers[0].duty() == 1.0
    left.close()
    right.close()
    assert [peer.duty() for peer in nodes.peers] == [0.0, 0.0]


async def test_command_is_repeated_and_rests_when_its_role_falls_silent(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    motor.set(0.5)
    nodes.sent.clear()
    await until(lambda: sum(frame.id == 68 for frame in nodes.sent) >= 3)  # SET_DUTY
    await until(lambda: nodes.peers[0].duty() == 0.0)
    motor.close()


async def test_current_and_count_come_from_the_reports(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    controller = added(bus)
    motor, encoder = VescMotor(bus, controller, False), VescEncoder(bus, controller, True)
    encoder.listen()
    nodes.peers[0].feed(900.0, 100.0, -5.5)
    await until(lambda: motor.current_a == 5.5)
    nodes.peers[0].feed(900.0, 130.0, 5.5)
    await until(lambda: encoder.count == -130)
    assert encoder.illegal == 0 and motor.problem == ""
    motor.close()
    encoder.close()


async def test_meter_has_what_was_reported_and_nan_where_nothing_was(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    controller = bus.add(VescSettings(68, pole_pairs=10), "left")
    meter = VescMeter(bus, controller)
    meter.listen()
    nodes.peers[0].feed(6000.0, 0.0, 4.5)
    nodes.peers[0].feed_temperatures(41.5, -79.7)
    await until(lambda: meter.values()[1] == 4.5 and meter.values()[4] == 41.5)
    speed, _, supply_a, voltage_v, _, motor_c = meter.values()
    assert speed == pytest.approx(20 * math.pi)  # 600 turns a minute
    assert (supply_a, voltage_v) == (4.5, 36.0) and math.isnan(motor_c)
    assert len(meter.MEASURES) == 6
    nodes.peers[0].set_fault(Fault.DEAF)
    await until(lambda: all(map(math.isnan, meter.values())))
    meter.close()


async def test_hot_vesc_is_limited_and_says_so_and_then_refuses(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    nodes.peers[0].feed_temperatures(77.5, -79.7)
    async for _ in every(0.02, until=lambda: nodes.peers[0].duty() == pytest.approx(0.4)):
        motor.set(0.8)
    assert "vesc_68: limited to 50%" in motor.problem
    nodes.peers[0].feed_temperatures(90.0, -79.7)
    await until(lambda: "at its limit" in motor.problem)
    with pytest.raises(OSError, match="at its limit"):
        motor.set(0.8)
    assert nodes.peers[0].duty() == 0.0
    motor.close()


async def test_silent_vesc_is_refused_and_not_driven(nodes: Nodes) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    motor.set(0.1)
    nodes.peers[0].set_fault(Fault.DEAF)
    await until(lambda: "does not report" in motor.problem)
    with pytest.raises(OSError, match="does not report"):
        motor.set(0.5)
    motor.stop()
    motor.close()


async def test_bus_off_is_refused_and_ends(nodes: Nodes, tmp_path: Path) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    motor.set(0.1)
    break_bus(tmp_path, "can0", BusFault.BUS_OFF)
    await until(lambda: "bus-off" in motor.problem)
    with pytest.raises(OSError, match="bus-off"):
        motor.set(0.5)
    break_bus(tmp_path, "can0", BusFault.NONE)
    await until(lambda: motor.problem == "")
    motor.set(0.2)
    motor.close()


async def test_pulled_adapter_is_a_fault_for_good(nodes: Nodes, tmp_path: Path) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    motor.set(0.1)
    break_bus(tmp_path, "can0", BusFault.UNPLUGGED)
    await until(lambda: "the adapter was unplugged" in motor.problem)
    with pytest.raises(OSError, match="unplugged"):
        motor.set(0.5)
    break_bus(tmp_path, "can0", BusFault.NONE)
    assert "unplugged" in motor.problem  # its role opens everything again
    motor.stop()
    motor.close()


async def test_rest_from_another_sender_ends_the_repetition(nodes: Nodes, tmp_path: Path) -> None:
    bus = VescBus(nodes, "can0")
    motors = [VescMotor(bus, added(bus, number), False) for number in NUMBERS]
    for motor in motors:
        motor.set(0.5)
    with closing(SimCan(tmp_path, "can0")) as guard:
        guard.send(vesc.encode(VescMessage(68, vesc.SetCurrent(0.0))))
        await until(lambda: motors[0].controller.duty == 0.0)
        assert motors[1].controller.duty == 0.5 and nodes.peers[0].duty() == 0.0
        guard.send(vesc.encode(VescMessage(vesc.ALL, vesc.SetCurrent(0.0))))
        await until(lambda: motors[1].controller.duty == 0.0)
        assert [motor.problem for motor in motors] == ["", ""]
    motors[0].set(0.3)  # a stop is no claim to the motor
    for motor in motors:
        motor.close()


async def test_other_program_that_drives_a_motor_stops_it(nodes: Nodes, tmp_path: Path) -> None:
    bus = VescBus(nodes, "can0")
    motor = VescMotor(bus, added(bus), False)
    motor.set(0.5)
    with closing(SimCan(tmp_path, "can0")) as other:
        other.send(vesc.encode(VescMessage(68, vesc.SetRpm(9000))))
        await until(lambda: "another program drives it" in motor.problem)
        assert nodes.peers[0].duty() == 0.0
        with pytest.raises(OSError, match="another program"):
            motor.set(0.5)
    motor.close()


async def test_frames_of_others_are_no_reports(nodes: Nodes, tmp_path: Path) -> None:
    bus = VescBus(nodes, "can0")
    controller = added(bus)
    motor = VescMotor(bus, controller, False)
    motor.set(0.1)
    with closing(SimCan(tmp_path, "can0")) as other:
        for frame in (
            CanFrame(0x300, bytes(8)),
            CanFrame(0x1FFFFFFF, b"", True),
            vesc.encode(VescMessage(9, vesc.Pong(68))),
        ):
            other.send(frame)
        nodes.peers[0].set_fault(Fault.DEAF)
        await until(lambda: "does not report" in motor.problem)
    motor.close()


def test_motor_stops_by_the_time_out_of_the_vesc_when_its_process_is_frozen(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.sim.chips import vesc as model

    nodes.send(vesc.encode(VescMessage(68, vesc.SetDuty(0.5))))
    assert model.TIMEOUT_S == 1.0 and nodes.peers[0].duty() == 0.5
    now_ns = model.monotonic_ns()
    monkeypatch.setattr(model, "monotonic_ns", lambda: now_ns + 1_000_000_001)
    assert nodes.peers[0].duty() == 0.0


def test_vesc_that_is_missing_leaves_the_others_to_their_users(tmp_path: Path) -> None:
    board = SimBoard(tmp_path)
    role = {
        "role": "tracks", "version": "1", "topic_prefix": "/saint/tracks",
        "gpio_mapping": {
            f"{side}_motor": {"type": "vesc", "device": side} for side in ("left", "right")
        },
        "can_devices": {
            side: {"port": "can0", "driver": "vesc", "id": number}
            for side, number in zip(("left", "right"), NUMBERS, strict=True)
        },
    }  # fmt: skip
    config = RoleConfig.model_validate(role)
    board.prepare(config)
    drives = Drives(board, config)
    left = drives.motor("left_motor")
    with closing(VescPeer(vesc_file(tmp_path, "can0", 56))) as right:
        right.set_fault(Fault.DEAF)
        with pytest.raises(SaintError, match="right: no VESC answers with the id 56"):
            drives.motor("right_motor")
        right.set_fault(Fault.NONE)
        drives.motor("right_motor").close()
    left.close()
    drives.motor("left_motor").close()  # the bus is opened again
    board.close()
