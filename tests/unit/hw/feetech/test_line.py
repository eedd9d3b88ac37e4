"""A line of servos in the loop, over a pseudo terminal: opening, motion, a plug that is pulled."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.ports import WillPorts
from saint_services.lib.guard.will import Will, Write, WriteKind
from saint_services.lib.hw.bus_servos.line import ServoLine
from saint_services.lib.hw.bus_servos.port import BusServo, Torque
from saint_services.lib.hw.bus_servos.setup import ServoSettings, ServoSetup
from saint_services.lib.hw.buses.serial import open_serial
from saint_services.lib.hw.feetech.dialect import FeetechDialect, release_of
from saint_services.lib.hw.feetech.registers import Series
from saint_services.lib.hw.ports import ByteStream
from tests.waiting import let_pass, until
from tools.sim.servo_pty import ServoPty, simulated

IDS = (1, 2, 3)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[ServoPty]:
    line = simulated(tmp_path, IDS)
    yield line
    line.unplug()
    line.peer.close()


def port_of(line: ServoPty) -> ByteStream:
    return open_serial(str(line.port), 1_000_000)


async def opened(line: ServoPty, ids: tuple[int, ...] = IDS) -> ServoLine:
    servos = {servo: BusServo(servo, f"joint_{servo}") for servo in ids}
    loop = asyncio.get_running_loop()

    def open_line() -> ServoLine:
        return ServoLine(
            lambda: port_of(line), servos, FeetechDialect(Series.STS), 1_000_000, "arm", loop
        )

    found = await asyncio.to_thread(open_line)
    for servo in ids:
        found.servo(servo)
    return found


def register(line: ServoPty, servo: int, name: str) -> Callable[[], int]:
    def read() -> int:
        with line.lock:
            return line.peer.servo(servo).get(name)

    return read


async def roused(line: ServoLine) -> BusServo:
    servo = line.core.servos[1]
    line.start()
    line.rouse(servo)
    await until(lambda: servo.torque is Torque.ON)
    return servo


async def close(line: ServoLine) -> None:
    for _ in line.core.servos:
        line.close()


async def test_line_moves_a_servo_and_measures_it(line: ServoPty) -> None:
    found = await opened(line)
    servo = await roused(found)
    found.aim(servo, 2500)
    await until(lambda: (reading := found.reading(servo)) and reading.position == 2500)
    await close(found)
    assert register(line, 1, "torque_enable")() == 1  # it goes on holding


async def test_missing_servo_is_named_at_opening(line: ServoPty) -> None:
    with pytest.raises(SaintError, match=r"no answer from joint_9 \(9\)") as caught:
        await opened(line, (1, 9))
    assert caught.value.code is Code.HARDWARE_MISSING
    port_of(line).close()  # it was released


async def test_plug_that_is_pulled_and_returns(line: ServoPty) -> None:
    found = await opened(line)
    servo = await roused(found)
    line.unplug()
    await until(lambda: servo.is_lost)
    assert "arm: serial line" in found.problem(servo)
    with pytest.raises(OSError, match="serial line"):
        found.aim(servo, 2500)
    line.plug()
    await until(lambda: servo.torque is Torque.ON)
    assert found.problem(servo) == ""
    found.aim(servo, 1900)
    await until(lambda: (reading := found.reading(servo)) and reading.position == 1900)
    await close(found)


async def test_will_ends_torque_while_the_role_has_the_line_open(line: ServoPty) -> None:
    """As guardd does it, on the line itself, while servos answer."""
    found = await opened(line)
    servo = await roused(found)
    packet = release_of(Series.STS, [1]).encoded()
    write = Write(WriteKind.SERIAL, str(line.port.resolve()), 1_000_000, packet)
    ports = await asyncio.to_thread(WillPorts, Will("role-partsd", "parts.arm", (write, write)))
    found.aim(servo, 3000)
    assert await asyncio.to_thread(ports.carry_out) == []
    await until(lambda: register(line, 1, "torque_enable")() == 0)
    ports.close()
    await close(found)


@pytest.mark.timed
async def test_line_at_rest_needs_hardly_any_time(line: ServoPty) -> None:
    found = await opened(line)
    await roused(found)
    await let_pass(0.7)
    before = time.thread_time()
    await let_pass(1.0)
    assert time.thread_time() - before < 0.1
    await close(found)


async def test_line_wakes_once_for_the_answers_of_all_servos(
    line: ServoPty, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = 0
    read = ServoLine._on_readable

    def count(self: ServoLine) -> None:
        nonlocal woken
        woken += 1
        read(self)

    monkeypatch.setattr(ServoLine, "_on_readable", count)
    found = await opened(line)
    found.core.period_s = 0.02
    found.start()
    await until(lambda: found.core.turns > 20)
    assert woken < 2 * found.core.turns  # not six times; a busy computer splits some answers
    await close(found)


def test_setup_writes_eeprom_where_it_differs_and_locks_it_again(line: ServoPty) -> None:
    port = port_of(line)
    setup = ServoSetup(port, FeetechDialect(Series.STS), "arm")
    with line.lock:
        line.peer.servo(1).put("phase", 0x1C)
    settings = ServoSettings(homing_offset=-85, max_temperature=60)
    assert setup.configure(1, settings) == [
        "return_delay", "phase", "homing_offset", "max_temperature",
    ]  # fmt: skip
    assert setup.configure(1, settings) == []
    with line.lock:
        servo = line.peer.servo(1)
        servo.power_up()
        names = ("lock", "homing_offset", "max_temperature", "phase", "return_delay")
        assert [servo.get(name) for name in names] == [1, -85, 60, 0x0C, 0]
    port.close()


def test_locked_eeprom_forgets_what_was_written(line: ServoPty) -> None:
    port = port_of(line)
    setup = ServoSetup(port, FeetechDialect(Series.STS), "arm")
    setup.put(1, "max_temperature", 50)
    with line.lock:
        line.peer.servo(1).power_up()
    assert setup.get(1, "max_temperature") == 70
    port.close()


def test_servo_gets_another_id_unless_it_is_in_use(line: ServoPty) -> None:
    port = port_of(line)
    setup = ServoSetup(port, FeetechDialect(Series.STS), "arm")
    with pytest.raises(SaintError, match="a servo with id 2 is there already"):
        setup.rename(1, 2)
    setup.rename(1, 9)
    assert list(setup.scan(range(12))) == [2, 3, 9]
    assert setup.get(9, "lock") == 1
    port.close()


def test_servo_at_another_rate_is_silent_there_only(line: ServoPty) -> None:
    port = port_of(line)
    setup = ServoSetup(port, FeetechDialect(Series.STS), "arm")
    setup.set_baud(1, 500_000)
    assert not setup.is_there(1) and setup.is_there(2)
    port.close()
    slower = open_serial(str(line.port), 500_000)
    assert ServoSetup(slower, FeetechDialect(Series.STS), "arm").is_there(1)
    slower.close()
    assert os.path.lexists(line.port)
