"""Answers what a person requests by the router: arm, disarm, gains. Any participant may disarm; the
other two need the router in control. Not here: the checks (prearm.py, gains.py).
"""

from collections.abc import Callable

from saint_services.lib.bus import Sample
from saint_services.lib.generated.saint_msgs import WagonReply, WagonRequest
from saint_services.lib.role.gate import CommandGate, Refusal
from saint_services.lib.role.timers import Clock
from saint_services.lib.wagon.can_frames import WagonGains

from .logic import WagonHost

_REFUSED = {
    Refusal.ESTOP: "the robot is stopped; clear the e-stop first",
    Refusal.STALE: "the request came too late",
    Refusal.OTHER_ROBOT: "the robot was changed, and this role has not followed yet",
}
_FOREIGN = "only the router in control may request this"
_NOT_ARMED = (
    "the board did not arm, and was disarmed: its own checks refused, or it is not reached; look "
    "at its display and at the CAN bus"
)


class WagonRequests:
    """One request at a time: a newer one takes the place of an arm that is still open."""

    def __init__(
        self,
        host: WagonHost,
        gate: CommandGate,
        clock: Clock,
        reply: Callable[[WagonReply], None],
    ) -> None:
        self._host = host
        self._gate = gate
        self._clock = clock
        self._reply = reply
        self._newest: tuple[str, int] | None = None
        self._arming: int | None = None  # the request that waits for the board

    def receive(self, sample: Sample[WagonRequest]) -> None:
        """Answer a request; an arm is answered by `look` once the board reports."""
        message, now_s = sample.message, self._clock.time()
        if self._newest == (sample.origin, message.id):
            return  # the sample again
        self._newest = sample.origin, message.id
        if message.action == "disarm":
            self._end_arming("another request disarmed the wagon")
            self._host.disarm(now_s)
            self._answer(message.id, True, "the wagon was disarmed")
        elif refusal := self._gate.refusal(sample.origin, sample.received_s, now_s):
            self._answer(message.id, False, _REFUSED.get(refusal, _FOREIGN))
        elif message.action == "arm":
            self._arm(message.id, now_s)
        elif message.action == "gains":
            gains = WagonGains(message.kp, message.ki, message.kd)
            refused = self._host.set_gains(gains, now_s)
            self._answer(message.id, not refused, refused or "the gains were set")
        else:
            self._answer(message.id, False, "the role does not know this request")

    def look(self, now_s: float) -> None:
        """Answer an arm once its outcome is known."""
        if self._arming is None or (is_armed := self._host.arming(now_s)) is None:
            return
        text = "the wagon is armed" if is_armed else _NOT_ARMED
        waiting, self._arming = self._arming, None
        self._answer(waiting, is_armed, text)

    def _arm(self, number: int, now_s: float) -> None:
        self._end_arming("another request to arm came")
        if refused := self._host.arm(now_s):
            self._answer(number, False, refused)
            return
        self._arming = number
        self.look(now_s)

    def _end_arming(self, text: str) -> None:
        waiting, self._arming = self._arming, None
        if waiting is not None:
            self._answer(waiting, False, text)

    def _answer(self, number: int, is_done: bool, text: str) -> None:
        self._reply(WagonReply(number, is_done, text))
