"""Carries stops between this robot and remote sides, in both directions. A stop has a key, so that
one that returns over other robots is not pressed again. Nothing here ever clears one.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Protocol

from ...lib.errors import SaintError
from ...lib.generated.saint_msgs import EStop
from ...lib.remote.messages import RemoteStop
from ..actions import system
from ..actions.act import Caller
from ..robot.context import RobotContext
from .conversation import RemoteConversation
from .lock import Spawn

_MOST_KEYS = 256


class StoppingSide(Protocol):
    """A remote side that stops this robot."""

    name: str
    caller: Caller


class StopExchange:
    """The stops of this robot and of the remote sides."""

    def __init__(
        self, robot: RobotContext, conversations: Mapping[str, RemoteConversation], spawn: Spawn
    ) -> None:
        self._robot = robot
        self._conversations = conversations
        self._spawn = spawn
        self._own = secrets.token_hex(6)
        self._keys: OrderedDict[str, None] = OrderedDict()
        self._received: dict[str, str] = {}  # source: key of its newest stop
        self._latch: EStop | None = None
        self.on_stop: Callable[[str], None] = lambda _: None  # gets the reason of each new stop

    def latched(self, now: EStop) -> None:
        """Send a new stop of this robot to everybody but the one that it came from."""
        before, self._latch = self._latch, now
        if before is not None and before.generation == now.generation:
            return
        for conversation in tuple(self._conversations.values()):
            conversation.stopped()
        if not now.active:
            return
        press = now.presses[-1] if now.presses else now
        key = self._received.pop(press.source, "") or self._key(now)
        self._note(key)
        reason = press.reason or f"the robot {self._robot.roles.name} is stopped"
        self.on_stop(reason)
        for conversation in tuple(self._conversations.values()):
            if conversation.source != press.source:
                conversation.send_stop(key, reason)

    def joined(self, conversation: RemoteConversation) -> None:
        """Send the stop that is in force to a side that has just connected."""
        if (now := self._latch) is not None and now.active:
            key = self._key(now)
            self._note(key)
            conversation.send_stop(key, now.reason)

    def received(self, conversation: RemoteConversation, message: RemoteStop) -> None:
        """Stop this robot for a remote side, unless this stop was pressed already. An `id` that a
        program uses again counts once the robot is not stopped any more.
        """
        key = "" if message.id is None else str(message.id)
        is_own = key.startswith(self._own)
        if key in self._keys and (is_own or self._is_stopped()):
            return
        if key:
            self._note(key)
            self._received[conversation.source] = key
        conversation.stopped()
        reason = message.reason or "a stop of the other robot"
        self.press(conversation, reason)

    def press(self, side: StoppingSide, reason: str) -> None:
        """Stop this robot for a remote side."""
        self._spawn(self._press(side, reason))

    async def _press(self, side: StoppingSide, reason: str) -> None:
        try:
            await system.press_estop(self._robot, side.caller, reason)
        except SaintError as err:  # the tracks were stopped directly
            self._robot.note("ERROR", "link", f"A remote stop was not confirmed: {err.message}")

    def _is_stopped(self) -> bool:
        return self._latch is not None and self._latch.active

    def _key(self, now: EStop) -> str:
        return f"{self._own}:{now.generation}"

    def _note(self, key: str) -> None:
        self._keys[key] = None
        while len(self._keys) > _MOST_KEYS:
            self._keys.popitem(last=False)
