"""One connection with a remote side, opened by either: messages in, messages out, and the state of
the side that obeys. Not here: sockets (sockets.py, links.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from ...lib.api.webd.links import RemoteInfo, RemoteState
from ...lib.bus.input_writer import InputWriter
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import SaintError
from ...lib.remote import messages as m
from ...lib.remote.joints import JointMap
from ...lib.remote.slave import SlaveTracker
from ...lib.role_config.model import RoleConfig
from ..actions.act import Caller
from ..api import stopping
from ..robot import latch
from ..robot.context import RobotContext
from .lock import Spawn
from .master import RemoteMaster
from .tap import TargetTap

BEAT_S = 0.1
LEAST_S = 0.02  # between two commands to a slave: 50 a second
REPEAT_S = 0.1  # of a command that has not changed
MOST_UNSENT_BYTES = 16 * 1024  # then a slave gets no more until it has read them
MOST_UNREAD_BYTES = 64 * 1024  # then it gets no replies either
SOURCE = "remote:"  # in the names of clients; no client of a WebSocket has a colon in its name


class RemoteChannel(Protocol):
    """The connection that the messages are sent to."""

    def send(self, text: str) -> None: ...

    def unsent_bytes(self) -> int: ...

    def end(self, reason: str) -> None: ...


class StopReceiver(Protocol):
    """Stops the robot for a remote side."""

    def received(self, conversation: "RemoteConversation", message: m.RemoteStop) -> None: ...


@dataclass(slots=True)
class RemoteShared:
    """What all conversations share."""

    robot: RobotContext
    writer: InputWriter
    spawn: Spawn
    stops: StopReceiver = field(init=False)  # set before the first conversation
    open: dict[str, "RemoteConversation"] = field(default_factory=dict)  # by name
    taps: dict[str, TargetTap] = field(default_factory=dict)  # by target
    names: set[str] = field(default_factory=set)  # of all remote sides, those in rooms too

    def tap(self, role: RoleConfig) -> TargetTap:
        """Return the tap of a target, opened by its first listener."""
        if role.target not in self.taps:
            made = TargetTap(self.robot.bus, role, lambda: self.writer.router_origin)
            self.taps[role.target] = made
        return self.taps[role.target]

    def free_name(self, wanted: str) -> str:
        """Return the wanted name, or the next one that is free."""
        names = (f"{wanted}-{n}" if n > 1 else wanted for n in range(1, 1000))
        return next(name for name in names if name not in self.names)


@dataclass(frozen=True, slots=True)
class PeerKind:
    """What a connection is. `leads`: this robot commands the peer, until the peer commands. `link`:
    we opened it. `reports`: our joints are sent without a request.
    """

    leads: bool
    is_link: bool
    reports: bool = False


class RemoteConversation:
    """The messages of one connection."""

    def __init__(
        self, shared: RemoteShared, kind: PeerKind, role: RoleConfig, caller: Caller,
        peer: RemoteChannel, robot_id: str,
    ) -> None:  # fmt: skip
        self.name = caller.client_id.removeprefix(SOURCE)
        self.caller = caller
        self.role = role
        self.refused = 0
        self.newest_problem = ""
        self._shared = shared
        self._robot = shared.robot
        self._kind = kind
        self._peer = peer
        self._robot_id = robot_id
        self._leads = kind.leads
        self._since_s = monotonic_s()
        self.joints = JointMap(role)
        self.master = RemoteMaster(self._robot, caller, role, self.joints, shared.spawn)
        self.master.is_engaged = not kind.is_link
        self.master.peer_ack, self.master.peer_error = self._acknowledge, self._report_error
        self.slave = SlaveTracker(self._since_s)
        self.is_engaged = not kind.is_link
        self._tap = shared.tap(role)
        self._sequence = 0
        self._sent: dict[str, float] = {}
        self._sent_s = 0.0
        self._ranges = {n: f.limits[1] - f.limits[0] for n, f in role.fields.items()}
        self._handlers: dict[type, Callable[..., None]] = {
            m.RemoteCommand: self._on_command,
            m.RemoteSequence: self._on_sequence,
            m.SlaveStatus: self._on_report,
            m.JointStates: self._on_report,
            m.CommandAck: self._on_ack,
            m.StatusRequest: self._on_request,
            m.RemoteStop: self._on_stop,
            m.RemoteError: self._on_error,
        }
        shared.open[self.name] = self
        shared.names.add(self.name)
        self._tap.add(self._on_router)

    @property
    def source(self) -> str:
        """The peer as a source of the router."""
        return self.caller.source

    @property
    def leads(self) -> bool:
        """Whether this robot commands the peer."""
        return self._leads

    def close(self) -> None:
        """End the conversation; nothing that the peer has commanded goes on."""
        if self._shared.open.get(self.name) is self:
            del self._shared.open[self.name]
            self._shared.names.discard(self.name)
            self._tap.remove(self._on_router)
            self.master.leave()

    def end(self, reason: str) -> None:
        """Close the connection."""
        self._peer.end(reason)

    def engage(self, *, takes_over: bool = False) -> None:
        """Let commands count from now on, on a person's request: the clutch of a link."""
        self.is_engaged = True
        if not self._leads:
            self.master.engage(takes_over=takes_over)

    def disengage(self) -> None:
        """Let commands count no more; the joints stay."""
        self.is_engaged = self.master.is_engaged = False
        self.master.leave()

    # From the peer

    def receive(self, text: str) -> None:
        """Handle one message of the peer. Whatever is wrong with it is refused and counted."""
        now_s = monotonic_s()
        try:
            message = m.parse(text)
        except m.RemoteMessageError as err:
            if stopping.is_addressed(text):
                self._on_stop(m.RemoteStop(reason=stopping.UNREADABLE), now_s)
            self._refuse(None, err.reason, str(err), now_s)
            return
        is_heartbeat = isinstance(message, m.RemoteHeartbeat)
        self.master.note_message(now_s, is_heartbeat=is_heartbeat)
        self.slave.note_message(now_s)
        handler = self._handlers.get(type(message))
        if handler is None:
            return
        try:
            handler(message, now_s)
        except m.RemoteMessageError as err:
            self._refuse(getattr(message, "id", None), err.reason, str(err), now_s)
        except SaintError as err:
            self._refuse(getattr(message, "id", None), err.code.value, err.message, now_s)

    def _on_command(self, message: m.RemoteCommand, now_s: float) -> None:
        if self._kind.leads and self._kind.is_link:
            raise m.RemoteMessageError("direction", "this link commands you, and obeys nothing")
        self._leads = False  # a program may command on the path of robots
        self.master.command(message, now_s)

    def _on_sequence(self, message: m.RemoteSequence, now_s: float) -> None:
        text = "whole sequences are not played; send commands, or store one (sequence save)"
        raise m.RemoteMessageError("sequence", text)

    def _on_report(self, message: m.SlaveStatus | m.JointStates, now_s: float) -> None:
        try:
            found = self.joints.reported(message.data.joints)
        except m.RemoteMessageError as err:
            self.slave.fail(f"its report is wrong: {err}", now_s)
            raise
        self.slave.report(found, self._sent if self.is_engaged else {}, self._ranges, now_s)

    def _on_ack(self, message: m.CommandAck, now_s: float) -> None:
        self.slave.acknowledge(message.id, now_s)

    def _on_request(self, message: m.StatusRequest, _: float) -> None:
        self._send(m.JointStates(timestamp=_now(), id=message.id, data=self._reported()))

    def _on_stop(self, message: m.RemoteStop, _: float) -> None:
        self._shared.stops.received(self, message)

    def _on_error(self, message: m.RemoteError, now_s: float) -> None:
        self.slave.fail(message.message or message.code or "it reports an error", now_s)

    def _refuse(self, key: m.MessageKey | None, reason: str, text: str, now_s: float) -> None:
        self.refused += 1
        self.newest_problem = text[:200]
        self._robot.newest.counters["refused_remote"] += 1
        if self._leads:
            self.slave.fail(f"a message of it was refused: {text}", now_s)
        self._report_error(key, reason, text)

    def _acknowledge(self, key: m.MessageKey | None) -> None:
        self._send(m.CommandAck(timestamp=_now(), id=key))

    def _report_error(self, key: m.MessageKey | None, code: str, text: str) -> None:
        self._send(m.RemoteError(timestamp=_now(), id=key, code=code, message=text[:500]))

    # To the peer

    def _on_router(self, values: Mapping[str, float]) -> None:
        """Send what the router commands to a peer that follows this robot."""
        if not self._leads or not self.is_engaged:
            return
        now_s = monotonic_s()
        waited_s = now_s - self._sent_s
        if waited_s < (REPEAT_S if self._sent == values else LEAST_S):
            return
        if latch.problem(self._robot.newest, now_s) or not self.slave.may_send(now_s):
            return
        if self._peer.unsent_bytes() > MOST_UNSENT_BYTES:
            self.slave.left_out += 1
            return
        self._sequence += 1
        joints = m.CommandedJoints(joints=self.joints.commands(values))
        self._sent, self._sent_s = dict(values), now_s
        self.slave.command(self._sequence, now_s)
        self._peer.send(
            m.encoded(
                m.RemoteCommand(
                    timestamp=_now(), robot_id=self._robot_id, id=self._sequence,
                    sequence=self._sequence, data=joints,
                )
            )
        )  # fmt: skip

    def send_stop(self, key: str, reason: str) -> None:
        """Send a stop of this robot, at once."""
        self._peer.send(m.encoded(m.RemoteStop(timestamp=_now(), id=key, reason=reason[:200])))

    def stopped(self) -> None:
        """Forget what was commanded before a stop. A link has to be engaged again."""
        self.master.stopped()
        if self._kind.is_link:
            self.is_engaged = self.master.is_engaged = False

    def beat(self, now_s: float) -> None:
        """Do what is due ten times a second."""
        self.master.beat(now_s)
        self._send(m.RemoteHeartbeat(timestamp=_now()))
        if self._kind.reports and not self._leads:
            status = m.SlaveStatus(timestamp=_now(), robot_id=self._robot_id, data=self._reported())
            self._send(status)
        elif self._leads and self._kind.is_link and self.slave.sent:
            self._send(m.StatusRequest(timestamp=_now(), robot_id=self._robot_id))

    def _reported(self) -> m.ReportedJoints:
        joints = self.joints.readings(self._tap.commanded, self._tap.measured)
        return m.ReportedJoints(joints=joints)

    def _send(self, message: BaseModel) -> None:
        """Send a message that may be left out for a peer that does not read."""
        if self._peer.unsent_bytes() <= MOST_UNREAD_BYTES:
            self._peer.send(m.encoded(message))

    def info(self) -> RemoteInfo:
        """Describe the connection, for users."""
        now_s = monotonic_s()
        state: RemoteState = self.slave.health(now_s)
        problem = self.slave.problem(now_s)
        if not self._leads:
            state = "driving" if self.master.lock.is_held(now_s) else "waiting"
            problem = self.master.lock.refusal or self.newest_problem
        return RemoteInfo(
            name=self.name,
            target=self.role.target,
            kind="slave" if self._leads else "master",
            state=state if self.is_engaged else "disengaged",
            user=self.caller.identity.name,
            address=self.caller.address,
            delay_ms=self.slave.delay_ms if self._leads else None,
            commands=self.slave.sent if self._leads else self.master.commands,
            left_out=self.slave.left_out,
            refused=self.refused,
            problem=problem,
            connected_s=round(now_s - self._since_s, 1),
            joints=dict(self.slave.joints),
        )


def _now() -> str:
    return m.iso_time(wall_s())
