"""State of one remote slave: which commands it has acknowledged, how late, what it reports. Pure:
time comes in as an argument. Each slave has its own, so that one that fails delays no other.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .messages import MessageKey

SlaveHealth = Literal["waiting", "following", "slow", "failed"]

ACK_LIMIT_S = 1.0  # an older command that is not acknowledged: the slave is slow
SILENT_S = 3.0  # of the seed: a slave that says nothing for so long has failed
SLOW_PERIOD_S = 0.5  # between commands to a slow slave: it gets the newest, never a queue
MOST_OPEN = 64
FAR_SHARE = 0.25  # of a joint's range, between command and report
FAR_FOR_S = 3.0  # for so long: what it reports cannot be the pose that it was commanded


@dataclass(slots=True)
class SlaveTracker:
    """What is known of one slave."""

    began_s: float
    acknowledges: bool = False  # it has acknowledged a command
    delay_ms: float | None = None  # there and back, of the newest acknowledged command
    sent: int = 0
    left_out: int = 0
    error: str = ""
    joints: Mapping[str, float] = field(default_factory=dict)
    _open: "OrderedDict[MessageKey, float]" = field(default_factory=OrderedDict)
    _received_s: float | None = None
    _sent_s: float = float("-inf")
    _far_since_s: float | None = None
    _far: str = ""

    def may_send(self, now_s: float) -> bool:
        """Return whether it gets a command now; a slow or failed one gets few."""
        if self.health(now_s) in ("slow", "failed") and now_s - self._sent_s < SLOW_PERIOD_S:
            self.left_out += 1
            return False
        return True

    def command(self, key: MessageKey, now_s: float) -> None:
        """Note a command that is sent."""
        self._open[key] = now_s
        while len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        self._sent_s = now_s
        self.sent += 1

    def note_message(self, now_s: float) -> None:
        """Note that the slave has sent something."""
        self._received_s = now_s

    def acknowledge(self, key: MessageKey | None, now_s: float) -> None:
        """Note an acknowledgement; without an id it is that of the oldest command."""
        self.acknowledges = True
        self.note_message(now_s)
        if key is None and self._open:
            key = next(iter(self._open))
        if key is None or key not in self._open:
            return
        self.delay_ms = round(1000 * (now_s - self._open[key]), 1)
        while self._open:  # commands before it will not be acknowledged any more
            found, _ = self._open.popitem(last=False)
            if found == key:
                break
        self.error = ""

    def report(
        self,
        joints: Mapping[str, float],
        commanded: Mapping[str, float],
        ranges: Mapping[str, float],
        now_s: float,
    ) -> None:
        """Note the joints that it reports, to be compared with those that were commanded."""
        self.note_message(now_s)
        self.joints = joints
        far = [
            name
            for name, value in joints.items()
            if name in commanded
            and abs(value - commanded[name]) > FAR_SHARE * ranges.get(name, float("inf"))
        ]
        if not far:
            self._far_since_s = None
        elif self._far_since_s is None:
            self._far_since_s = now_s
        is_long = self._far_since_s is not None and now_s - self._far_since_s > FAR_FOR_S
        self._far = (
            f"it reports {', '.join(far)} far from where it was commanded" if is_long else ""
        )

    def fail(self, text: str, now_s: float) -> None:
        """Note an error that it reports, or that its messages have."""
        self.note_message(now_s)
        self.error = "".join(c if c.isprintable() else " " for c in text[:200])

    def health(self, now_s: float) -> SlaveHealth:
        """Return how it follows."""
        newest_s = self.began_s if self._received_s is None else self._received_s
        if (
            self.error
            or self._far
            or (self.sent and now_s - max(newest_s, self.began_s) > SILENT_S)
        ):
            return "failed"
        if not self.sent:
            return "waiting"
        oldest_s = next(iter(self._open.values()), now_s)
        if self.acknowledges and now_s - oldest_s > ACK_LIMIT_S:
            return "slow"
        return "following"

    def problem(self, now_s: float) -> str:
        """Return why it does not follow; empty: it does."""
        health = self.health(now_s)
        if health == "failed":
            return self.error or self._far or f"no message came for {SILENT_S:g} s"
        if health == "slow":
            return f"a command is not acknowledged after {ACK_LIMIT_S:g} s"
        return ""
