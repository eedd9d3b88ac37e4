"""The simulated Dynamixels, driven by Robotis's own library, and our packets and registers beside
its own (`make test-servos` fetches it).

It waits a few milliseconds for an answer; one that is late on a busy machine is requested again.
"""

import importlib
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.hw.dynamixel import packets
from saint_services.lib.hw.dynamixel.registers import MODELS, TABLE
from tests.waiting import block_until
from tools.bench.peers import FOLDER
from tools.sim.chips.x_servo import SimXServo
from tools.sim.faults import Fault, FaultSwitch
from tools.sim.servo_pty import ServoPty, simulated

if not (FOLDER / "dynamixel_sdk").is_dir():
    pytest.skip("Robotis's library is not here: make test-servos", allow_module_level=True)

IDS = range(1, 7)
TABLES = FOLDER / "dynamixel_easy_sdk" / "control_table"
# The names of our registers where theirs do not give them by themselves.
NAMES = {
    "Model Number": "model", "Firmware Version": "firmware", "Return Delay Time": "return_delay",
    "Secondary(Shadow) ID": "secondary_id", "Temperature Limit": "max_temperature",
    "Max Voltage Limit": "max_voltage", "Min Voltage Limit": "min_voltage",
    "Max Position Limit": "max_position", "Min Position Limit": "min_position",
    "Hardware Error Status": "hardware_error", "Velocity I Gain": "velocity_i",
    "Velocity P Gain": "velocity_p", "Position D Gain": "position_d",
    "Position I Gain": "position_i", "Position P Gain": "position_p",
    "Feedforward 2nd Gain": "feedforward_2", "Feedforward 1st Gain": "feedforward_1",
    "Present Current": "present_load", "Present Input Voltage": "present_voltage",
}  # fmt: skip


@pytest.fixture
def line(tmp_path: Path) -> Iterator[ServoPty]:
    line = simulated(tmp_path, IDS, "x")
    yield line
    line.unplug()
    line.peer.close()


@pytest.fixture(scope="module")
def sdk() -> Any:
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module("dynamixel_sdk")


@pytest.fixture
def port(sdk: Any, line: ServoPty) -> Iterator[Any]:
    port = sdk.PortHandler(str(line.port))
    assert port.openPort() and port.setBaudRate(1_000_000)
    yield port
    port.closePort()


@pytest.fixture
def handler(sdk: Any) -> Any:
    return sdk.PacketHandler(2.0)


class WrittenBytes:
    """A port of the library that only keeps what is written."""

    is_using = False

    def __init__(self) -> None:
        self.data = b""

    def writePort(self, packet: list[int]) -> int:  # noqa: N802 - the library's name
        self.data = bytes(packet)
        return len(packet)

    def clearPort(self) -> None:  # noqa: N802 - the library's name
        self.data = b""

    def setPacketTimeout(self, length: int) -> None:  # noqa: N802 - the library's name
        assert length


def test_packets_have_the_bytes_of_the_library(handler: Any) -> None:
    dice = random.Random(20)
    for _ in range(300):
        data = bytes(dice.choices(range(0xFD), k=20))  # nothing to stuff
        servo, address = dice.randrange(253), dice.randrange(147)
        port = WrittenBytes()
        handler.writeTxOnly(port, servo, address, len(data), list(data))
        assert port.data == packets.write(servo, address, data).encoded()


def test_stuffing_is_that_of_the_library(handler: Any) -> None:
    """By its function: its 4.1.0 forgets what this returns when it sends."""
    dice = random.Random(20)
    for _ in range(300):
        data = bytes(dice.choices((0xFF, 0xFD, 0x00, 0x55), k=20))
        plain = [0xFF, 0xFF, 0xFD, 0x00, 9, len(data) + 5, 0, packets.Order.WRITE, 116, 0, *data]
        stuffed = handler.addStuffing([*plain, 0, 0])
        crc = handler.updateCRC(0, stuffed, len(stuffed) - 2)
        wire = bytes(stuffed[:-2]) + crc.to_bytes(2, "little")
        assert wire == packets.write(9, 116, data).encoded()


def test_read_packets_have_the_bytes_of_the_library(handler: Any) -> None:
    port = WrittenBytes()
    handler.readTx(port, 7, 132, 4)
    assert port.data == packets.read(7, 132, 4).encoded()
    port = WrittenBytes()
    handler.syncReadTx(port, 98, 49, list(IDS), len(IDS), False)
    assert port.data == packets.sync_read(98, 49, IDS).encoded()


@pytest.mark.parametrize("model", ["xl330_m288", "xl430_w250", "xm430_w350"])
def test_registers_are_those_of_the_library(model: str) -> None:
    text = (TABLES / f"{model}.model").read_text().split("[control table]")[1]
    compared = 0
    for row in text.strip().splitlines()[1:]:
        address, size, name = row.split("\t")
        ours = NAMES.get(name, name.lower().replace(" ", "_"))
        if int(address) > 146 or name == "PWM Slope":
            continue
        assert (TABLE[ours].address, TABLE[ours].size) == (int(address), int(size)), name
        compared += 1
    assert compared > 40


def test_models_are_those_of_the_library() -> None:
    rows = (TABLES / "dynamixel.model").read_text().strip().splitlines()[1:]
    theirs = {int(number): name for number, name in (row.split() for row in rows)}
    for number, name in MODELS.items():
        assert theirs[number] == f"{name.lower().replace('-', '_')}.model"


def test_ping_has_the_model(sdk: Any, handler: Any, port: Any) -> None:
    block_until(lambda: handler.ping(port, 1) == (1020, sdk.COMM_SUCCESS, 0))


def test_sync_write_and_sync_read_move_six_servos(sdk: Any, handler: Any, port: Any) -> None:
    writer = sdk.GroupSyncWrite(port, handler, 116, 4)
    reader = sdk.GroupSyncRead(port, handler, 132, 4)
    for servo in IDS:
        block_until(lambda s=servo: handler.write1ByteTxRx(port, s, 64, 1) == (0, 0))
        assert reader.addParam(servo)
        assert writer.addParam(servo, [0x00, 0x04, 0x00, 0x00])
    assert writer.txPacket() == sdk.COMM_SUCCESS

    def are_there() -> bool:
        is_read = reader.txRxPacket() == sdk.COMM_SUCCESS
        return is_read and all(reader.getData(servo, 132, 4) == 1024 for servo in IDS)

    block_until(are_there)


def test_header_among_the_registers_arrives(
    sdk: Any, handler: Any, port: Any, line: ServoPty
) -> None:
    with line.lock:
        line.peer.servo(1).put("profile_acceleration", 0x00FDFFFF)
    wanted = (0x00FDFFFF, sdk.COMM_SUCCESS, 0)
    block_until(lambda: handler.read4ByteTxRx(port, 1, 108) == wanted)


def test_silent_servo_is_a_time_out(sdk: Any, handler: Any, port: Any) -> None:
    assert handler.read4ByteTxRx(port, 9, 132)[1] == sdk.COMM_RX_TIMEOUT


def test_wrong_crc_is_found(sdk: Any, handler: Any, port: Any, line: ServoPty) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.NOISE, 1.0)}
    block_until(lambda: handler.read4ByteTxRx(port, 1, 132)[1] == sdk.COMM_RX_CORRUPT)


def test_refusals_have_the_numbers_of_the_library(handler: Any, port: Any) -> None:
    from dynamixel_sdk import protocol2_packet_handler as numbers

    limit = numbers.ERRNUM_DATA_LIMIT
    block_until(lambda: handler.write4ByteTxRx(port, 1, 116, 9999) == (0, limit))
    block_until(lambda: handler.write1ByteTxRx(port, 1, 0, 1) == (0, numbers.ERRNUM_ACCESS))
    assert [each.value for each in packets.XRefusal] == [
        numbers.ERRNUM_RESULT_FAIL, numbers.ERRNUM_INSTRUCTION, numbers.ERRNUM_CRC,
        numbers.ERRNUM_DATA_RANGE, numbers.ERRNUM_DATA_LENGTH, numbers.ERRNUM_DATA_LIMIT,
        numbers.ERRNUM_ACCESS,
    ]  # fmt: skip
    assert numbers.ERRBIT_ALERT == packets.ALERT


def test_shutdown_has_an_alert_and_ends_with_a_reboot(
    sdk: Any, handler: Any, port: Any, line: ServoPty
) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.HOT, 90.0)}
    block_until(lambda: handler.read1ByteTxRx(port, 1, 70) == (4, sdk.COMM_SUCCESS, 128))
    line.peer.switches = dict
    block_until(lambda: handler.write1ByteTxRx(port, 1, 64, 1)[0] == sdk.COMM_SUCCESS)
    with line.lock:
        servo = line.peer.servo(1)
        assert isinstance(servo, SimXServo)
        assert not servo.get("torque_enable")
    block_until(lambda: handler.reboot(port, 1)[0] == sdk.COMM_SUCCESS)
    block_until(lambda: handler.read1ByteTxRx(port, 1, 70) == (0, sdk.COMM_SUCCESS, 0))
