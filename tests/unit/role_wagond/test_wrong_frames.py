"""Frames that are not the board's on its bus: wrong lengths, foreign identifiers, twins of 29 bits,
a node that babbles. They are counted and change nothing.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.wagon.can_frames import WagonAttitude, WagonReceivers, encode
from saint_services.lib.wagon.meanings import WagonState
from tests.unit.role_wagond.wagon_rig import WagonRig
from tools.sim.can_bus import SimCan

ARMED = encode(WagonAttitude(0.0, 0.0, 0.0, WagonState.ARMED, 0x7E))


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[WagonRig]:
    found = WagonRig(tmp_path)
    found.pass_time(0.2)
    yield found
    found.close()


@pytest.fixture
def intruder(tmp_path: Path, rig: WagonRig) -> Iterator[SimCan]:
    found = SimCan(tmp_path, "can0")
    yield found
    found.close()


@pytest.mark.parametrize("size", [0, 1, 4, 7])
def test_report_of_another_length_is_damaged_and_changes_nothing(
    rig: WagonRig, intruder: SimCan, size: int
) -> None:
    intruder.send(CanFrame(0x400, ARMED.data[:size]))
    rig.pass_time(0.1)
    assert rig.state.state == "disarmed"
    assert (rig.state.damaged_frames, rig.state.foreign_frames) == (1, 0)


def test_twin_with_29_bits_of_a_report_is_foreign(rig: WagonRig, intruder: SimCan) -> None:
    intruder.send(CanFrame(0x400, ARMED.data, is_extended=True))
    rig.pass_time(0.1)
    assert rig.state.state == "disarmed"
    assert (rig.state.damaged_frames, rig.state.foreign_frames) == (0, 1)


@pytest.mark.parametrize("identifier", [0x000, 0x044, 0x3FF, 0x403, 0x7FF])
def test_foreign_identifier_is_counted(rig: WagonRig, intruder: SimCan, identifier: int) -> None:
    intruder.send(CanFrame(identifier, ARMED.data))
    rig.pass_time(0.1)
    assert rig.state.state == "disarmed"
    assert (rig.state.damaged_frames, rig.state.foreign_frames) == (0, 1)


@pytest.mark.parametrize("identifier", [0x300, 0x301, 0x302, 0x303])
def test_frame_of_another_host_is_no_report(
    rig: WagonRig, intruder: SimCan, identifier: int
) -> None:
    intruder.send(CanFrame(identifier, b"\x01"))
    rig.role.read()
    assert rig.role.host.sent == (0, 0)


def test_babbling_node_neither_delays_a_stop_nor_the_reports(
    rig: WagonRig, intruder: SimCan
) -> None:
    rig.run_up()

    def babble() -> None:  # 500 kbit/s carry about 40 frames with 8 bytes in 10 ms
        for _ in range(40):
            intruder.send(CanFrame(0x001, bytes(8)))
            rig.role.read()

        rig.command(0.5)

    rig.pass_time(0.4, babble)
    assert rig.state.state == "armed"
    assert rig.balance.speed == 250
    assert rig.state.foreign_frames > 500
    rig.estop(True, 1)
    rig.serve()
    assert rig.stops == 1
    assert rig.balance.state is WagonState.ESTOP


def test_signal_strengths_are_reported_of_both_receivers(rig: WagonRig, intruder: SimCan) -> None:
    intruder.send(encode(WagonReceivers(-71, -128, 97)))
    rig.pass_time(0.1)
    first, second = rig.state.receiver_rssi
    assert first == -71.0
    assert second != second
