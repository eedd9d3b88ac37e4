"""A line of Dynamixels in the loop, over a pseudo terminal: opening, motion, a plug that is pulled;
their EEPROM.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.bus_servos.line import ServoLine
from saint_services.lib.hw.bus_servos.port import BusServo, Torque
from saint_services.lib.hw.bus_servos.setup import ServoSettings, ServoSetup
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.dynamixel.dialect import DynamixelDialect
from tests.waiting import until
from tools.sim.chips.x_servo import SimXServo
from tools.sim.faults import Fault, FaultSwitch
from tools.sim.servo_pty import ServoPty, simulated

IDS = (1, 2, 3)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[ServoPty]:
    line = simulated(tmp_path, IDS, "x")
    yield line
    line.unplug()
    line.peer.close()


@pytest.fixture
def setup(line: ServoPty) -> Iterator[ServoSetup]:
    port = open_serial(str(line.port), 1_000_000)
    yield ServoSetup(port, DynamixelDialect(), "arm")
    port.close()


async def opened(line: ServoPty, ids: tuple[int, ...] = IDS) -> ServoLine:
    servos = {servo: BusServo(servo, f"joint_{servo}") for servo in ids}
    loop = asyncio.get_running_loop()

    def open_line() -> ServoLine:
        return ServoLine(
            lambda: open_serial(str(line.port), 1_000_000),
            servos,
            DynamixelDialect(),
            1_000_000,
            "arm",
            loop,
        )

    found = await asyncio.to_thread(open_line)
    for servo in ids:
        found.servo(servo)
    return found


async def roused(line: ServoLine) -> BusServo:
    servo = line.core.servos[1]
    line.start()
    line.rouse(servo)
    await until(lambda: servo.torque is Torque.ON)
    return servo


async def close(line: ServoLine) -> None:
    for _ in line.core.servos:
        line.close()


async def test_missing_dynamixel_is_named_at_opening(line: ServoPty) -> None:
    with pytest.raises(SaintError, match=r"no answer from joint_9 \(9\)") as caught:
        await opened(line, (1, 9))
    assert caught.value.code is Code.HARDWARE_MISSING


async def test_plug_that_is_pulled_and_returns(line: ServoPty) -> None:
    found = await opened(line)
    servo = await roused(found)
    found.aim(servo, 2500)
    await until(lambda: (reading := found.reading(servo)) and reading.position == 2500)
    line.unplug()
    await until(lambda: servo.is_lost)
    with pytest.raises(OSError, match="serial line"):
        found.aim(servo, 2600)
    await until(lambda: line.peer.servo(1).get("bus_watchdog") == -1)  # it was alone
    line.plug()
    await until(lambda: servo.torque is Torque.ON)
    assert line.peer.servo(1).get("bus_watchdog") == 25
    assert found.problem(servo) == ""
    found.aim(servo, 1900)
    await until(lambda: (reading := found.reading(servo)) and reading.position == 1900)
    await close(found)


async def test_servo_that_has_shut_itself_down_takes_no_torque(line: ServoPty) -> None:
    found = await opened(line)
    servo = await roused(found)
    line.peer.switches = lambda: {1: FaultSwitch(Fault.HOT, 90.0)}
    await until(lambda: servo.is_shut)
    with pytest.raises(OSError, match="it has no torque until it is restarted"):
        found.rouse(servo)
    await close(found)


def test_setup_has_positions_of_one_turn_and_no_torque_by_a_goal(
    line: ServoPty, setup: ServoSetup
) -> None:
    with line.lock:
        servo = line.peer.servo(1)
        servo.put("operating_mode", 4)
        servo.put("drive_mode", 0x0D)  # reversed, time-based, torque on by a goal
        servo.put("status_return_level", 0)
        servo.put("torque_enable", 1)
    assert setup.configure(1, ServoSettings(max_temperature=60)) == [
        "return_delay", "operating_mode", "drive_mode", "max_temperature",
    ]  # fmt: skip
    assert setup.configure(1, ServoSettings(max_temperature=60)) == []
    with line.lock:
        servo.power_up()
        names = ("operating_mode", "drive_mode", "max_temperature", "return_delay")
        assert [servo.get(name) for name in names] == [3, 1, 60, 0]


def test_setup_restarts_a_servo_that_has_shut_itself_down(
    line: ServoPty, setup: ServoSetup
) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.HOT, 90.0)}
    assert setup.get(1, "hardware_error") == 4
    line.peer.switches = dict
    assert setup.get(1, "hardware_error") == 4
    setup.configure(1, ServoSettings())
    assert setup.get(1, "hardware_error") == 0
    assert setup.get(1, "torque_enable") == 0


def test_setup_leaves_torque_to_a_servo_with_a_fault_that_has_not_shut_it_down(
    line: ServoPty, setup: ServoSetup
) -> None:
    setup.put(1, "return_delay", 0)
    setup.put(1, "torque_enable", 1)
    line.peer.switches = lambda: {1: FaultSwitch(Fault.BROWN_OUT, 8.0)}
    assert setup.configure(1, ServoSettings()) == []
    assert (setup.get(1, "hardware_error"), setup.get(1, "torque_enable")) == (1, 1)


def test_dynamixel_gets_another_id_unless_it_is_in_use(line: ServoPty, setup: ServoSetup) -> None:
    with pytest.raises(SaintError, match="a servo with id 2 is there already"):
        setup.rename(1, 2)
    setup.rename(1, 9)
    assert list(setup.scan(range(12))) == [2, 3, 9]
    assert (setup.model(9), setup.load(9)) == ("XM430-W350", 0.0)


def test_refusal_is_a_sentence(line: ServoPty, setup: ServoSetup) -> None:
    with pytest.raises(SaintError, match="servo 1 refuses a request") as caught:
        setup.put(1, "goal_position", 9999)
    assert caught.value.code is Code.HARDWARE_FAULT
    with line.lock:
        assert isinstance(line.peer.servo(1), SimXServo)
