"""The role legs with a simulated walking controller behind its port, without a loop or sockets."""

import itertools
from pathlib import Path
from typing import Any

from saint_services.lib.generated.saint_msgs import LegsCommand
from saint_services.lib.generated.topics import LEGS_CMD
from saint_services.lib.walker.codec import decode_command, encode_state
from saint_services.lib.walker.model import Protocol, WalkCommand, WalkMode
from saint_services.role_legsd.config import Config
from saint_services.role_legsd.daemon import LegsRole
from tests.unit.role.role_rig import ROUTER, FakeClock, Rig, load_role
from tools.sim.walker.plant import WalkerPlant

DAMP, STAND, BALANCE, MOVE = 0.0, 1.0, 2.0, 3.0


class PlantPort:
    """Implements DatagramPort: the controller is on the other side, through the bytes."""

    def __init__(self, clock: FakeClock, protocol: Protocol) -> None:
        self.clock, self.protocol = clock, protocol
        self.plant = WalkerPlant()
        self.foreign = 0
        self.is_away = False  # nothing arrives there
        self.is_silent = False  # it reports nothing
        self.error: OSError | None = None
        self.sent: list[tuple[float, WalkCommand]] = []
        self._reported_s = clock.now

    def fileno(self) -> int:
        return -1

    def send(self, data: bytes) -> bool:
        if self.error:
            raise self.error
        if self.is_away:
            return False
        command = decode_command(self.protocol, data)
        self.sent.append((self.clock.now, command))
        self.plant.command(command, self.clock.now)
        return True

    def receive(self) -> list[bytes]:
        self.plant.step(self.clock.now)
        if self.is_silent or self.is_away or self.clock.now - self._reported_s < 0.0099:
            return []
        self._reported_s = self.clock.now
        return [encode_state(self.protocol, self.plant.state())]

    def close(self) -> None:
        pass


class LegsRig(Rig):
    """A role legs; the test is its router, and through it the operator."""

    port: PlantPort

    def __init__(
        self, directory: Path, protocol: Protocol = Protocol.IO, stand_s: float = 2.0
    ) -> None:
        role = load_role("legs")
        assert role.walker
        changes = {"protocol": protocol, "stand_s": stand_s}
        walker = role.walker.model_copy(update=changes)
        super().__init__(directory, "legs", role.model_copy(update={"walker": walker}))
        self._numbers = itertools.count()

    def _session(self) -> LegsRole:
        walker = self.config.walker
        assert walker
        self.port = PlantPort(self.clock, walker.protocol)
        self.port.plant = WalkerPlant(stand_s=walker.stand_s)
        self.board.datagrams = lambda *_: self.port  # type: ignore[method-assign]
        return LegsRole(Config(), self.config, "pi_1", self.clock, self.counters)

    @property
    def role(self) -> Any:
        return self.session

    @property
    def plant(self) -> WalkerPlant:
        return self.port.plant

    @property
    def mode(self) -> WalkMode:
        """What the controller does."""
        self.plant.step(self.clock.now)
        return self.plant.mode

    def hold(self, mode: float, vx: float = 0.0, vy: float = 0.0, vyaw: float = 0.0,
             origin: str = ROUTER) -> None:  # fmt: skip
        """Send one command."""
        self.send(LEGS_CMD, LegsCommand(mode=mode, vx=vx, vy=vy, vyaw=vyaw), origin)

    def keep(self, seconds: float, mode: float, *velocity: float) -> None:
        """Hold a mode for a time, the router alive."""
        self.live(seconds, lambda: self.hold(mode, *velocity))

    def walk(self, vx: float = 0.3) -> None:
        """Stand up, balance and walk."""
        self.keep(0.2, DAMP)
        self.keep(2.8, STAND)
        self.keep(0.8, BALANCE)
        self.keep(1.0, MOVE, vx)
        assert (self.mode, self.plant.body.is_fallen) == (WalkMode.MOVE, False)

    def after(self, since_s: float) -> list[WalkCommand]:
        """Return the commands that were sent after a moment."""
        return [command for at_s, command in self.port.sent if at_s > since_s + 1e-9]
