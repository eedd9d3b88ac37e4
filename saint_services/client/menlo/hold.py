"""Decides what the newest datagram of a program of menlo-sdk still commands. Pure: time comes in.

The SDK sends a posture once, and a velocity 10 times a second. A velocity lives 0.3 s after its
newest datagram, then the robot balances in place. A posture lives as long as the SDK is there:
until its port is closed, or 10 s after its newest datagram, for a computer that vanished says
nothing. Then the robot is damped, and nothing is commanded any more.
"""

from dataclasses import dataclass, field
from math import inf

from ...lib.walker.model import WalkCommand, WalkMode

VELOCITY_S = 0.3
POSTURE_S = 10.0
DAMPED_S = 0.5  # so long a request to damp is repeated; then others may command

_DAMP = WalkCommand(WalkMode.DAMP)
_HALF = 1 << 31


@dataclass(slots=True)
class SdkHold:
    """What one program commands."""

    posture_s: float = POSTURE_S
    overtaken: int = 0  # datagrams that were dropped
    _newest: WalkCommand | None = field(default=None)
    _at_s: float = -inf

    def received(self, command: WalkCommand, now_s: float) -> None:
        """Take a command; one that was overtaken by a newer is dropped. A program that was started
        again counts from one again.
        """
        if self._newest is not None and now_s - self._at_s < VELOCITY_S:
            behind = (self._newest.sequence - command.sequence) % (2 * _HALF)
            if behind < _HALF and command.mode is not WalkMode.DAMP:
                self.overtaken += 1
                return
        self._newest, self._at_s = command, now_s

    @property
    def sequence(self) -> int:
        """The sequence number of the newest command; 0: there was none."""
        return self._newest.sequence if self._newest else 0

    def gone(self, now_s: float) -> None:
        """Record that the program has ended: its port is closed."""
        if self._newest is not None and self._newest.mode is not WalkMode.DAMP:
            self._newest, self._at_s = _DAMP, now_s

    def command(self, now_s: float) -> WalkCommand | None:
        """Return what is commanded now; None: nothing."""
        newest, age_s = self._newest, now_s - self._at_s
        if newest is None:
            return None
        if newest.mode is WalkMode.DAMP:
            return newest if age_s <= DAMPED_S else None
        if age_s > self.posture_s:
            return _DAMP if age_s <= self.posture_s + DAMPED_S else None
        if newest.mode is WalkMode.STAND:
            return WalkCommand(WalkMode.STAND)
        is_moving = age_s <= VELOCITY_S and any((newest.vx, newest.vy, newest.vyaw))
        return newest if is_moving else WalkCommand(WalkMode.BALANCE)
