"""Chooses the sound devices of this computer, or of the simulation."""

from ...simulation import load_simulation, simulated_directory
from .port import RATE_HZ, Loudspeaker, Microphone


def open_microphone(spec: str, name: str, rate_hz: int = RATE_HZ) -> Microphone:
    """Return the microphone of SAINT_HW: "real" or "sim:<directory>", not yet opened. It records at
    `rate_hz`.
    """
    if directory := simulated_directory(spec):
        return load_simulation().open_microphone(directory, rate_hz)
    from .alsa import AlsaMicrophone

    return AlsaMicrophone(name, rate_hz)


def open_loudspeaker(spec: str, name: str, rate_hz: int = RATE_HZ) -> Loudspeaker:
    """Return the loudspeaker of SAINT_HW: "real" or "sim:<directory>", not yet opened. It plays
    pieces of `rate_hz`.
    """
    if directory := simulated_directory(spec):
        return load_simulation().open_loudspeaker(directory, rate_hz)
    from .alsa import AlsaLoudspeaker

    return AlsaLoudspeaker(name, rate_hz)
