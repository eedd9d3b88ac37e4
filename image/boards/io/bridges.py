"""The IO board's four BTS7960 bridges. Enables are high only while everything that may drive says
so; whatever is missing takes them low.
"""

from ..shared import tables as t
from ..shared.freshness import Freshness


class Bridge:
    """One wheel. Pins: `forward` and `reverse` have duty(share), `enable` has value(0 or 1)."""

    def __init__(self, forward, reverse, enable) -> None:
        self._forward, self._reverse, self._enable = forward, reverse, enable
        self.off()

    def drive(self, duty: float) -> None:
        """Set the duty, -1 to 1: first the half that rests, so that never both are driven."""
        resting, driven = self._reverse, self._forward
        if duty < 0:
            resting, driven = driven, resting
        resting.duty(0.0)
        driven.duty(min(1.0, abs(duty)))
        self._enable.value(1)

    def off(self) -> None:
        """Take the enables low, then both duties to zero."""
        self._enable.value(0)
        self._forward.duty(0.0)
        self._reverse.duty(0.0)


class Bridges:
    """All wheels: (bridges on the left, bridges on the right)."""

    def __init__(self, left: tuple, right: tuple) -> None:
        self._left, self._right = left, right
        self._heartbeat = Freshness(t.LINK_HEARTBEAT_LIMIT_MS)
        self._status = Freshness(t.LINK_HEARTBEAT_LIMIT_MS)
        self._wheels = Freshness(t.LINK_HEARTBEAT_LIMIT_MS)
        self._duties = (0, 0)
        self._is_armed = False
        self.is_on = False

    def received(self, kind: int, values: tuple, now_ms: int) -> None:
        """Note a message of the BALANCE board."""
        if kind == t.LINK_HEARTBEAT[0]:
            self._heartbeat.feed(now_ms)
        elif kind == t.LINK_STATUS[0]:
            self._status.feed(now_ms)
            self._is_armed = values[0] == t.STATE_ARMED
        elif kind == t.LINK_WHEELS[0]:
            self._wheels.feed(now_ms)
            self._duties = values

    def is_balance_alive(self, now_ms: int) -> bool:
        """Return whether the BALANCE board's heartbeat comes."""
        return self._heartbeat.is_fresh(now_ms)

    def is_armed(self, now_ms: int) -> bool:
        """Return whether the BALANCE board reports that it is armed."""
        return self._is_armed and self._status.is_fresh(now_ms)

    def update(self, now_ms: int, has_pilot: bool) -> None:
        """Drive, or take all enables low. `has_pilot`: a receiver lives and its arm switch is at
        ARM.
        """
        may = has_pilot and self.is_armed(now_ms) and self._heartbeat.is_fresh(now_ms)
        if not (may and self._wheels.is_fresh(now_ms)):
            self.off()
            return
        self.is_on = True
        for bridges, thousandths in zip((self._left, self._right), self._duties):
            for bridge in bridges:
                bridge.drive(thousandths / t.FULL_SPEED)

    def off(self) -> None:
        """Take all enables low."""
        self.is_on = False
        for bridge in self._left + self._right:
            bridge.off()
