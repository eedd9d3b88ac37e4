"""Runs the drivers of the chips on the IO board's I2C bus, a transaction at a time, so that none of
them holds up the loop; whatever a chip does is counted and disturbs nothing else.

A driver has `name` and `life(bus, show)`: a generator that does one transaction at a time, yields
how many milliseconds it waits then, and shows what it measures. `bus` is as machine.I2C. It raises
ChipError, or OSError of the bus, where the chip is absent or says what cannot be.
"""

from ..shared import tables as t
from ..shared.freshness import Freshness
from ..shared.link import framed

_AGAIN_MS, _LONGEST_MS = 1000, 16_000  # pause after an error; it doubles up to the longest
_OLD_MS = 2000
_TAG_GONE_MS = 1000  # a tag that is seen again after so long is reported again
_FAILED = (OSError, ValueError, LookupError, ArithmeticError)


class ChipError(ValueError):
    """A chip says what cannot be."""


class Chip:
    """One driver and what became of it."""

    def __init__(self, bus, driver) -> None:
        self.name = driver.name
        self.errors = 0
        self.is_there = False
        self.values: dict = {}  # by the number of the sensor
        self._bus, self._driver = bus, driver
        self._fresh = Freshness(_OLD_MS)
        self._new: list = []
        self._now_ms = 0
        self._pause_ms = _AGAIN_MS
        self._due_ms = -1
        self._life = None

    def is_due(self, now_ms: int) -> bool:
        """Return whether it has something to do."""
        return now_ms >= self._due_ms

    def step(self, now_ms: int) -> None:
        """Do one transaction."""
        self._now_ms = now_ms
        life = self._life = self._life or self._driver.life(self._bus, self._show)
        try:
            self._due_ms = now_ms + next(life)
        except _FAILED:
            self._failed(now_ms)
        except StopIteration:
            self._failed(now_ms)

    def _failed(self, now_ms: int) -> None:
        self._life, self.is_there = None, False
        self.errors += 1
        self._due_ms = now_ms + self._pause_ms
        self._pause_ms = min(_LONGEST_MS, 2 * self._pause_ms)

    def _show(self, number: int, value) -> None:
        """Take a measurement; None: the chip is well, and there is nothing to measure."""
        self.is_there, self._pause_ms = True, _AGAIN_MS
        if value is None:
            self.values.pop(number, None)
            return
        self.values[number] = value
        self._fresh.feed(self._now_ms)
        self._new.append((number, value))

    def shown(self) -> list:
        """Return what was shown since the last call, the newest of each number."""
        found, self._new = dict(self._new), []
        return sorted(found.items())

    def is_fresh(self, now_ms: int) -> bool:
        """Return whether its values are of now."""
        return self._fresh.is_fresh(now_ms)


class Chips:
    """All chips of a bus, in turn: one transaction in each call of `step`."""

    def __init__(self, bus, drivers) -> None:
        self.each = [Chip(bus, driver) for driver in drivers]
        self._next = 0
        self._tag = b""
        self._tag_seen = Freshness(_TAG_GONE_MS)

    def step(self, now_ms: int) -> None:
        """Let the next chip that is due do one transaction."""
        for offset in range(len(self.each)):
            number = (self._next + offset) % len(self.each)
            if self.each[number].is_due(now_ms):
                self._next = number + 1
                self.each[number].step(now_ms)
                return

    def poll(self, now_ms: int) -> "list[bytes]":
        """Return frames for the link with what is new."""
        frames = []
        for chip in self.each:
            for number, value in chip.shown():
                if isinstance(value, bytes):
                    frames += self._tag_frames(value, now_ms)
                else:
                    frames.append(framed(t.LINK_SENSOR, number, value))
        return frames

    def _tag_frames(self, uid: bytes, now_ms: int) -> "list[bytes]":
        is_known = uid == self._tag and self._tag_seen.is_fresh(now_ms)
        self._tag = uid
        self._tag_seen.feed(now_ms)
        if is_known:
            return []
        return [framed(t.LINK_NFC, uid + bytes(7 - len(uid)), len(uid))]

    def status(self, now_ms: int) -> dict:
        """Return what the console's STATUS says of each chip."""
        found = {}
        for chip in self.each:
            about: dict = {"found": chip.is_there, "errors": chip.errors}
            if chip.is_fresh(now_ms):
                for number, value in sorted(chip.values.items()):
                    shown = value.hex() if isinstance(value, bytes) else round(value, 3)
                    about[_NAMES[number]] = shown
            found[chip.name] = about
        return found


TAG = 0  # the number of an NFC tag, whose value is its UID
_NAMES = {
    TAG: "tag",
    t.SENSOR_DISTANCE: "distance_m",
    t.SENSOR_PRESSURE: "pressure_pa",
    t.SENSOR_TEMPERATURE: "temperature_c",
}
