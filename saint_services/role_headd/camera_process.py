"""The camera's process from the role's side. Not here: what it does (camera_program.py)."""

import sys
from collections.abc import Callable, Sequence

from saint_services.lib.role.side_process import SILENCE_S, SideProcess

from .camera_wire import CameraOrder, CameraReport

PROGRAM = (sys.executable, "-m", "saint_services.role_headd.camera_program")


class CameraProcess(SideProcess[CameraReport]):
    """Works until it is closed."""

    def __init__(
        self,
        order: CameraOrder,
        on_report: Callable[[CameraReport], None],
        program: Sequence[str] = PROGRAM,
        silence_s: float = SILENCE_S,
    ) -> None:
        super().__init__("camera", program, order, CameraReport, on_report, silence_s)
