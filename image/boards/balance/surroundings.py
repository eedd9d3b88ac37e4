"""What the IO board measures around the wagon: distance, air, NFC tags. Nothing here moves or stops
anything.
"""

from math import isfinite

from ..shared import tables as t
from ..shared.freshness import Freshness

_OLD_MS = 2000
_NAMES = {
    t.SENSOR_DISTANCE: "distance_m",
    t.SENSOR_PRESSURE: "pressure_pa",
    t.SENSOR_TEMPERATURE: "temperature_c",
}


class Surroundings:
    """The newest measurement of each kind."""

    def __init__(self) -> None:
        self._values: dict = {}
        self._fresh = {number: Freshness(_OLD_MS) for number in _NAMES}
        self._tag = ""

    def measured(self, number: int, value: float, now_ms: int) -> None:
        """Note a message with a measurement; other numbers are not of here."""
        if number in _NAMES and isfinite(value):
            self._values[number] = value
            self._fresh[number].feed(now_ms)

    def tag(self, uid: bytes, length: int) -> None:
        """Note a tag that was held to the reader."""
        self._tag = uid[:length].hex()

    def status(self, now_ms: int) -> dict:
        """Return what the console's STATUS says: what is fresh, and the last tag."""
        found: dict = {
            _NAMES[number]: round(value, 3)
            for number, value in sorted(self._values.items())
            if self._fresh[number].is_fresh(now_ms)
        }
        if self._tag:
            found["tag"] = self._tag
        return found
