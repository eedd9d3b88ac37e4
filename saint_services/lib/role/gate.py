"""Decides which commands move a role's outputs, and until when: the proven router, its heartbeat,
the e-stop latch, the deadline. Pure: every event carries its time. A mistake here moves a robot
that should stand still, so in doubt a command is refused.
"""

import math
from collections import Counter
from collections.abc import Collection
from enum import StrEnum

OTHER_ROBOT = (
    "the robot was changed, and its router has other limits or outputs for this role: nothing "
    "moves until the role has them too, which is when its node reaches its server"
)
_MOST_PROVEN = 16  # routers that are stored; the oldest terms are dropped first
_MOST_PRESSED = 8  # participants whose press is stored by name
_OTHERS = "others"  # never a participant's name


class Refusal(StrEnum):
    """Why a command was refused; the values are the names of the counters."""

    FOREIGN = "refused_foreign"  # not from the participant that sends the heartbeat
    SILENT = "refused_without_heartbeat"
    STALE = "refused_stale"  # older than the deadline
    ESTOP = "refused_estop"
    MALFORMED = "refused_malformed"  # not finite, or too many values
    OTHER_ROBOT = "refused_other_robot"  # the router has other outputs for this role


class CommandGate:
    """The safety state of one assignment.

    Only a router that the node's server has signed for (`prove`) is a controller. Its term rises
    with every start of a router: once a newer one was in control or has stopped this role, an older
    one is never obeyed again.

    Any participant raises the latch, for any reason. The controller alone clears the latch, in
    two steps: after the newest press it reports "active" with a generation that is newer than the
    press, then "not active" with a higher one. So an old or repeated message never clears, and
    neither does a router that may not have received the press: it has to stop and clear once.
    """

    __slots__ = (
        "_command_s",
        "_floor",
        "_generation",
        "_heartbeat_s",
        "_mark",
        "_pressed_by",
        "_proven",
        "_seen_from",
        "_sequence",
        "controller",
        "counters",
        "deadline_s",
        "has_other_robot",
        "latched",
    )

    def __init__(
        self, deadline_ms: int, counters: Counter[str] | None = None, mark: int = 0
    ) -> None:
        self.deadline_s = deadline_ms / 1000
        self.counters: Counter[str] = Counter() if counters is None else counters
        self.controller: str | None = None
        self.latched = False
        self._mark = mark  # of the outputs as the role has them; 0: any router may drive them
        self.has_other_robot = False  # the controller has other outputs for this role
        self._proven: dict[str, int] = {}  # participant -> term
        self._floor = 0  # terms below it are superseded
        self._heartbeat_s = -math.inf
        self._command_s = -math.inf
        self._sequence = -1
        self._generation: int = -1  # the controller's newest
        # The lowest generation of an "active" which proves that the controller knows the press; -1:
        # that is proven; inf: a new controller has not reported its generation yet.
        self._seen_from: float = 0
        self._pressed_by: set[str] = set()  # participants whose press the controller may not know

    @property
    def generation(self) -> int:
        """The newest generation of the controller's latch; 0 before its first report."""
        return max(0, self._generation)

    @property
    def is_press_known(self) -> bool:
        """True when the controller has proven that it knows the press that stopped this role."""
        return self._seen_from < 0

    def prove(self, origin: str, term: int) -> None:
        """Accept a participant as a router; the caller has checked the server's signature."""
        self._proven[origin] = max(term, self._proven.get(origin, 0))
        if len(self._proven) > _MOST_PROVEN:
            others = [each for each in self._proven if each != self.controller]
            del self._proven[min(others, key=self._proven.__getitem__)]

    def is_proven(self, origin: str) -> bool:
        """Return whether this is a router of the node's server that no newer one supersedes."""
        return self._proven.get(origin, -1) >= self._floor

    def heartbeat(
        self,
        origin: str,
        sequence: int,
        is_estop: bool,
        generation: int,
        now_s: float,
        marks: Collection[int] = (),
    ) -> None:
        """Record a router's heartbeat; no other router replaces a controller that is alive.
        `marks`: of the outputs that it drives; an older release names none.
        """
        if not self.is_proven(origin):
            self.counters["heartbeats_unproven"] += 1
            return
        if self.is_alive(now_s) and origin != self.controller:
            self.counters["heartbeats_foreign"] += 1
            if is_estop:
                self._press(origin)
            return
        if origin == self.controller and (
            sequence == self._sequence or (self.is_alive(now_s) and sequence < self._sequence)
        ):
            self.counters["heartbeats_repeated"] += 1
            return
        if origin != self.controller:
            self._follow(origin)
        self._sequence = sequence
        self._heartbeat_s = now_s
        self.has_other_robot = bool(self._mark and marks) and self._mark not in marks
        self._accept(is_estop, generation)

    def estop(self, is_active: bool, generation: int, origin: str) -> None:
        """Obey the e-stop topic: any participant stops, the controller alone clears."""
        if origin == self.controller and self.is_proven(origin):
            self._accept(is_active, generation)
        elif is_active:
            self.counters["estops_foreign"] += 1
            self._press(origin)
        else:
            self.counters["releases_foreign"] += 1

    def trip(self) -> None:
        """Stop for a reason of this role; the router is notified and presses too."""
        if not self.latched:
            self._press(_OTHERS)

    def refusal(self, origin: str, received_s: float, now_s: float) -> Refusal | None:
        """Return why a command is refused; None when it is to be obeyed."""
        if self.latched:
            return Refusal.ESTOP
        if not self.is_alive(now_s):
            return Refusal.SILENT
        if origin != self.controller:
            return Refusal.FOREIGN
        if self.has_other_robot:
            return Refusal.OTHER_ROBOT
        if now_s - received_s > self.deadline_s:
            return Refusal.STALE
        return None

    def accepted(self, received_s: float) -> None:
        """Record that a command was obeyed."""
        self._command_s = received_s

    def is_alive(self, now_s: float) -> bool:
        """True while the newest heartbeat is younger than the deadline."""
        return now_s - self._heartbeat_s < self.deadline_s

    @property
    def alive_until_s(self) -> float:
        """When the controller counts as gone, unless another heartbeat arrives before."""
        return self._heartbeat_s + self.deadline_s

    def expiry_s(self) -> float:
        """Return when motion ends unless a fresh command and a fresh heartbeat arrive before."""
        return min(self._command_s, self._heartbeat_s) + self.deadline_s

    def _follow(self, origin: str) -> None:
        """Make another router the controller; what the one before has proven does not count."""
        self.controller = origin
        self._floor = self._proven[origin]
        self._generation = -1
        is_unknown = self.latched and bool(self._pressed_by - {origin})
        self._seen_from = math.inf if is_unknown else 0

    def _press(self, origin: str) -> None:
        """Stop by a press that the controller may not know: its next "active" has to be newer."""
        self.latched = True
        self._seen_from = self._generation + 1
        is_full = len(self._pressed_by) >= _MOST_PRESSED
        self._pressed_by.add(_OTHERS if is_full else origin)
        if self._proven.get(origin, 0) > self._floor:
            self._floor = self._proven[origin]  # a newer router is there, so ours is superseded
            self._heartbeat_s = -math.inf

    def _accept(self, is_active: bool, generation: int) -> None:
        """Obey the controller's report of its latch."""
        if generation < self._generation:
            return  # a newer report has overtaken this one
        if self._seen_from == math.inf:
            self._seen_from = generation + 1
        if is_active:
            self.latched = True
            if generation >= self._seen_from:
                self._seen_from = -1
                self._pressed_by.clear()
        elif self.latched and self._seen_from < 0 and generation > self._generation:
            self.latched = False
        self._generation = generation
