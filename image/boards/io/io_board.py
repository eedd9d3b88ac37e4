"""The IO board: reads both receivers, reports to the BALANCE board, drives bridges and accessories.
All lines, pins and the clock come in.
"""

import json

from ..shared import tables as t
from ..shared.freshness import Period
from ..shared.lines import LineReader
from ..shared.link import LinkParser, framed
from .chips import Chips
from .receivers import ELRS, NEITHER, Receivers

_SENSOR_MS = 200
_NAMES = ("crossfire", "elrs", "none")


class IoBoard:
    """`crossfire`, `elrs`, `link` and `console` have read() and write(data). `chips`: those on
    the I2C bus (chips.py), if there are any.
    """

    def __init__(
        self, crossfire, elrs, link, console, bridges, accessories, now_ms: int, version: str = ""
    ) -> None:
        self.version = version
        self.receivers = Receivers()
        self.bridges = bridges
        self.accessories = accessories
        self.chips: Chips | None = None
        self._lines = (crossfire, elrs)
        self._link, self._serial = link, console
        self._parser = LinkParser()
        self._reader = LineReader()
        self._start_ms = self._last_ms = now_ms
        self._is_reported_alive = False
        self._rc_period = Period(t.RC_PERIOD_MS)
        self._heartbeat_period = Period(t.HEARTBEAT_PERIOD_MS)
        self._sensor_period = Period(_SENSOR_MS)

    def step(self, now_ms: int) -> None:
        """Do everything once; called every few milliseconds."""
        # What waited for a loop that stood still is old: of receivers, and of the other board.
        has_stalled = now_ms - self._last_ms > t.LINK_HEARTBEAT_LIMIT_MS
        self._last_ms = now_ms
        for line, receiver in zip(self._lines, self.receivers.each):
            data = line.read()
            receiver.feed(b"" if has_stalled else data, now_ms)
        self.receivers.update(now_ms)
        messages = self._parser.feed(self._link.read(), now_ms)
        for kind, values in () if has_stalled else messages:
            self.bridges.received(kind, values, now_ms)
            self.accessories.received(kind, values)
        self.bridges.update(now_ms, self.has_pilot)
        self.accessories.update(now_ms, self.bridges.is_balance_alive(now_ms))
        self._report(now_ms)
        self._console(now_ms)
        if self.chips:  # last: what it costs must not hold up what was said above
            self.chips.step(now_ms)

    @property
    def has_pilot(self) -> bool:
        """Return whether a receiver lives and its arm switch is at ARM."""
        is_alive = self.receivers.active != NEITHER
        return is_alive and self.receivers.channels[t.CHANNEL_ARM] > t.ARM_ABOVE_US

    @property
    def is_armed(self) -> bool:
        """Return whether the wagon is armed, as far as this board knows."""
        return self.bridges.is_on or self.bridges.is_armed(self._last_ms)

    def off(self) -> None:
        """Switch everything off: the last act before the program ends."""
        self.bridges.off()
        self.accessories.off()

    def _report(self, now_ms: int) -> None:
        is_alive = self.receivers.active != NEITHER
        is_urgent = self.receivers.has_news or is_alive != self._is_reported_alive
        if self._rc_period.is_due(now_ms) or is_urgent:
            self._rc_period.restart(now_ms)
            self._is_reported_alive = is_alive
            self._link.write(framed(t.LINK_RC_CHANNELS, *self.receivers.report()))
        if self._heartbeat_period.is_due(now_ms):
            uptime_ms = (now_ms - self._start_ms) & 0xFFFFFFFF
            self._link.write(framed(t.LINK_HEARTBEAT, uptime_ms))
        if self._sensor_period.is_due(now_ms):
            self._report_sensors(now_ms)

    def _report_sensors(self, now_ms: int) -> None:
        crossfire, elrs = self.receivers.each
        in_use = elrs if self.receivers.active == ELRS else crossfire
        for number, value in (
            (t.SENSOR_RSSI_CROSSFIRE, crossfire.signal_dbm(now_ms)),
            (t.SENSOR_RSSI_ELRS, elrs.signal_dbm(now_ms)),
            (t.SENSOR_LINK_QUALITY, in_use.quality),
        ):
            self._link.write(framed(t.LINK_SENSOR, number, float(value)))
        for frame in self.chips.poll(now_ms) if self.chips else ():
            self._link.write(frame)

    def _console(self, now_ms: int) -> None:
        for words in self._reader.feed(self._serial.read()):
            if words == ["STATUS"]:
                self._serial.write(self._status_line(now_ms))
            else:
                self._serial.write(b"ERR the IO board knows STATUS only\n")

    def _status_line(self, now_ms: int) -> bytes:
        found = {
            "board": "io",
            "version": self.version,
            "uptime_ms": now_ms - self._start_ms,
            "armed": self.is_armed,
            "receiver": _NAMES[self.receivers.active],
            "rssi": [each.rssi_dbm for each in self.receivers.each],
            "balance": self.bridges.is_balance_alive(now_ms),
            "channels": list(self.receivers.channels),
            "chips": self.chips.status(now_ms) if self.chips else {},
        }
        return json.dumps(found).encode() + b"\n"
