"""Chooses the sound devices of this computer, or of the simulation."""

from ...simulation import load_simulation, simulated_directory
from .port import Loudspeaker, Microphone


def open_microphone(spec: str, name: str) -> Microphone:
    """Return the microphone of SAINT_HW: "real" or "sim:<directory>", not yet opened."""
    if directory := simulated_directory(spec):
        return load_simulation().open_microphone(directory)
    from .alsa import AlsaMicrophone

    return AlsaMicrophone(name)


def open_loudspeaker(spec: str, name: str) -> Loudspeaker:
    """Return the loudspeaker of SAINT_HW: "real" or "sim:<directory>", not yet opened."""
    if directory := simulated_directory(spec):
        return load_simulation().open_loudspeaker(directory)
    from .alsa import AlsaLoudspeaker

    return AlsaLoudspeaker(name)
