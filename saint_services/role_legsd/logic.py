"""Decides the mode of a walking robot: what was requested, what the controller reports, what is
commanded, and why a request is refused. Pure: every event carries its time. A mistake here makes a
robot fall, or walk without its operator, so in doubt it is damped.

The operator holds the mode: a request counts as long as it is repeated, and its end is a request to
damp. Modes rise one after the other (damp, stand, balance, move), each when the controller has
reported the one before, upright, for its time. They fall at once. After a stop, a fault or a loss
nothing rises before the operator has requested to damp.
"""

from dataclasses import dataclass
from typing import Final

from saint_services.lib.walker.alerts import alert_text, flag_texts
from saint_services.lib.walker.model import WalkCommand, WalkMode, WalkState

_TOLERANCE: Final = 0.01  # of a requested number: a cross-fade passes through others
_OBEY_S: Final = 0.5  # for the controller to report what is commanded
_RISING: Final = (WalkMode.DAMP, WalkMode.STAND, WalkMode.BALANCE, WalkMode.MOVE)
# What a controller may report while it is commanded to do this: to balance is to move with a
# velocity of zero where a protocol has no mode for it.
_REPORTED: Final = {
    WalkMode.DAMP: (WalkMode.DAMP, WalkMode.FAULT),
    WalkMode.STAND: (WalkMode.STAND,),
    WalkMode.BALANCE: (WalkMode.BALANCE, WalkMode.MOVE),
    WalkMode.MOVE: (WalkMode.MOVE,),
}
DAMP_FIRST: Final = "request damp first: the robot was stopped, or has fallen"
_LIE: Final = "the robot sits down or falls"


@dataclass(frozen=True, slots=True)
class Times:
    """How long each mode lasts at least before the next one, and how old a report may be."""

    stand_s: float = 2.0
    settle_s: float = 0.5
    report_s: float = 0.25


def requested_mode(number: float) -> WalkMode:
    """Return the mode that a held number requests. Between two numbers it is the lower one; what is
    no number, or none of a mode, requests to damp."""
    if not -_TOLERANCE <= number <= WalkMode.MOVE + _TOLERANCE:
        return WalkMode.DAMP
    return WalkMode(int(number + _TOLERANCE))


class WalkMachine:
    """The modes of one controller. `mode` is commanded; `reason`, why what was requested is not."""

    def __init__(self, times: Times) -> None:
        self.mode = WalkMode.DAMP
        self.requested = WalkMode.DAMP
        self.reason = ""
        self.fault = ""  # why the machine is in fault; empty: it is not
        self._times = times
        self._state: WalkState | None = None
        self._state_s = float("-inf")
        self._since_s = float("-inf")  # of the mode
        self._steady_s = float("inf")  # since when the controller has reported it, upright
        self._needs_damp = True  # the operator has to request to damp before anything rises
        self.velocity = (0.0, 0.0, 0.0)  # counts in move alone

    def report(self, state: WalkState, now_s: float) -> None:
        """Accept a report of the controller."""
        self._state, self._state_s = state, now_s
        is_steady = state.mode in _REPORTED[self.mode] and state.is_upright
        if not is_steady or self.mode is WalkMode.DAMP:
            self._steady_s = float("inf")
        elif self._steady_s == float("inf"):
            self._steady_s = now_s
        self.advance(now_s)

    def request(self, number: float, now_s: float) -> None:
        """Accept the held request of the operator."""
        self.requested = requested_mode(number)
        if self.requested is WalkMode.DAMP:
            self._needs_damp = False
        self.advance(now_s)

    def stop(self, why: str, now_s: float) -> None:
        """Damp at once: an e-stop, or the operator is gone."""
        if self.mode is not WalkMode.DAMP:
            self.reason = f"{why}: {_LIE}"
        self._needs_damp = True
        self.requested = WalkMode.DAMP
        self._enter(WalkMode.DAMP, now_s)

    def advance(self, now_s: float) -> None:
        """Judge the newest report and request."""
        if problem := self._problem(now_s):
            self._fail(problem, now_s)
            return
        if self.fault:
            if self.requested is not WalkMode.DAMP:
                self.reason = f"request damp first: {self.fault}"
                return
            self.fault = self.reason = ""
        self._follow(now_s)

    def command(self, now_s: float) -> WalkCommand:
        """Return what to send now; without sequence and time."""
        self.advance(now_s)
        if self.mode is not WalkMode.MOVE:
            return WalkCommand(self.mode)
        return WalkCommand(self.mode, *self.velocity)

    @property
    def shown(self) -> str:
        """The mode by name, "fault" included."""
        return "fault" if self.fault else self.mode.name.lower()

    def _problem(self, now_s: float) -> str:
        """Return why nothing but damping is allowed; empty when something is."""
        state = self._state
        if state is None or now_s - self._state_s > self._times.report_s:
            return "the controller does not report"
        if state.critical:
            return alert_text(state.critical[0])
        if state.error_flags:
            return flag_texts(state.error_flags)[0]
        if state.mode is WalkMode.FAULT:
            return "the controller is damped by a fault"
        if state.mode is WalkMode.IMITATION:
            return "the controller plays a recorded motion back"
        if state.is_emergency and self.mode is not WalkMode.DAMP:
            return "the controller reports an emergency stop"
        return self._disobeyed(state, now_s)

    def _disobeyed(self, state: WalkState, now_s: float) -> str:
        """Return that the controller does something else than what is commanded."""
        if self.mode is WalkMode.DAMP:
            return ""  # another commander: the stream of commands to damp ends it
        if now_s - self._since_s > _OBEY_S and state.mode not in _REPORTED[self.mode]:
            is_damped = state.mode is WalkMode.DAMP
            does = "has damped itself" if is_damped else f"reports {state.mode.name.lower()}"
            return f"the controller {does} during {self.mode.name.lower()}"
        if self.mode > WalkMode.STAND and not state.is_upright:
            return "the robot leans by more than 45 degrees"
        return ""

    def _fail(self, problem: str, now_s: float) -> None:
        if self.mode is not WalkMode.DAMP or self.requested is not WalkMode.DAMP:
            self._needs_damp = True
        self.fault = self.reason = problem
        self._enter(WalkMode.DAMP, now_s)

    def _follow(self, now_s: float) -> None:
        if self.requested <= self.mode:
            if self.requested < self.mode:
                self._enter(self.requested, now_s)
            if not self._needs_damp:
                self.reason = ""
            return
        self.reason = self._obstacle(now_s)
        if not self.reason:
            self._enter(_RISING[self.mode + 1], now_s)
            if self.requested > self.mode:
                self.reason = self._obstacle(now_s)

    def _obstacle(self, now_s: float) -> str:
        """Return why the next mode cannot be entered yet; empty when it can."""
        if self._needs_damp:
            return DAMP_FIRST
        if self.mode is WalkMode.DAMP:
            name = self.requested.name.lower()
            is_next = self.requested is WalkMode.STAND
            return "" if is_next else f"request stand before {name}: the robot lies or sits"
        wait_s = self._times.settle_s
        if self.mode is WalkMode.STAND:
            wait_s += self._times.stand_s
        if self._steady_s == float("inf"):
            return f"the controller does not report {self.mode.name.lower()}, upright, yet"
        left_s = self._steady_s + wait_s - now_s
        if left_s > 0.0:
            doing = "standing up" if self.mode is WalkMode.STAND else "balancing"
            return f"still {doing}: {left_s:.1f} s"
        return ""

    def _enter(self, mode: WalkMode, now_s: float) -> None:
        if mode is self.mode:
            return
        self.mode, self._since_s, self._steady_s = mode, now_s, float("inf")
