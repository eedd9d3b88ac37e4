"""A remote master: the commands of a peer become input samples of this server, under the lock, the
limits, the time-outs and the stop of every other input. Not here: the connection (conversation.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...lib.clock import monotonic_s
from ...lib.errors import SaintError
from ...lib.remote.joints import JointMap
from ...lib.remote.messages import MessageKey, RemoteCommand, RemoteMessageError
from ...lib.remote.order import CommandOrder
from ...lib.role_config.model import RoleConfig
from .. import logic
from ..actions.act import Caller
from ..api import admission
from ..robot.context import RobotContext
from .lock import RemoteLock, Spawn

SILENT_S = 0.3  # as the router's time-out: who sends heartbeats is held to them
RELEASE_S = 1.0  # silent for so long: the lock is released
PENDING_S = 0.3  # a command that waits for the lock is dropped when it is older

DISENGAGED = "the link is not engaged: a person engages it, then commands count"


@dataclass(frozen=True, slots=True)
class _Pending:
    values: Mapping[str, float]
    key: MessageKey | None
    received_s: float


class RemoteMaster:
    """The peer as an input of the router. A command that is refused raises SaintError or
    RemoteMessageError; one that was sent to the router is acknowledged by `peer_ack`.
    """

    def __init__(
        self, robot: RobotContext, caller: Caller, role: RoleConfig, joints: JointMap, spawn: Spawn
    ) -> None:
        self._robot = robot
        self._caller = caller
        self._role = role
        self._joints = joints
        self._order = CommandOrder()
        self._pending: _Pending | None = None
        self._received_s = monotonic_s()
        self._has_heartbeats = False
        self._is_silent = False
        self._is_lost = False  # another source took the target: engaged again by a person
        self.is_engaged = True
        self.commands = 0
        self.lock = RemoteLock(robot, caller, role.target, spawn)
        self.lock.on_granted = self._granted
        self.lock.on_refused = self._refused
        self.peer_ack: Callable[[MessageKey | None], None] = _ignore_key
        self.peer_error: Callable[[MessageKey | None, str, str], None] = _ignore_error

    def note_message(self, now_s: float, *, is_heartbeat: bool = False) -> None:
        """Note that the peer lives."""
        self._received_s, self._is_silent = now_s, False
        self._has_heartbeats = self._has_heartbeats or is_heartbeat

    def command(self, message: RemoteCommand, now_s: float) -> None:
        """Obey a command. Raises SaintError, or RemoteMessageError."""
        self._order.check(message.sequence, message.timestamp, now_s)
        values = self._joints.values(message.data.joints)
        self.obey(values, message.id, now_s)

    def obey(self, values: Mapping[str, float], key: MessageKey | None, now_s: float) -> None:
        """Send values of fields to the router, as soon as it has granted the lock."""
        if not self.is_engaged:
            raise RemoteMessageError("disengaged", DISENGAGED)
        if self._is_lost:
            text = f"{self.lock.refusal}; engage the link, or connect, again"
            raise RemoteMessageError("lock_lost", text)
        is_old = self._robot.stalls.is_stalled(now_s)
        target = self._role.target
        with admission.reading_admitted(self._robot, self._caller, target, is_old=is_old):
            if self.lock.hold(now_s):
                self._send(values, key)
                return
        if self.lock.refusal:
            raise RemoteMessageError("locked", self.lock.refusal)
        self._pending = _Pending(values, key, now_s)

    def beat(self, now_s: float) -> None:
        """End what a peer that has fallen silent drives."""
        if self.lock.is_held(now_s):
            self.lock.look(now_s)
        silent_s = now_s - self._received_s
        if not self._has_heartbeats or silent_s <= SILENT_S:
            return
        if not self._is_silent:
            self._is_silent = True
            self._pending = None
            self._robot.goals.drop(self._caller.source)
        if silent_s > RELEASE_S:
            self.lock.release()

    def engage(self, *, takes_over: bool) -> None:
        """Let commands count from now on, on a person's request."""
        self.is_engaged, self._is_lost = True, False
        if takes_over:
            self.lock.hold(monotonic_s(), takes_over=True)

    def stopped(self) -> None:
        """Forget what was commanded before a stop, which ends the lock."""
        self._pending = None
        self.lock.forget()

    def leave(self) -> None:
        """End everything that the peer drives."""
        self._pending = None
        self._robot.goals.drop(self._caller.source)
        self._robot.repeats.forget(self._caller.source)
        self.lock.release()

    def _granted(self) -> None:
        pending, self._pending = self._pending, None
        now_s = monotonic_s()
        if pending is None:
            return
        if now_s - pending.received_s > PENDING_S:
            self.peer_error(pending.key, "late", "the lock came too late for it; send it again")
            return
        target = self._role.target
        try:
            with admission.reading_admitted(self._robot, self._caller, target, is_old=False):
                self._send(pending.values, pending.key)
        except SaintError as err:
            self.peer_error(pending.key, err.code.value, err.message)

    def _refused(self, reason: str) -> None:
        pending, self._pending = self._pending, None
        if pending is None:  # it had the lock
            self._is_lost = True
            self._robot.goals.drop(self._caller.source)
        self.peer_error(pending.key if pending else None, "conflict", reason)

    def _send(self, values: Mapping[str, float], key: MessageKey | None) -> None:
        source = self._caller.source
        moving, held = logic.by_rest(self._role, dict(values))
        if moving:
            self._robot.send(source, self._role.target, moving)
        if held:
            self._robot.aim(source, self._role, held)
        self.commands += 1
        self.peer_ack(key)


def _ignore_key(_: MessageKey | None) -> None:
    """Acknowledge nothing."""


def _ignore_error(_: MessageKey | None, __: str, ___: str) -> None:
    """Report nothing."""
