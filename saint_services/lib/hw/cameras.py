"""Which kind of camera this computer has. Not here: the kinds (pi_camera.py, v4l2_camera.py,
sim/camera.py), how one is run (camera.py).
"""

from pathlib import Path

from ..role_config.model import Camera
from .camera import Source


def open_source(spec: str, settings: Camera) -> Source:
    """The camera of SAINT_HW: "real" or "sim:<directory>". Nothing is opened yet."""
    kind, _, place = spec.partition(":")
    if kind == "sim" and place:
        from .sim.camera import SimCamera

        return SimCamera(Path(place), settings)
    from .pi_camera import PiCamera, is_there

    if is_there():
        return PiCamera(settings)
    from .v4l2_camera import V4l2Camera

    return V4l2Camera(settings)
