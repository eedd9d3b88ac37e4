"""Who may move a role's outputs, and until when: the controller, its heartbeat, the e-stop latch,
the deadline. Pure: every event brings its time. One mistake here moves a robot that should stand,
so in doubt the answer is no.
"""

import math
from collections import Counter
from enum import StrEnum


class Refusal(StrEnum):
    """Why a command was not obeyed; the names of the counters."""

    FOREIGN = "refused_foreign"  # not from the participant that sends the heartbeat
    SILENT = "refused_without_heartbeat"
    STALE = "refused_stale"  # it waited too long on its way to us
    ESTOP = "refused_estop"
    MALFORMED = "refused_malformed"  # not finite, or too many values


class Gate:
    """The safety state of one assignment.

    The latch is raised by anybody, for any reason. It is released by the router alone, when it
    says "not active" with a higher generation than the newest that we know, so an old or repeated
    message never releases. A new router that counts from the start again (its state is gone) has
    to stop and clear once.
    """

    __slots__ = (
        "_command_s",
        "_generation",
        "_heartbeat_s",
        "_router",
        "_sequence",
        "controller",
        "counters",
        "deadline_s",
        "latched",
    )

    def __init__(self, deadline_ms: int, counters: Counter[str] | None = None) -> None:
        self.deadline_s = deadline_ms / 1000
        self.counters: Counter[str] = Counter() if counters is None else counters
        self.controller: str | None = None
        self.latched = False
        self._heartbeat_s = -math.inf
        self._command_s = -math.inf
        self._sequence = -1
        self._generation = -1
        self._router = ""

    def heartbeat(
        self, origin: str, sequence: int, is_estop: bool, generation: int, now_s: float
    ) -> None:
        """The router lives. While one does, another's heartbeat does not take its place."""
        if self.is_alive(now_s):
            if origin != self.controller:
                self.counters["heartbeats_foreign"] += 1
                return
            if sequence <= self._sequence:
                self.counters["heartbeats_repeated"] += 1
                return
        elif origin == self.controller and sequence == self._sequence:
            self.counters["heartbeats_repeated"] += 1
            return
        self.controller = origin
        self._sequence = sequence
        self._heartbeat_s = now_s
        self._hear(is_estop, generation, origin)

    def estop(self, is_active: bool, generation: int, origin: str) -> None:
        """The e-stop topic. Anybody may stop the robot; only the router releases it."""
        if self.controller in (None, "", origin):
            self._hear(is_active, generation, origin)
        elif is_active:
            self.latched = True
            self.counters["estops_foreign"] += 1
        else:
            self.counters["releases_foreign"] += 1

    def trip(self) -> None:
        """Stop for a reason of our own."""
        self.latched = True

    def refusal(self, origin: str, received_s: float, now_s: float) -> Refusal | None:
        """Why a command may not be obeyed; None when it may."""
        if self.latched:
            return Refusal.ESTOP
        if not self.is_alive(now_s):
            return Refusal.SILENT
        # "" is a backend that names nobody; beside a named controller it is somebody who has gone.
        if self.controller and origin != self.controller:
            return Refusal.FOREIGN
        if now_s - received_s > self.deadline_s:
            return Refusal.STALE
        return None

    def accepted(self, received_s: float) -> None:
        """A command was obeyed."""
        self._command_s = received_s

    def is_alive(self, now_s: float) -> bool:
        """True while the newest heartbeat is younger than the deadline."""
        return now_s - self._heartbeat_s < self.deadline_s

    def expiry_s(self) -> float:
        """When motion ends unless a fresh command and a fresh heartbeat come before."""
        return min(self._command_s, self._heartbeat_s) + self.deadline_s

    def _hear(self, is_active: bool, generation: int, origin: str) -> None:
        if origin == self._router and generation < self._generation:
            return  # overtaken on its way by a newer one
        if is_active:
            self.latched = True
        elif generation > self._generation:
            self.latched = False
        self._generation, self._router = generation, origin
