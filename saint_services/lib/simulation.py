"""Loads the simulated hardware, which is not part of the product: SAINT_SIMULATION names a Python
module with the functions of `Simulation`. Only the simulated robot's launcher and tests set it.
"""

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from .errors import Code, SaintError

if TYPE_CHECKING:  # the guard loads this file without the boards' imports
    from .guard.will import Write
    from .hw.cameras.camera import CameraSource
    from .hw.can.port import CanPort
    from .hw.ports import Board, EdgeInput
    from .hw.sound.port import Loudspeaker, Microphone
    from .role_config.model import Camera

VARIABLE = "SAINT_SIMULATION"
_PREFIX = "sim:"


class WillPort(Protocol):
    """An open write of a will."""

    def write(self) -> None: ...

    def close(self) -> None: ...


class Simulation(Protocol):
    """Opens simulated counterparts of a computer's hardware; their files are below `directory`."""

    def open_board(self, directory: Path) -> "Board": ...

    def open_edges(self, directory: Path) -> "EdgeInput": ...

    def open_camera(self, directory: Path, settings: "Camera") -> "CameraSource": ...

    def open_can(self, directory: Path, interface: str) -> "CanPort": ...

    def open_microphone(self, directory: Path, rate_hz: int) -> "Microphone": ...

    def open_loudspeaker(self, directory: Path, rate_hz: int) -> "Loudspeaker": ...

    def open_will_port(self, write: "Write") -> "WillPort": ...


def simulated_directory(spec: str) -> Path | None:
    """Return the directory of a SAINT_HW of the form "sim:<directory>", else None."""
    directory = spec.removeprefix(_PREFIX)
    return Path(directory) if spec.startswith(_PREFIX) and directory else None


def load_simulation() -> Simulation:
    """Import the module that SAINT_SIMULATION names. Raises config_invalid if it is missing."""
    name = os.environ.get(VARIABLE, "")
    try:
        if not name:
            raise ModuleNotFoundError(f"{VARIABLE} is not set")
        return cast(Simulation, importlib.import_module(name))
    except ModuleNotFoundError as err:
        raise SaintError(
            Code.CONFIG_INVALID,
            f"Simulated hardware is not installed here: {err}",
            fix="Set `hardware: real` in saint.yaml (SAINT_HW=real). Simulate with `make run`.",
        ) from err
