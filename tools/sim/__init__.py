"""Simulated hardware: files instead of pins and chips, physics instead of motors. No part of the
product, which loads this module where SAINT_SIMULATION names it (saint_services/lib/simulation.py).
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from saint_services.lib.simulation import VARIABLE, WillPort

if TYPE_CHECKING:  # each opener loads what it needs: a guard needs no camera
    from saint_services.lib.guard.will import Write
    from saint_services.lib.hw.cameras.camera import CameraSource
    from saint_services.lib.hw.can.port import CanPort
    from saint_services.lib.hw.ports import Board, EdgeInput
    from saint_services.lib.hw.sound.port import Loudspeaker, Microphone
    from saint_services.lib.role_config.model import Camera

_ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Return the variables by which a process that is started in any folder finds this module."""
    paths = str(_ROOT), os.environ.get("PYTHONPATH", "")
    return {VARIABLE: __name__, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def open_board(directory: Path) -> "Board":
    """Open the board whose files are in `directory`."""
    from .board import SimBoard

    return SimBoard(directory)


def open_edges(directory: Path) -> "EdgeInput":
    """Open the recorded edges of the board. Raises hardware_missing where there are none."""
    from .recorded_edges import RECORDING, RecordedEdges

    return RecordedEdges(directory / RECORDING)


def open_camera(directory: Path, settings: "Camera") -> "CameraSource":
    """Return the camera of the board; its `open` connects to it."""
    from .camera import SimCamera

    return SimCamera(directory, settings)


def open_can(directory: Path, interface: str) -> "CanPort":
    """Open a participant of a bus of the board. Raises hardware_missing while it is unplugged."""
    from .can_bus import SimCan

    return SimCan(directory, interface)


def open_microphone(directory: Path, rate_hz: int) -> "Microphone":
    """Return the microphone of the board; its `open` connects to it."""
    from .sound import SimMicrophone

    return SimMicrophone(directory, rate_hz)


def open_loudspeaker(directory: Path, rate_hz: int) -> "Loudspeaker":
    """Return the loudspeaker of the board; its `open` connects to it."""
    from .sound import SimLoudspeaker

    return SimLoudspeaker(directory, rate_hz)


def open_will_port(write: "Write") -> WillPort:
    """Open the simulated chip or motor controller of a will's write. Raises OSError."""
    if write.kind == "sim_can":
        from .will_frames import BusPort

        return BusPort(write)
    from .will_ports import open_port

    return open_port(write)
