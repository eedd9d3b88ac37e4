"""Wires the guard: connections, time, roles. One thread that waits in one selector only. Not here:
when a will is carried out (logic.py), how (lib/guard/ports.py).
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from time import monotonic_ns

from ..lib import log
from ..lib.errors import SaintError
from ..lib.guard import wire
from ..lib.guard.ports import carry_out
from ..lib.guard.will import Will, WillFiles, wills_folder
from ..lib.machine import realtime, service_manager
from . import logic
from .adapters import EnableLine, RoleOutputs, lock_memory, request_reboot
from .config import Config
from .logic import EStopState, Watched

_MOST_CONNECTIONS = 32
_log = log.get("guardd")


class GuardPeer:
    """A connection of a role process, or of the node."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.lines = wire.MessageSplitter()
        self.is_node = False
        self.descriptors: list[int] = []  # received before their message was complete


class GuardedRole:
    """A role under guard, and the connection on which its process left its will."""

    def __init__(self, role: RoleOutputs, connection: GuardPeer, now_ns: int) -> None:
        self.role = role
        self.connection = connection
        self.watched = Watched(now_ns)


class GuardService:
    """Guards all roles of one machine."""

    def __init__(self, listener: socket.socket, files: WillFiles, config: Config) -> None:
        self._selector = selectors.DefaultSelector()
        self._files = files
        self._enable = EnableLine(config.enable_line) if config.enable_line else None
        self._roles: dict[str, GuardedRole] = {}
        self._connections: set[GuardPeer] = set()
        self._stop = EStopState()
        self._is_ending = False
        self._is_rebooting = False
        self._listen(listener, lambda: self._accept(listener))

    def run(self) -> None:
        """Guard until stopped."""
        for left in list(self._files.load()):  # of a guard before this one
            self._carry_out_left(left)
        due_ns = 0
        while not self._is_ending:
            wait_s = max(0.0, (due_ns - monotonic_ns()) / 1e9)
            for key, _ in self._selector.select(wait_s):
                key.data()
            if monotonic_ns() >= due_ns:
                due_ns = self._look()
        for guarded in list(self._roles.values()):
            if guarded.role.beat.is_moving:
                self._trip(guarded, "the guard was stopped")
        self._close()

    def end(self) -> None:
        """End `run` after the present turn."""
        self._is_ending = True

    # Roles

    def _look(self) -> int:
        """Judge every role now; returns when to look again."""
        now_ns = monotonic_ns()
        for each in list(self._roles.values()):
            each.role.beat.watch(now_ns)
            if why := logic.verdict(each.watched, each.role.reading(), self._stop, now_ns):
                self._trip(each, why)
        states = [each.watched for each in self._roles.values()]
        if self._enable:
            self._enable.step(may_enable=logic.may_enable(states, self._stop))
        service_manager.notify(WATCHDOG=1)
        if not logic.is_well(states, now_ns) and not self._is_rebooting:
            self._is_rebooting = True
            _log.error("pins refuse their safe state: this machine has to restart")
            request_reboot("outputs could not be made safe")
        readings = [each.role.reading() for each in self._roles.values()]
        period = logic.period_ns(states, readings, has_enable_line=self._enable is not None)
        return now_ns + period

    def _trip(self, guarded: GuardedRole, why: str) -> None:
        """Carry a will out, and record the outcome; a repeated one is not reported again."""
        role, before = guarded.role, guarded.watched
        failures = role.ports.carry_out()
        role.beat.trip()
        guarded.watched = logic.carried_out(
            before, why, failures, monotonic_ns(), is_refused=role.ports.is_refused
        )
        if before.trip and guarded.watched.failures == before.failures:
            return
        failed = "; ".join(failures)
        _log.warning("will carried out", role=role.will.name, why=why, failed=failed)
        self._report(
            {"event": "carried_out", "target": role.will.target, "why": why, "failed": failed}
        )

    def _carry_out_left(self, will: Will) -> list[str]:
        """Carry out a will whose process has ended."""
        failures = carry_out([will])
        if not failures:
            self._files.forget(will.name)
        _log.warning("left will carried out", role=will.name, failed="; ".join(failures))
        return failures

    def _gone(self, guarded: GuardedRole, why: str) -> None:
        """Carry out the will of a role whose process has ended, and close its handles."""
        if self._roles.get(guarded.role.will.name) is not guarded:
            return
        self._trip(guarded, why)
        self._forget(guarded, keep_will=bool(guarded.watched.failures))

    def _forget(self, guarded: GuardedRole, *, keep_will: bool = False) -> None:
        role = guarded.role
        del self._roles[role.will.name]
        if role.process is not None:
            self._selector.unregister(role.process)
        role.close()
        if not keep_will:
            self._files.forget(role.will.name)

    def _register(self, connection: GuardPeer, message: dict[str, object]) -> None:
        descriptors, connection.descriptors = connection.descriptors, []
        body = message.get("will")
        will = Will.of(body if isinstance(body, dict) else {})
        if before := self._roles.get(will.name):
            self._gone(before, "another process took its place")
        outputs = RoleOutputs(will, descriptors, connection.peer)
        if refusals := outputs.ports.refusals:
            self._refuse(connection, outputs, "; ".join(refusals))
            return
        guarded = GuardedRole(outputs, connection, monotonic_ns())
        self._files.store(will)
        self._roles[will.name] = guarded
        guarded.role.beat.watch(monotonic_ns())
        if guarded.role.process is not None:
            self._listen(guarded.role.process, lambda: self._gone(guarded, "its process ended"))
        self._answer(connection, {"event": "guarded"})

    def _refuse(self, connection: GuardPeer, outputs: RoleOutputs, why: str) -> None:
        """Guard nothing that the guard cannot reach: the role drives no output then."""
        outputs.close()
        _log.error("will refused", role=outputs.will.name, why=why)
        self._answer(connection, {"event": "refused", "why": why})

    def _begin(self, connection: GuardPeer) -> None:
        """Open what was away when the will was left, before an output of the role moves."""
        for guarded in self._of(connection):
            guarded.role.ports.open_missing()
            if refusals := guarded.role.ports.refusals:
                self._trip(guarded, f"the guard cannot reach {'; '.join(refusals)}")

    def _of(self, connection: GuardPeer) -> list[GuardedRole]:
        return [each for each in self._roles.values() if each.connection is connection]

    def _leave(self, connection: GuardPeer) -> None:
        """End the guarding of a role whose outputs are at rest. The will of one that cannot be
        brought to rest stays, for the node and for the guard's next start.
        """
        for guarded in self._of(connection):
            if guarded.role.beat.is_moving or guarded.watched.trip:
                self._trip(guarded, "it left before its outputs were at rest")
            self._forget(guarded, keep_will=bool(guarded.watched.failures))
        self._answer(connection, {"event": "left"})

    # The node

    def _make_safe(self, connection: GuardPeer, message: dict[str, object]) -> None:
        """Make a role's outputs safe on the node's request, whatever its process does."""
        target = message.get("target")
        failures: list[str] = []
        for guarded in list(self._roles.values()):
            if guarded.role.will.target == target:
                self._trip(guarded, "the node ended its assignment")
                failures += guarded.watched.failures
        for will in list(self._files.load()):
            if will.target == target and will.name not in self._roles:
                failures += self._carry_out_left(will)
        answer = {"event": "made_safe", "id": message.get("id"), "failed": "; ".join(failures)}
        self._answer(connection, answer)

    def _stopped(self, is_active: bool) -> None:
        self._stop = self._stop.reported(is_active, monotonic_ns())
        self._look()

    # Connections

    def _listen(self, what: int | socket.socket, callback: Callable[[], None]) -> None:
        self._selector.register(what, selectors.EVENT_READ, callback)

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            peer, _ = listener.accept()
            if len(self._connections) >= _MOST_CONNECTIONS:
                peer.close()
                return
            peer.setblocking(False)
            connection = GuardPeer(peer)
            self._connections.add(connection)
            self._listen(peer, lambda: self._receive(connection))

    def _receive(self, connection: GuardPeer) -> None:
        try:
            data, descriptors = wire.receive(connection.peer)
            connection.descriptors += descriptors
            if not data:
                raise ConnectionError("its connection ended")
            for message in connection.lines.fed(data):
                self._obey(connection, message)
        except BlockingIOError:
            return
        except (OSError, ValueError) as err:
            self._drop(connection, str(err))

    def _obey(self, connection: GuardPeer, message: dict[str, object]) -> None:
        match message.get("do"):
            case "guard":
                self._register(connection, message)
            case "move":  # an output begins to move: look at once, and often from now on
                self._begin(connection)
                self._look()
            case "leave":
                self._leave(connection)
            case "watch":
                connection.is_node = True
            case "make_safe":
                self._make_safe(connection, message)
            case "stop":
                self._stopped(message.get("active") is not False)
            case unknown:
                raise ValueError(f"unknown request {str(unknown)[:40]!r}")

    def _drop(self, connection: GuardPeer, why: str) -> None:
        self._selector.unregister(connection.peer)
        self._connections.discard(connection)
        for descriptor in connection.descriptors:
            os.close(descriptor)
        for guarded in self._of(connection):
            self._gone(guarded, why)
        with contextlib.suppress(OSError):
            connection.peer.close()

    def _close(self) -> None:
        """Close everything. The wills stay: roles that still run stop when the guard is silent."""
        for guarded in self._roles.values():
            guarded.role.close()
        for connection in self._connections:
            connection.peer.close()
        self._selector.close()

    def _report(self, message: dict[str, object]) -> None:
        for connection in [each for each in self._connections if each.is_node]:
            self._answer(connection, message)

    def _answer(self, connection: GuardPeer, message: dict[str, object]) -> None:
        # A peer that does not read loses its answers; it must not delay the guard.
        with contextlib.suppress(OSError):
            connection.peer.send(wire.encoded(message))


def main() -> None:
    """Run the guard until stopped."""
    log.setup("guardd")
    directories = service_manager.Directories.from_environment()
    try:
        passed = service_manager.listen_sockets().get("api")
        listener = passed[0] if passed else service_manager.bind(directories.runtime, "guardd")
        listener.setblocking(False)
        guard = GuardService(
            listener, WillFiles(wills_folder(str(directories.runtime))), Config.of(os.environ)
        )
    except (SaintError, OSError, ValueError) as err:
        _log.error("the guard cannot start", reason=err)
        sys.exit(2)
    signal.signal(signal.SIGTERM, lambda *_: guard.end())
    signal.signal(signal.SIGINT, lambda *_: guard.end())
    if not lock_memory():
        _log.warning("memory is not locked: the guard may wait for a disk")
    realtime.raise_priority()
    service_manager.notify(READY=1, STATUS="guarding")
    guard.run()
