"""Who drives, and what of it counts: the mode in force, and the source that must be neutral before
it moves anything.
"""

from ..shared import tables as t
from ..shared.freshness import Freshness, Steadiness

_DEAD_BAND = 40  # thousandths: a stick is never exactly in the middle
NEUTRAL = 50
_OTHER_STICK = 300  # thousandths: so far apart, two transmitters lie in two places
_HOST_GAP_MS = 250
_HOST_STEADY_MS = 200
_MODES = (t.MODE_RC, t.MODE_ASSISTED, t.MODE_AUTONOMOUS)


def stick(pulse_us: int) -> int:
    """Return a stick in thousandths, 0 around the middle."""
    value = max(-1000, min(1000, (pulse_us - 1500) * 2))
    return 0 if abs(value) < _DEAD_BAND else value


def switch_mode(pulse_us: int) -> int:
    """Return the mode of the pilot's switch (CH6)."""
    if pulse_us < 1300:
        return t.MODE_RC
    return t.MODE_ASSISTED if pulse_us < 1700 else t.MODE_AUTONOMOUS


def speed_limit(pulse_us: int) -> float:
    """Return the share of the speed that the pilot's knob (CH7) allows."""
    return max(0.0, min(1.0, (pulse_us - 1000) / 1000))


class Pilot:
    """The channels that the IO board sends."""

    def __init__(self) -> None:
        self.channels = (1500,) * 4 + (1000,) * 12
        self.is_elrs = False
        self.must_release = False  # another transmitter took over, whose sticks stand elsewhere
        self._is_alive = False
        self._message = Freshness(t.LINK_HEARTBEAT_LIMIT_MS)
        # A frame of a receiver; the IO board needs RC_LOST_MS to change to the other one.
        self._frame = Freshness(t.RC_LOST_MS + t.RC_TAKEOVER_MS)

    def received(self, values: tuple, now_ms: int) -> None:
        """Note a message of the IO board."""
        channels, flags = values[:-1], values[-1]
        if not all(800 <= each <= 2200 for each in channels):
            return
        speed, steer, was_elrs = self.speed, self.steer, self.is_elrs
        self.channels = channels
        self.is_elrs = bool(flags & t.RC_FLAG_ELRS)
        apart = max(abs(self.speed - speed), abs(self.steer - steer))
        if self.is_elrs != was_elrs and apart > _OTHER_STICK:
            self.must_release = True
        if self.is_neutral:
            self.must_release = False
        self._is_alive = bool(flags & t.RC_FLAG_ALIVE)
        self._message.feed(now_ms)
        if flags & t.RC_FLAG_NEW and self._is_alive:
            self._frame.feed(now_ms)

    def is_alive(self, now_ms: int) -> bool:
        """Return whether a receiver lives."""
        return self._is_alive and self._message.is_fresh(now_ms) and self._frame.is_fresh(now_ms)

    @property
    def speed(self) -> int:
        return stick(self.channels[t.CHANNEL_SPEED])

    @property
    def steer(self) -> int:
        """Return the steering, left positive; the stick to the right is a longer pulse."""
        return -stick(self.channels[t.CHANNEL_STEER])

    @property
    def is_neutral(self) -> bool:
        return abs(self.speed) <= NEUTRAL and abs(self.steer) <= NEUTRAL


class Computer:
    """The drive commands of one sender: the computer on CAN, or the bench console."""

    def __init__(self) -> None:
        self.speed = self.steer = self.flags = 0
        self.mode = t.MODE_RC
        self._fresh = Freshness(t.HOST_SILENT_MS)
        self._steady = Steadiness(_HOST_GAP_MS, _HOST_STEADY_MS)

    def command(self, values: tuple, now_ms: int) -> None:
        """Note (speed, steer, mode, flags)."""
        self.speed, self.steer, mode, self.flags = values
        self.mode = mode if mode in _MODES else t.MODE_RC
        self._fresh.feed(now_ms)
        self._steady.feed(now_ms)

    def is_alive(self, now_ms: int) -> bool:
        return self._fresh.is_fresh(now_ms)

    def is_coming(self, now_ms: int) -> bool:
        """Return whether commands come without a gap."""
        return self._steady.is_fresh(now_ms)

    def is_steady(self, now_ms: int) -> bool:
        """Return whether commands have come long enough to begin driving."""
        return self._steady.is_steady(now_ms)

    @property
    def is_neutral(self) -> bool:
        return abs(self.speed) <= NEUTRAL and abs(self.steer) <= NEUTRAL


class Bench(Computer):
    """The console as a sender: one DRIVE counts as long as a silent computer does."""

    def is_coming(self, now_ms: int) -> bool:
        return self.is_alive(now_ms)

    def is_steady(self, now_ms: int) -> bool:
        return self.is_alive(now_ms)


class Sources:
    """The pilot, the computer and the bench; which one drives."""

    def __init__(self) -> None:
        self.pilot = Pilot()
        self.host = Computer()
        self.bench = Bench()
        self.mode = t.MODE_RC
        self._driver: object = None  # the source that may drive
        self._is_released = False  # it was neutral since it may

    def computer(self, now_ms: int) -> Computer:
        """Return the sender that counts: the bench only where no computer is."""
        if not self.host.is_alive(now_ms) and self.bench.is_alive(now_ms):
            return self.bench
        return self.host

    def _update_mode(self, now_ms: int) -> Computer:
        """Find the mode in force: the lower one of the pilot's switch and the computer's."""
        computer = self.computer(now_ms)
        wanted = computer.mode if computer.is_alive(now_ms) else t.MODE_RC
        self.mode = min(switch_mode(self.pilot.channels[t.CHANNEL_MODE]), wanted)
        return computer

    def command(self, now_ms: int, is_armed: bool) -> "tuple[int, int] | None":
        """Return speed and steer; None where nothing may drive: the wheels stop at once."""
        computer = self._update_mode(now_ms)
        driver: Pilot | Computer = self.pilot if self.mode == t.MODE_RC else computer
        may_drive = self.pilot.is_alive(now_ms) and is_armed
        is_steady = True
        if isinstance(driver, Computer):
            may_drive = may_drive and driver.is_coming(now_ms)
            is_steady = driver.is_steady(now_ms)
        before = self._driver
        is_other = driver is self.pilot and self.pilot.must_release
        if driver is not before or not may_drive or is_other:
            self._driver, self._is_released = driver, False
        if driver is not before and isinstance(before, Computer) and not before.is_alive(now_ms):
            return None  # its speed must not fade out
        if may_drive and driver.is_neutral:
            self._is_released = True
        return (driver.speed, driver.steer) if self._is_released and is_steady else None

    @property
    def may_brake(self) -> bool:
        """Return whether the driver wants brakes at rest."""
        driver = self._driver
        return not isinstance(driver, Computer) or bool(driver.flags & t.DRIVE_FLAG_BRAKE)

    def is_host_neutral(self, now_ms: int) -> bool:
        """Return whether the computer would not move anything now."""
        computer = self._update_mode(now_ms)
        return self.mode == t.MODE_RC or computer.is_neutral
