"""A will's frame on a simulated bus: it arrives as that of any participant, and its port opens
without the product's models.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.guard.will import Write, WriteKind
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.vesc import messages as vesc
from tools.sim.can_bus import PARTICIPANTS, BusFault, SimCan, break_bus, bus_folder
from tools.sim.chips.base import ChipFault
from tools.sim.chips.vesc import VescPeer, vesc_file
from tools.sim.will_frames import PARTICIPANTS as REACHED
from tools.sim.will_frames import BusPort

_LIGHT = """
import sys
import saint_services.guardd.daemon
from saint_services.lib.guard.will import Write
from tools.sim.will_frames import BusPort

BusPort(Write("sim_can", sys.argv[1], int(sys.argv[2]), bytes(4))).write()
print(sorted({"pydantic", "saint_services.lib.hw"} & set(sys.modules)))
"""


def port(directory: Path, place: int = 0x303) -> BusPort:
    folder = str(bus_folder(directory, "can0"))
    return BusPort(Write(WriteKind.SIM_CAN, folder, place, b"\xe5"))


@pytest.mark.parametrize(
    ("place", "frame"),
    [(0x303, CanFrame(0x303, b"\xe5")), (1 << 31 | 0x144, CanFrame(0x144, b"\xe5", True))],
)
def test_frame_arrives_at_every_participant(tmp_path: Path, place: int, frame: CanFrame) -> None:
    first, second = SimCan(tmp_path, "can0"), SimCan(tmp_path, "can0")
    sender = port(tmp_path, place)
    sender.write()
    assert first.receive() == [frame] and second.receive() == [frame]
    assert REACHED == PARTICIPANTS
    for each in (first, second, sender):
        each.close()


def test_adapter_that_is_unplugged_is_reported(tmp_path: Path) -> None:
    break_bus(tmp_path, "can0", BusFault.UNPLUGGED)
    sender = port(tmp_path)
    with pytest.raises(OSError, match="not plugged in"):
        sender.write()
    sender.close()


def test_bus_without_participants_fails_nothing(tmp_path: Path) -> None:
    sender = port(tmp_path)
    sender.write()
    sender.close()


@pytest.mark.parametrize("fault", list(ChipFault))
@pytest.mark.parametrize("number", [68, 56, vesc.ALL])
@pytest.mark.parametrize("row", vesc.TABLE, ids=lambda row: row.name)
def test_vesc_obeys_it_as_its_model_does(
    tmp_path: Path, row: vesc.VescCommand, number: int, fault: ChipFault
) -> None:
    frame = CanFrame(row.number << 8 | number, (12_300).to_bytes(4, "big"), is_extended=True)
    duties = {}
    for name in ("port", "model"):
        peer = VescPeer(vesc_file(tmp_path / name, "can0", 68))
        peer.received(vesc.encode(vesc.VescMessage(68, vesc.SetDuty(0.5))))
        peer.set_fault(fault)
        before = peer.output()
        if name == "model":
            peer.received(frame)
        else:
            folder = str(bus_folder(tmp_path / name, "can0"))
            sender = BusPort(Write(WriteKind.SIM_CAN, folder, 1 << 31 | frame.id, frame.data))
            sender.write()
            sender.close()
        duties[name] = peer.output().value, peer.output().writes - before.writes
        peer.close()
    assert duties["port"] == duties["model"]


@pytest.mark.parametrize("place", [0x303, 1 << 31 | 68])
def test_guard_loads_no_models_for_it(tmp_path: Path, place: int) -> None:
    VescPeer(vesc_file(tmp_path, "can0", 68)).close()
    found = subprocess.run(
        [sys.executable, "-c", _LIGHT, str(bus_folder(tmp_path, "can0")), str(place)],
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    assert found.stdout.strip() == "[]"
