"""Decides what the wagon's BALANCE board is sent, and when. Pure: time comes in as an argument, and
`send` puts a message on the bus. What moves here breaks bones: in doubt a drive frame says 0, or
none is sent. Not here: what the board reports (board_view.py), the checks before arming
(prearm.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Final

from saint_services.lib.limits import clamp
from saint_services.lib.wagon.can_frames import (
    FULL_SPEED,
    WagonArm,
    WagonDrive,
    WagonEstop,
    WagonGains,
)
from saint_services.lib.wagon.meanings import (
    DRIVE_PERIOD_MS,
    FULL_SPEED_MPS,
    FULL_TURN_RADPS,
    WagonDriveFlag,
    WagonMode,
    WagonState,
)

from .board_view import BoardView
from .gains import GainSteps
from .prearm import SILENT, STATE_TEXTS, preventing

REPEAT_S: Final = DRIVE_PERIOD_MS / 1000
FRESH_S: Final = 0.25  # the session ends a command earlier, by its deadline
RESTING_S: Final = 0.2  # rest, a stop and a disarm are repeated for so long: a frame may be lost
ARM_S: Final = 0.5  # for the board to report that it is armed
_EARLY_S = 0.002  # a tick may come so much early

Message = WagonDrive | WagonArm | WagonGains | WagonEstop


@dataclass(slots=True)
class WagonHost:
    """The host of one board. Call `step` every REPEAT_S."""

    send: Callable[[Message], object]
    mode: WagonMode = WagonMode.AUTONOMOUS
    flags: WagonDriveFlag = WagonDriveFlag.BRAKE
    board: BoardView = field(default_factory=BoardView)
    gains: GainSteps = field(default_factory=GainSteps)
    is_stopped: bool = False  # the e-stop of the robot is active
    sent: tuple[int, int] = (0, 0)  # speed and steer of the last drive frame
    _is_commanded: bool = False  # a source is alive
    _is_motion: bool = False  # and commands one
    _command_s: float = -inf
    _wanted: tuple[int, int] = (0, 0)  # for as long as its motion counts
    _must_release: bool = False
    _sent_s: float = -inf
    _rest_until_s: float = -inf
    _stop_until_s: float = -inf
    _disarm_until_s: float = -inf
    _arm_until_s: float = -inf

    def received(self, message: object, now_s: float) -> None:
        """Follow a report of the board; a motion that is no longer allowed ends with it."""
        self.board.received(message, now_s)
        if self.is_stopped:
            if self.board.is_armed(now_s) and now_s >= self._stop_until_s:
                self._stop(now_s)  # the pilot has armed during the stop
        elif self.sent != (0, 0) and not self.may_move(now_s):
            self._drive(now_s)

    def renew(self, now_s: float, *, is_motion: bool) -> None:
        """Record a fresh command of a living source; `drive` says how fast it moves the wagon."""
        is_new = now_s - self._command_s > FRESH_S
        self._command_s = now_s
        if self.is_stopped:
            return
        if is_new:  # nobody holds it since before
            self._must_release = False
        self._is_commanded, self._is_motion = True, is_motion
        self._follow_release(now_s)

    def drive(self, linear_mps: float, angular_radps: float, now_s: float) -> None:
        """Set the speeds, and send them at once where they changed or are due."""
        self._wanted = share(linear_mps, FULL_SPEED_MPS), share(angular_radps, FULL_TURN_RADPS)
        if self.is_stopped or not self._is_commanded:
            return
        if self._allowed(now_s) != self.sent or self._is_due(now_s):
            self._drive(now_s)

    def rest(self, now_s: float) -> None:
        """End the motion: no source is alive. The board receives 0 for RESTING_S, then nothing."""
        had_source, self._is_commanded = self._is_commanded, False
        self._wanted = (0, 0)
        self._must_release = False
        if self.is_stopped or not (had_source or self.sent != (0, 0)):
            return
        self._rest_until_s = now_s + RESTING_S
        self._drive(now_s)

    def stop(self, now_s: float) -> None:
        """Stop for the e-stop: nothing but stops is sent until `clear`."""
        if not self.is_stopped:
            self.is_stopped = True
            self._stop(now_s)

    def clear(self) -> None:
        """End the e-stop. Nothing is sent: the board stays stopped until a person disarms it."""
        self.is_stopped = False
        self._must_release = True

    def prevents(self, now_s: float) -> tuple[str, ...]:
        """Return what prevents arming."""
        is_commanded = self._is_fresh(now_s) and self._is_motion
        return preventing(self.board, now_s, is_stopped=self.is_stopped, is_commanded=is_commanded)

    def arm(self, now_s: float) -> str:
        """Arm for a person. Returns why not, or "": then `arming` says what became of it."""
        if found := self.prevents(now_s):
            return "; ".join(found)
        self._disarm_until_s = -inf
        self._arm_until_s = now_s + ARM_S
        if not self.board.is_armed(now_s):
            self.send(WagonArm(True))
        return ""

    def arming(self, now_s: float) -> bool | None:
        """Return whether the board armed; None while that is open. A board that did not arm in time
        is disarmed: an arm that comes late would surprise."""
        if self.board.is_armed(now_s) and not self.is_stopped:
            self._arm_until_s = -inf
            return True
        if now_s < self._arm_until_s and not self.is_stopped:
            return None
        if self._arm_until_s > -inf:
            self.disarm(now_s)
        return False

    def disarm(self, now_s: float) -> None:
        """Disarm, always; during an e-stop the stop is sent again, which disarms too."""
        self._arm_until_s = -inf
        self._forget_source()
        self._must_release = True
        if self.is_stopped:
            self._stop(now_s)
            return
        self._disarm_until_s = now_s + RESTING_S
        self.send(WagonArm(False))

    def set_gains(self, wanted: WagonGains, now_s: float) -> str:
        """Set the gains. Returns why not, or ""."""
        if self.is_stopped:
            return "the robot is stopped; clear the e-stop first"
        if self.board.attitude(now_s) is None:
            return SILENT
        # A state that is not known may be armed.
        is_armed = self.board.state(now_s) in (None, WagonState.ARMED)
        if refusal := self.gains.refusal(wanted, now_s, is_armed=is_armed):
            return refusal
        self.gains.accept(wanted, now_s)
        self.send(wanted)
        return ""

    def step(self, now_s: float) -> None:
        """Repeat what is in force, every REPEAT_S."""
        if self.is_stopped:
            if now_s < self._stop_until_s or self.board.is_armed(now_s):
                self.send(WagonEstop())
            return
        if now_s < self._disarm_until_s:
            self.send(WagonArm(False))
        if self._is_commanded and not self._is_fresh(now_s):
            self.rest(now_s)
        elif (self._is_commanded or now_s < self._rest_until_s) and self._is_due(now_s):
            self._drive(now_s)

    def is_at_rest(self, now_s: float) -> bool:
        """Return whether nothing can move the wheels: the last drive frame said 0, and the board is
        not armed. A board that is silent counts as disarmed; that is reported beside."""
        return self.sent == (0, 0) and not self.board.is_armed(now_s)

    def why(self, now_s: float) -> str:
        """Return why commands of the computer do not count, or ""."""
        if self.is_stopped:
            return "the robot is stopped"
        flags = self.board.flags(now_s)
        if flags is None:
            return SILENT
        state = self.board.state(now_s)
        if state is not WagonState.ARMED:
            return STATE_TEXTS[state] if state is not None else "the board's state is not known"
        if flags.mode is WagonMode.RC:
            if flags.is_host_alive:
                return "the pilot drives: the transmitter's mode switch is at RC"
            return "the pilot drives until a source of the computer commands"
        if self._must_release:
            return "the source commanded a motion before it counted; release the stick first"
        return ""

    def may_move(self, now_s: float) -> bool:
        """Return whether the motion that a source commands counts now."""
        return (
            not self.is_stopped
            and self._is_fresh(now_s)
            and not self._must_release
            and now_s >= self._disarm_until_s
            and self.board.is_armed(now_s)
            and self.board.is_host_driving(now_s)
        )

    def _is_fresh(self, now_s: float) -> bool:
        return self._is_commanded and 0.0 <= now_s - self._command_s <= FRESH_S

    def _is_due(self, now_s: float) -> bool:
        return now_s - self._sent_s >= REPEAT_S - _EARLY_S

    def _follow_release(self, now_s: float) -> None:
        """A source that commands a motion before it counts has to return to 0 first: it must not
        start the wagon by a held stick when a person arms it or turns the mode switch."""
        if not self._is_motion:
            self._must_release = False
            return
        flags = self.board.flags(now_s)
        is_pilots = flags is not None and flags.mode is WagonMode.RC and flags.is_host_alive
        if is_pilots or not self.board.is_armed(now_s):
            self._must_release = True

    def _allowed(self, now_s: float) -> tuple[int, int]:
        return self._wanted if self.may_move(now_s) else (0, 0)

    def _forget_source(self) -> None:
        self._is_commanded, self._wanted, self.sent = False, (0, 0), (0, 0)
        self._rest_until_s = -inf

    def _drive(self, now_s: float) -> None:
        self.sent = self._allowed(now_s)
        self._sent_s = now_s
        self.send(WagonDrive(*self.sent, self.mode, self.flags))

    def _stop(self, now_s: float) -> None:
        self._forget_source()
        self._disarm_until_s = self._arm_until_s = -inf
        self._stop_until_s = now_s + RESTING_S
        self.send(WagonEstop())


def share(value: float, full: float) -> int:
    """Return a speed in thousandths of the full one; NaN is no motion."""
    return round(clamp(value / full, -1.0, 1.0) * FULL_SPEED) if value == value else 0
