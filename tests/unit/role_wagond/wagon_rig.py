"""The role wagon with a board on a simulated bus, and a router that is the test."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import WagonReply, WagonRequest
from saint_services.lib.generated.topics import WAGON_CMD_VEL, WAGON_REQUEST
from saint_services.lib.wagon.can_frames import WagonArm, WagonDrive, WagonEstop
from saint_services.lib.wagon.meanings import LEVEL_MS, WagonState
from saint_services.role_wagond.daemon import WagonRole
from tests.unit.role.role_rig import ROUTER, Rig
from tests.unit.role_wagond.balance_board import BalanceBoard
from tools.sim.can_bus import SimCan

TICK_S = 0.01
SETTLED_S = LEVEL_MS / 1000 + 0.1  # then a wagon that is level may be armed


class WagonRig(Rig):
    """A rig whose board reports every 20 ms, unless it is silent."""

    def __init__(self, directory: Path, **options: Any) -> None:
        self.wire = SimCan(directory, "can0")
        self.balance = BalanceBoard()
        self.is_silent = False
        self._ticks = 0
        self._ids = itertools.count(1)
        super().__init__(directory, "wagon", **options)

    @property
    def role(self) -> WagonRole:
        assert isinstance(self.session, WagonRole)
        return self.session

    def pass_time(
        self, seconds: float, say: Callable[[], None] = lambda: None, *, beats: bool = True
    ) -> None:
        """Let time pass: the board, heartbeats of the router, `say` every 20 ms."""
        for _ in range(round(seconds / TICK_S)):
            if beats and self._ticks % 5 == 0:
                self.beat()
            if self._ticks % 2 == 0:
                say()
            self.serve()
            self.clock.advance(TICK_S)
            self.serve()
            self._ticks += 1

    def serve(self) -> None:
        """Let the board obey and, at its time, report; let the role read."""
        for frame in self.wire.receive():
            self.balance.received(frame, self.clock.now)
        if not self.is_silent and self._ticks % 2 == 0:
            self.wire.send(self.balance.attitude(self.clock.now))
            if self._ticks % 10 == 0:
                self.wire.send(self.balance.power())
        self.role.read()

    def command(self, linear: float, angular: float = 0.0, origin: str = ROUTER) -> None:
        """Send a velocity."""
        twist = Twist(Vector3(linear, 0.0, 0.0), Vector3(0.0, 0.0, angular))
        self.send(WAGON_CMD_VEL, twist, origin)

    def request(self, action: str, origin: str = ROUTER, **gains: float) -> int:
        """Send a request; returns its number."""
        number = next(self._ids)
        self.send(WAGON_REQUEST, WagonRequest(id=number, action=action, **gains), origin)
        return number

    def reply(self, number: int) -> WagonReply:
        """Return the reply to a request."""
        found = [each for each in self.bus.sent["/saint/wagon/reply"] if each.id == number]
        assert len(found) == 1, found
        reply = found[0]
        assert isinstance(reply, WagonReply)
        return reply

    def act(self, action: str, origin: str = ROUTER, **gains: float) -> WagonReply:
        """Send a request, and return its reply after at most a second."""
        number = self.request(action, origin, **gains)
        self.pass_time(1.0)
        return self.reply(number)

    def armed(self) -> None:
        """Arm as a person does, and forget the frames of that."""
        self.pass_time(SETTLED_S)
        reply = self.act("arm")
        assert reply.is_done, reply.text
        assert self.balance.state is WagonState.ARMED
        self.balance.frames.clear()

    def run_up(self, linear: float = 0.5) -> None:
        """Arm, and drive until the speed is reached."""
        self.armed()
        self.pass_time(1.0, lambda: self.command(linear))
        assert self.balance.speed == round(linear * 500)
        self.balance.frames.clear()

    @property
    def state(self) -> Any:
        """The newest published state."""
        return self.bus.sent["/saint/wagon/state"][-1]

    @property
    def moving(self) -> list[WagonDrive]:
        """Drive frames with motion that the board received."""
        return [each for each in self.drives if each.speed or each.steer]

    @property
    def drives(self) -> list[WagonDrive]:
        """Drive frames that the board received."""
        return [each for each in self.balance.frames if isinstance(each, WagonDrive)]

    @property
    def arms(self) -> list[bool]:
        """What 0x301 said."""
        return [each.arm for each in self.balance.frames if isinstance(each, WagonArm)]

    @property
    def stops(self) -> int:
        """How often 0x303 was received."""
        return sum(isinstance(each, WagonEstop) for each in self.balance.frames)

    def close(self) -> None:
        super().close()
        self.wire.close()
