"""The simulated bus servos, driven by Feetech's own library (`make test-servos` fetches it).

It waits a few milliseconds for an answer; one that is late on a busy machine is requested again.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import block_until
from tools.bench.peers import FOLDER
from tools.sim.faults import Fault, FaultSwitch
from tools.sim.servo_pty import ServoPty, simulated

if not (FOLDER / "scservo_sdk").is_dir():
    pytest.skip("Feetech's library is not here: make test-servos", allow_module_level=True)

IDS = range(1, 7)


@pytest.fixture
def line(tmp_path: Path) -> Iterator[ServoPty]:
    line = simulated(tmp_path, IDS)
    yield line
    line.unplug()
    line.peer.close()


@pytest.fixture
def sdk() -> Any:
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module("scservo_sdk")


@pytest.fixture
def port(sdk: Any, line: ServoPty) -> Iterator[Any]:
    port = sdk.PortHandler(str(line.port))
    assert port.openPort() and port.setBaudRate(1_000_000)
    yield port
    port.closePort()


def test_ping_has_the_model(sdk: Any, port: Any) -> None:
    handler = sdk.PacketHandler(0)
    block_until(lambda: handler.ping(port, 1) == (777, sdk.COMM_SUCCESS, 0))


def test_sync_write_and_sync_read_move_six_servos(sdk: Any, port: Any) -> None:
    handler = sdk.PacketHandler(0)
    writer = sdk.GroupSyncWrite(port, handler, 42, 2)
    reader = sdk.GroupSyncRead(port, handler, 56, 2)
    for servo in IDS:
        block_until(lambda s=servo: handler.write1ByteTxRx(port, s, 40, 1) == (0, 0))
        assert reader.addParam(servo)
        assert writer.addParam(servo, [0x00, 0x04])
    assert writer.txPacket() == sdk.COMM_SUCCESS

    def are_there() -> bool:
        is_read = reader.txRxPacket() == sdk.COMM_SUCCESS
        return is_read and all(reader.getData(servo, 56, 2) == 1024 for servo in IDS)

    block_until(are_there)


def test_silent_servo_is_a_time_out(sdk: Any, port: Any) -> None:
    assert sdk.PacketHandler(0).read2ByteTxRx(port, 9, 56)[1] == sdk.COMM_RX_TIMEOUT


def test_wrong_checksum_is_found(sdk: Any, port: Any, line: ServoPty) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.NOISE, 1.0)}
    handler = sdk.PacketHandler(0)
    block_until(lambda: handler.read2ByteTxRx(port, 1, 56)[1] == sdk.COMM_RX_CORRUPT)


def test_error_bits_arrive(sdk: Any, port: Any, line: ServoPty) -> None:
    line.peer.switches = lambda: {1: FaultSwitch(Fault.HOT, 90.0)}
    handler = sdk.PacketHandler(0)
    block_until(lambda: handler.read1ByteTxRx(port, 1, 63) == (90, sdk.COMM_SUCCESS, 4))
