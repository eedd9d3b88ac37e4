"""Brings the pulses of an output over a wire to an input, as edges with the times at which a pin
would have changed.
"""

import asyncio
from time import monotonic_ns

from saint_services.lib.hw.ports import EdgeCallback
from tools.sim.pin_bank import PinBank

_TURN_S = 0.01  # a loop is called so often; the edges in between come with their own times


class WirePulses:
    """Reports the edges of one input until closed."""

    def __init__(self, bank: PinBank, pin: int, callback: EdgeCallback) -> None:
        self._bank = bank
        self._pin = pin
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._due_ns = 0.0  # the next rising edge; 0: no pulses
        self._timer = self._loop.call_later(_TURN_S, self._turn)

    def close(self) -> None:
        """Report no more."""
        self._timer.cancel()

    def _turn(self) -> None:
        self._timer = self._loop.call_later(_TURN_S, self._turn)
        pulse, now_ns = self._bank.pulse_on(self._pin), monotonic_ns()
        if pulse is None:
            self._due_ns = 0.0
            return
        width_us, period_us = pulse
        self._due_ns = self._due_ns or now_ns - _TURN_S * 1e9
        while self._due_ns + width_us * 1000 <= now_ns:
            self._callback(self._pin, True, round(self._due_ns))
            self._callback(self._pin, False, round(self._due_ns + width_us * 1000))
            self._due_ns += period_us * 1000
