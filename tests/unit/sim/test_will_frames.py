"""A will's frame on a simulated bus: it arrives as that of any participant, and its port opens
without the product's models.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from saint_services.lib.guard.will import Write, WriteKind
from saint_services.lib.hw.can.frame import CanFrame
from tools.sim.can_bus import PARTICIPANTS, BusFault, SimCan, break_bus, bus_folder
from tools.sim.will_frames import PARTICIPANTS as REACHED
from tools.sim.will_frames import BusPort

_LIGHT = (
    "import sys, saint_services.guardd.daemon, tools.sim.will_frames; "
    "print(sorted({'pydantic', 'saint_services.lib.hw'} & set(sys.modules)))"
)


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


def test_guard_loads_no_models_for_it() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _LIGHT], capture_output=True, text=True, timeout=30, check=True
    )
    assert found.stdout.strip() == "[]"
