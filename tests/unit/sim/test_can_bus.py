"""The simulated CAN bus: between processes, with ended, slow and unplugged participants."""

import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from saint_services.lib.errors import SaintError
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.opening import open_can
from saint_services.lib.hw.can.port import BusState
from saint_services.lib.simulation import VARIABLE
from tests.waiting import block_until
from tools.sim.can_bus import PARTICIPANTS, BusFault, SimCan, break_bus

FRAME = CanFrame(0x117, bytes.fromhex("0000c738"), True)
ECHO = """
import sys
from pathlib import Path
from saint_services.lib.hw.can.frame import CanFrame
from tools.sim.can_bus import SimCan
port = SimCan(Path(sys.argv[1]), "can0")
port.send(CanFrame(1))
import select
while True:
    select.select([port.fileno()], [], [], 20)
    for frame in port.receive():
        port.send(CanFrame(frame.id + 1, frame.data, frame.is_extended))
"""


def test_frame_arrives_at_all_others_and_not_at_its_sender(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first, second, third, elsewhere = (
            stack.enter_context(closing(SimCan(tmp_path, name)))
            for name in ("can0", "can0", "can0", "can1")
        )
        assert first.send(FRAME)
        assert second.receive() == third.receive() == [FRAME]
        assert first.receive() == elsewhere.receive() == []
        assert (first.state().sent, second.state().received) == (1, 1)


def test_processes_share_a_bus_and_an_ended_one_is_forgotten(tmp_path: Path) -> None:
    with closing(SimCan(tmp_path, "can0")) as port:
        process = subprocess.Popen([sys.executable, "-c", ECHO, str(tmp_path)])
        try:
            assert block_until(port.receive) == [CanFrame(1)]
            port.send(FRAME)
            assert block_until(port.receive) == [CanFrame(FRAME.id + 1, FRAME.data, True)]
        finally:
            process.kill()
            process.wait(10)
        port.send(FRAME)
        assert port.state().bus is BusState.PASSIVE


def test_nobody_on_the_bus_acknowledges(tmp_path: Path) -> None:
    with closing(SimCan(tmp_path, "can0")) as port:
        port.send(FRAME)
        assert (port.state().bus, port.state().sent) == (BusState.PASSIVE, 0)


def test_participant_that_does_not_read_loses_frames_and_holds_nobody(tmp_path: Path) -> None:
    with closing(SimCan(tmp_path, "can0")) as port, closing(SimCan(tmp_path, "can0")):
        for _ in range(2000):
            assert port.send(FRAME)
        assert port.state().lost > 0


def test_faults_of_a_bus_are_those_of_all_its_adapters(tmp_path: Path) -> None:
    with closing(SimCan(tmp_path, "can0")) as port, closing(SimCan(tmp_path, "can0")):
        break_bus(tmp_path, "can0", BusFault.BUS_OFF)
        assert not port.send(FRAME) and port.state().bus_offs == 1
        break_bus(tmp_path, "can0", BusFault.NONE)
        assert port.send(FRAME) and port.state().bus is BusState.ACTIVE
        break_bus(tmp_path, "can0", BusFault.UNPLUGGED)
        for use in (port.receive, lambda: port.send(FRAME), lambda: SimCan(tmp_path, "can0")):
            with pytest.raises(SaintError, match="plugged"):
                use()


def test_bus_has_a_limited_number_of_participants(tmp_path: Path) -> None:
    with ExitStack() as stack:
        for _ in range(PARTICIPANTS):
            stack.enter_context(closing(SimCan(tmp_path, "can0")))
        with pytest.raises(SaintError, match="16 participants"):
            SimCan(tmp_path, "can0")


def test_long_folders_and_names_of_ports_are_no_hindrance(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100) / ("y" * 100)
    with closing(SimCan(deep, "/dev/ttyACM0")) as one, closing(SimCan(deep, "/dev/ttyACM0")) as two:
        one.send(FRAME)
        assert two.receive() == [FRAME]


def test_bus_of_a_simulated_robot_is_opened_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "tools.sim")
    with (
        closing(open_can("can0", f"sim:{tmp_path}")) as one,
        closing(SimCan(tmp_path, "can0")) as two,
    ):
        one.send(FRAME)
        assert two.receive() == [FRAME]
