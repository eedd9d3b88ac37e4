"""Moves a role's joints to their neutral position once after its start, slowly: only those without
a command, and only while there is a router. After an e-stop nothing moves without a command. Pure:
every call has its time.

A servo does not report its position. One that still has the pulse of the process before goes home
at a share of its rates; one without a pulse goes there at its own speed with its first pulse, so
these start one after the other.
"""

from ...role_config.model import Homing
from ..gate import CommandGate
from .joints import Joints

PERIOD_S = 0.05  # between calls of `look`


class Homecoming:
    """Moves the joints of one role home."""

    def __init__(self, settings: Homing, joints: Joints, gate: CommandGate) -> None:
        self._settings = settings
        self._joints = joints
        self._gate = gate
        self._since_s: float | None = None  # when the router appeared
        self._first_pulse_s = float("-inf")
        self._is_over = False

    def look(self, now_s: float) -> None:
        """Send home the joints that may go now; stop all when the router has gone."""
        # Judged for the time of the next look: no motion outlives the deadline.
        if self._gate.latched or not self._gate.is_alive(now_s + PERIOD_S):
            self._is_over |= self._gate.latched
            self._since_s = None
            if not self._joints.are_still:
                self._joints.hold()
            return
        if self._since_s is None:
            self._since_s = now_s
        if not self._is_over and now_s - self._since_s >= self._settings.wait_s:
            self._send(now_s)

    def _send(self, now_s: float) -> None:
        uncommanded = [each for each in self._joints.by_name.values() if not each.is_driven]
        found = [each for each in uncommanded if each.was_found]
        silent = [each for each in uncommanded if not each.was_found]
        if silent and now_s - self._first_pulse_s >= self._settings.stagger_s:
            found.append(silent[0])
            self._first_pulse_s = now_s
        for joint in found:
            self._joints.aim(joint, joint.neutral, self._settings.speed)
        if found:
            self._joints.set_off(now_s)
        self._is_over = len(found) == len(uncommanded)
