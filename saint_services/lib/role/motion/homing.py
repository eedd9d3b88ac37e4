"""A role's joints go to their neutral position by themselves: once after its start, slowly, and
only those that nobody commands while a router is there. After an e-stop nothing moves that was not
commanded. Pure: time comes in.

A servo tells nothing about where it is. One that still has the pulse of the process before goes
home at a share of its rates; one without a pulse goes there at its own speed when it gets its
first, so these are woken one after the other.
"""

from ...role_config.model import Homing
from ..gate import Gate
from .joints import Joints

PERIOD_S = 0.05  # how often `look` wants to be called


class Homecoming:
    """Watches for the time to go home."""

    def __init__(self, settings: Homing, joints: Joints, gate: Gate) -> None:
        self._settings = settings
        self._joints = joints
        self._gate = gate
        self._since_s: float | None = None  # the router has been there since
        self._woken_s = float("-inf")
        self._is_over = False

    def look(self, now_s: float) -> None:
        """Send home whoever may go now; stop everything when the router has gone."""
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
        sleepers = [each for each in self._joints.by_name.values() if not each.is_driven]
        found = [each for each in sleepers if each.was_found]
        silent = [each for each in sleepers if not each.was_found]
        if silent and now_s - self._woken_s >= self._settings.stagger_s:
            found.append(silent[0])
            self._woken_s = now_s
        for joint in found:
            self._joints.aim(joint, joint.neutral, self._settings.speed)
        if found:
            self._joints.set_off(now_s)
        self._is_over = len(found) == len(sleepers)
