"""Whether the motors may turn. Every stop leads away from ARMED at once; only a deliberate act
leads there.
"""

from ..shared import tables as t

DISARM, ARM, BETWEEN = 0, 1, 2  # positions of the arm switch


def switch_position(pulse_us: int) -> int:
    """Return the position of the arm switch (CH5)."""
    if pulse_us < t.DISARM_BELOW_US:
        return DISARM
    return ARM if pulse_us > t.ARM_ABOVE_US else BETWEEN


class Conditions:
    """What arming depends on. A new one is doubtful in everything."""

    def __init__(self) -> None:
        self.is_rc_alive = False
        self.switch = BETWEEN
        self.is_elrs = False  # the receiver whose switch that is
        self.is_level = False
        self.is_settled = False  # it has been level for a while
        self.is_neutral = False  # the pilot's sticks
        self.is_host_neutral = False  # or the computer does not drive
        self.fault = t.FAULT_INTERNAL

    @property
    def has_fault(self) -> bool:
        """Return whether there is a fault, not only a warning."""
        return self.fault != t.FAULT_NONE and self.fault < t.FIRST_WARNING


class Arming:
    """The state of the drive (STATE_...)."""

    def __init__(self) -> None:
        self.state = t.STATE_DISARMED
        self.must_cycle = True  # the arm switch must be seen at DISARM first
        self._switch = BETWEEN  # the last position that was one
        self._is_elrs = False  # of which receiver
        self._now = Conditions()

    @property
    def is_armed(self) -> bool:
        return self.state == t.STATE_ARMED

    def estop(self) -> None:
        """Stop now."""
        self.state = t.STATE_ESTOP

    def prevents(self) -> "list[str]":
        """Return what prevents arming, by name."""
        now, found = self._now, []
        if self.state not in (t.STATE_DISARMED, t.STATE_ARMED):
            found.append("state")
        if now.has_fault:
            found.append("fault")
        if not (now.is_level and now.is_settled):
            found.append("tilt")
        if not now.is_rc_alive:
            found.append("rc")
        if not now.is_neutral:
            found.append("stick")
        if not now.is_host_neutral:
            found.append("host")
        if self.must_cycle:
            found.append("cycle")
        elif now.switch != ARM:
            found.append("switch")
        return found

    def update(self, now: Conditions) -> None:
        """Follow the conditions: stops first, then the switch."""
        self._now = now
        self._stop(now)
        self._follow_receiver(now)
        before = self._switch
        if not now.is_rc_alive:
            self._switch = BETWEEN
            return
        if now.switch != BETWEEN:
            self._switch = now.switch
        if now.switch == DISARM:
            self.must_cycle = False
            # A switch that rests at DISARM is no act: it must not end a stop command.
            if self.state != t.STATE_ESTOP or before == ARM:
                self.disarm()
        elif now.switch == BETWEEN:
            if self.is_armed:
                self.state = t.STATE_DISARMED
        elif before == DISARM:
            self.arm()

    def _follow_receiver(self, now: Conditions) -> None:
        """Forget the switch where another receiver took over: the switch of a second transmitter
        stands elsewhere, and nobody has moved it.
        """
        if now.is_elrs != self._is_elrs:
            self._is_elrs, self._switch = now.is_elrs, BETWEEN
            if not self.is_armed:
                self.must_cycle = True

    def _stop(self, now: Conditions) -> None:
        if not now.is_rc_alive:
            self.must_cycle = True
        if not now.is_level and self.state in (t.STATE_ARMED, t.STATE_DISARMED):
            self.state = t.STATE_TILT
        elif self.is_armed and now.has_fault:
            self.state = t.STATE_FAULT
        elif self.is_armed and not now.is_rc_alive:
            self.state = t.STATE_FAILSAFE

    def arm(self) -> bool:
        """Arm if nothing prevents it; return whether the motors are armed. The caller has an act of
        a person: the switch moved to ARM, or a command to arm.
        """
        if not self.prevents():
            self.state = t.STATE_ARMED
        return self.is_armed

    def disarm(self) -> None:
        """Disarm; from a stop too, once its cause is gone."""
        gone = {
            t.STATE_TILT: self._now.is_level,
            t.STATE_FAILSAFE: self._now.is_rc_alive,
            t.STATE_FAULT: not self._now.has_fault,
        }
        if gone.get(self.state, True):
            self.state = t.STATE_DISARMED
