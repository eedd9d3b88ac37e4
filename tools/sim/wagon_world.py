"""What is true of a simulated wagon: one mapped file of numbers, which any process may read and
set. Sticks and faults are set by people and tests, the rest by the simulation.
"""

import mmap
import os
from pathlib import Path

RECEIVERS = ("crossfire", "elrs")
VESCS = (68, 56)  # left, right: the confirmed identifiers of the source document
CHANNELS = 16
WHEELS = ("front_left", "rear_left", "front_right", "rear_right")
WORLD_FILE = "wagon-world"
_CHANNEL_DEFAULTS = (1500.0,) * 4 + (1000.0, 1000.0, 2000.0) + (1000.0,) * 9

_DEFAULTS: dict[str, float] = {
    **{
        f"{receiver}_{number}": us
        for receiver in RECEIVERS
        for number, us in enumerate(_CHANNEL_DEFAULTS, 1)
    },
    **{f"{receiver}_on": 1.0 for receiver in RECEIVERS},
    **{f"{receiver}_stuck": 0.0 for receiver in RECEIVERS},  # its channels no longer change
    **{f"{receiver}_quality": 100.0 for receiver in RECEIVERS},  # percent
    **{f"{receiver}_changed_s": 0.0 for receiver in RECEIVERS},  # monotonic: new channels left it
    "receiver_ms": 20.0,  # between two frames of a receiver
    "receivers_swapped": 0.0,
    "link_drop": 0.0,  # share of what is sent between the boards
    "link_corrupt": 0.0,  # share
    "link_delay_ms": 0.0,
    "can_drop": 0.0,  # share of the frames that the BALANCE board sends and receives
    "can_delay_ms": 0.0,  # of the same frames
    "can_off": 0.0,  # the BALANCE board's controller is bus-off
    "balance_power": 1.0,  # 0: brown-out
    "io_power": 1.0,
    "pitch": 0.0,  # degrees, nose down positive
    "roll": 0.0,
    "sensor_frozen": 0.0,
    "sensor_silent": 0.0,
    **{f"blocked_{number}": 0.0 for number in VESCS},
    "battery_v": 37.0,
    # Around the wagon, as the chips of the IO board measure it: 0 absent, 1 good, 2 says nonsense.
    "distance_chip": 1.0,
    "barometer_chip": 1.0,
    "nfc_chip": 1.0,
    "distance_m": 1.2,
    "pressure_pa": 101_325.0,
    "temperature_c": 21.0,
    "tag": 0.0,  # the number of the NFC tag that is held to the reader
    # By the simulation: shares of the full duty, metres per second, radians.
    **{f"duty_{number}": 0.0 for number in VESCS},
    **{f"bridge_{wheel}": 0.0 for wheel in WHEELS},
    **dict.fromkeys(("speed", "yaw_rate", "acceleration", "heading", "x", "y"), 0.0),
    **dict.fromkeys(("horn", "light", "fan", "buzzer", "red", "green", "blue"), 0.0),
    "balance_starts": 0.0,
    "io_starts": 0.0,
}
NAMES = tuple(_DEFAULTS)
_PLACE = {name: place for place, name in enumerate(NAMES)}


class WagonWorld:
    """The numbers, by name. Raises KeyError for a name that is none."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory / WORLD_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            is_new = os.fstat(descriptor).st_size == 0
            os.ftruncate(descriptor, 8 * len(NAMES))
            self._map = mmap.mmap(descriptor, 8 * len(NAMES))
        finally:
            os.close(descriptor)
        self._numbers = memoryview(self._map).cast("d")
        if is_new:
            self.reset()

    def reset(self) -> None:
        """Set everything as it is with a new wagon that stands."""
        for name, value in _DEFAULTS.items():
            self[name] = value

    def __getitem__(self, name: str) -> float:
        return self._numbers[_PLACE[name]]

    def __setitem__(self, name: str, value: float) -> None:
        self._numbers[_PLACE[name]] = value

    def channel(self, number: int, us: float, *receivers: str) -> None:
        """Set a channel (from 1) of the pilot's transmitter, for these receivers or both."""
        for receiver in receivers or RECEIVERS:
            self[f"{receiver}_{number}"] = us

    @property
    def turning(self) -> dict[str, float]:
        """Return what drives a wheel, and its duty."""
        driven = [f"duty_{number}" for number in VESCS] + [f"bridge_{wheel}" for wheel in WHEELS]
        return {name: self[name] for name in driven if self[name]}

    def close(self) -> None:
        self._numbers.release()
        self._map.close()
