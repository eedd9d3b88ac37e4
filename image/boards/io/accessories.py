"""Lights, horn, headlight, fan and buzzer of the IO board, by what the BALANCE board reports."""

from ..shared import tables as t

_RED, _AMBER, _GREEN, _BLUE, _WHITE = (255, 0, 0), (255, 90, 0), (0, 255, 0), (0, 0, 255), (60,) * 3
_COLOURS = {
    t.STATE_DISARMED: _BLUE,
    t.STATE_ARMED: _GREEN,
    t.STATE_FAILSAFE: _AMBER,
    t.STATE_ESTOP: _RED,
    t.STATE_TILT: _RED,
    t.STATE_FAULT: _RED,
}
_BLINK_MS = 250
_KLAXON_AFTER_MS = 600
_KLAXON_MS = 120
_LOST_BEEP_MS = 1000  # one beep in this time while the other board is missing


class Accessories:
    """Drives the outputs: `strip` has show(colour), the others have value(0 or 1)."""

    def __init__(self, strip, horn, light, fan, buzzer) -> None:
        self._strip = strip
        self._outputs = (horn, light, fan, buzzer)
        self._wanted = (0, 0, 0, 0, 0)
        self._state = t.STATE_DISARMED
        self._horn_since_ms = -1
        self._shown: tuple = ()
        self.off()

    def received(self, kind: int, values: tuple) -> None:
        """Note a message of the BALANCE board."""
        if kind == t.LINK_ACTUATORS[0]:
            self._wanted = values
        elif kind == t.LINK_STATUS[0]:
            self._state = values[0]

    def update(self, now_ms: int, is_balance_alive: bool) -> None:
        """Set the outputs. Without the BALANCE board: fan on, horn off, red light, a beep."""
        if not is_balance_alive:
            self._wanted, self._state = (255, 0, 0, 255, 0), t.STATE_FAULT
        leds, horn, light, fan, buzzer = self._wanted
        beep = buzzer or (not is_balance_alive and now_ms % _LOST_BEEP_MS < 100)
        for output, value in zip(self._outputs, (self._horn(horn, now_ms), light, fan, beep)):
            output.value(1 if value else 0)
        self._show(self.colour(now_ms, leds))

    def colour(self, now_ms: int, leds: int) -> "tuple[int, ...]":
        """Return the colour of the strip at a brightness of 0 to 255; stops blink."""
        colour = _COLOURS.get(self._state, _WHITE)
        if self._state not in (t.STATE_DISARMED, t.STATE_ARMED) and now_ms // _BLINK_MS % 2:
            colour = (0, 0, 0)
        return tuple(part * leds // 255 for part in colour)

    def _horn(self, wanted: int, now_ms: int) -> bool:
        """Return whether the horn sounds: held for longer it becomes a klaxon."""
        if not wanted:
            self._horn_since_ms = -1
            return False
        if self._horn_since_ms < 0:
            self._horn_since_ms = now_ms
        held_ms = now_ms - self._horn_since_ms
        return held_ms < _KLAXON_AFTER_MS or held_ms // _KLAXON_MS % 2 == 0

    def _show(self, colour: "tuple[int, ...]") -> None:
        if colour != self._shown:
            self._shown = colour
            self._strip.show(colour)

    def off(self) -> None:
        """Switch all off."""
        for output in self._outputs:
            output.value(0)
        self._show((0, 0, 0))
