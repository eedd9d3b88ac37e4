"""What the launcher takes from the computer: domains, ports, the receiver's serial line."""

import asyncio
import os
import select
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from tools.launch import domain
from tools.launch.machines.receiver import Receiver, open_wire
from tools.launch.services import listening
from tools.launch.unit_files.units import SocketUnit


@pytest.fixture
def short() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="saint-", dir="/tmp") as root:
        yield Path(root)


def test_domain_is_ours_until_released() -> None:
    ours = domain.choose(97)
    with pytest.raises(SaintError, match="domain 97 is in use"):
        domain.choose(97)
    ours.lock.close()
    domain.choose(97).lock.close()


def test_domain_with_a_participant_is_left_alone() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as foreign:
        foreign.bind(("", 7400 + 250 * 96 + 10))
        with pytest.raises(SaintError, match="domain 96 is in use"):
            domain.choose(96)


def test_domain_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "95")
    chosen = domain.choose(None)
    chosen.lock.close()
    assert chosen.number == 95


def test_domain_too_high_is_refused() -> None:
    with pytest.raises(SaintError, match="up to 232"):
        domain.choose(233)


def _port_unit(address: str) -> SocketUnit:
    return SocketUnit("saint-x.socket", "saint-x.service", (address,), (), "http")


def test_port_in_use_moves_to_the_next_one(short: Path) -> None:
    with socket.socket() as foreign:
        foreign.bind((listening.HOST, 0))
        foreign.listen()
        taken = foreign.getsockname()[1]
        (passed,) = listening.open_sockets(_port_unit("80"), short, {"80": taken})
        with passed.socket:
            assert taken < passed.socket.getsockname()[1] < taken + 20


def test_path_too_long_for_a_socket_is_said(short: Path) -> None:
    unit = _port_unit("/run/saint/" + "x" * 100)
    with pytest.raises(SaintError, match="is longer than the 103 bytes"):
        listening.open_sockets(unit, short, {})


def test_address_elsewhere_is_refused(short: Path) -> None:
    with pytest.raises(SaintError, match="not on /run/other"):
        listening.open_sockets(_port_unit("/run/other"), short, {})


def test_left_over_socket_is_replaced(short: Path) -> None:
    unit = _port_unit("/run/saint/x.sock")
    for _ in range(2):
        (passed,) = listening.open_sockets(unit, short, {})
        passed.socket.close()
    assert (short / "x.sock").stat().st_mode & 0o777 == 0o600


async def test_bytes_on_the_wire_come_out_of_the_line_unchanged(short: Path) -> None:
    (short / "server").mkdir()
    receiver = Receiver(short / "server", asyncio.get_running_loop())
    wire = await asyncio.to_thread(open_wire, short)
    line = os.open(receiver.path, os.O_RDWR | os.O_NOCTTY)
    every_byte = bytes(range(256))
    os.write(wire, every_byte)
    assert select.select([line], [], [], 1.0)[0]
    assert os.read(line, 512) == every_byte
    os.close(line)
    os.close(wire)
    receiver.close()
    assert not any((short / "server").iterdir())
