"""Which kind of camera this computer has. Not here: the kinds (pi_camera.py, v4l2_camera.py,
sim/camera.py), how one is run (camera.py).
"""

from ...role_config.model import Camera
from ...simulation import load_simulation, simulated_directory
from .camera import CameraSource


def open_source(spec: str, settings: Camera) -> CameraSource:
    """The camera of SAINT_HW: "real" or "sim:<directory>". Nothing is opened yet."""
    if directory := simulated_directory(spec):
        return load_simulation().open_camera(directory, settings)
    from .pi_camera import PiCamera, is_there

    if is_there():
        return PiCamera(settings)
    from .v4l2_camera import V4l2Camera

    return V4l2Camera(settings)
