"""Reads a microphone in a thread. Not here: the devices (alsa.py), who listens."""

from ..device_feed import DeviceFeed


class MicrophoneFeed(DeviceFeed[bytes]):
    """The pieces of a microphone."""

    name = "microphone"
