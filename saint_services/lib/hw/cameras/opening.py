"""Chooses the kind of camera that this computer has."""

from ...role_config.model import Camera
from ...simulation import load_simulation, simulated_directory
from .camera import CameraSource


def open_source(spec: str, settings: Camera) -> CameraSource:
    """Return the camera of SAINT_HW: "real" or "sim:<directory>", not yet opened."""
    if directory := simulated_directory(spec):
        return load_simulation().open_camera(directory, settings)
    from .pi_camera import PiCamera, is_there

    if is_there():
        return PiCamera(settings)
    from .v4l2_camera import V4l2Camera

    return V4l2Camera(settings)
