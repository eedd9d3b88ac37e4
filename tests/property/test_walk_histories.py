"""Random histories of a walking robot, 100 here and 1,000 in make test-long: modes, losses, alerts
and stops in any order, through the operator's packets, the held request, the machine of modes and
the simulated controller. It is never in move without stand and balance before, and never commanded
after its operator went.
"""

import struct
from collections.abc import Callable
from random import Random
from typing import Final

from saint_services.lib.teleop.velocity import VelocityTarget
from saint_services.lib.walker.model import WalkMode
from saint_services.role_legsd.logic import Times, WalkMachine
from saint_services.teleopd.commands import CommandStream
from tests.conftest import SEED
from tests.examples import examples
from tools.sim.walker.plant import WalkerPlant

COUNT: Final = examples(100)
TURN_S: Final = 0.01
PACKET_TURNS: Final = 5  # 20 a second
HELD_S: Final = 0.3  # by the router, of a source that is silent
DEADLINE_S: Final = 0.15  # of a command in the role
GONE_S: Final = HELD_S + DEADLINE_S + 0.1 + 3 * TURN_S  # and one late datagram
LEGS: Final = VelocityTarget("legs", {"vx": "vx", "vy": "vy", "vyaw": "vyaw"}, has_mode=True)
_PACKET = struct.Struct("<BfffBBB")
_ALERT = 1  # critical, of the controller


class WalkLife:
    """One robot, its operator, and what is between them."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now_s = 100.0
        self.turn = 0
        self.stream = CommandStream(LEGS)
        self.machine, self.plant = WalkMachine(Times()), WalkerPlant(stand_s=1.0)
        self.mode, self.vx, self.enable = 0, 0.0, 1
        self.is_there = self.is_linked = self.is_reporting = self.is_obeyed = True
        self.is_stopped = False
        self.held: dict[str, float] | None = None
        self.held_s = self.packet_s = self.now_s
        self.risen: list[WalkMode] = [WalkMode.DAMP]
        self.walked = 0
        self.did: list[str] = []

    def step(self) -> None:
        """One turn of everything, then the rules."""
        self.turn += 1
        self.now_s += TURN_S
        if self.turn % PACKET_TURNS == 0 and self.is_there and self.is_linked:
            self._send_packet()
        self._hold()
        if self.is_reporting:
            self.plant.step(self.now_s)
            self.machine.report(self.plant.state(), self.now_s)
        command = self.machine.command(self.now_s)
        if self.is_obeyed:
            self.plant.command(command, self.now_s)
        self._judge(command.mode, (command.vx, command.vy, command.vyaw))

    def _send_packet(self) -> None:
        data = _PACKET.pack(self.mode, self.vx, 0.0, 0.0, 0, self.enable, 0)
        decision = self.stream.binary(data, self.now_s, is_operator=True)
        self.packet_s = self.now_s
        if decision.values and not self.is_stopped:
            self.held, self.held_s = dict(decision.values["legs"]), self.now_s

    def _hold(self) -> None:
        """Repeat what is held, as the router does; its end is the end of commands."""
        if self.held and not self.is_stopped and self.now_s - self.held_s <= HELD_S:
            self.machine.velocity = (self.held["vx"], self.held["vy"], self.held["vyaw"])
            self.machine.request(self.held["mode"], self.now_s)
        elif self.held or self.is_stopped:
            self.held = None
            self.machine.stop("nobody commands", self.now_s)

    def _judge(self, mode: WalkMode, velocity: tuple[float, float, float]) -> None:
        if mode is not self.risen[-1]:
            is_falling = mode < self.risen[-1]
            assert is_falling or mode == self.risen[-1] + 1, f"{self.risen[-1].name} -> {mode.name}"
            assert is_falling or mode is not WalkMode.STAND or not self.is_stopped
            self.risen.append(mode)
        if mode is not WalkMode.MOVE:
            assert not any(velocity), f"a velocity in {mode.name}"
        if self.plant.mode is WalkMode.MOVE:
            self.walked += 1
        if self.now_s - self.packet_s > GONE_S:
            assert mode is WalkMode.DAMP, f"commanded {mode.name} without an operator"
            assert not self.is_obeyed or self.plant.mode in (WalkMode.DAMP, WalkMode.FAULT)
        if self.is_stopped:
            assert mode is WalkMode.DAMP, "commanded during a stop"
        if self.plant.raised and self.is_reporting:
            assert mode is WalkMode.DAMP, "commanded during a critical alert"

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / TURN_S)):
            self.step()

    def walk(self) -> None:
        """Do what a person does to walk."""
        self.is_there = self.is_linked = self.is_reporting = self.is_obeyed = True
        self.is_stopped, self.enable, self.vx = False, 1, 0.0
        self.plant.raised.clear()
        for self.mode, seconds in ((0, 0.4), (1, 3.2), (2, 1.2)):
            self.run(seconds)
        self.vx = 0.3
        self.run(0.3)

    def live(self) -> None:
        """Live one history."""
        events: tuple[Callable[[], None], ...] = (
            self._mode, self._mode, self._mode, self._speed, self._leave, self._link, self._report,
            self._obey, self._stop, self._alert, self._enable, self._operator, self._picture,
        )  # fmt: skip
        if self.random.random() < 0.8:
            self.walk()
        for _ in range(self.random.randrange(3, 9)):
            event = self.random.choice(events)
            self.did.append(f"{self.now_s:.2f} {event.__name__}")
            event()
            if self.random.random() < 0.8:
                self.run(self.random.choice((0.01, 0.05, 0.12, 0.31, 0.5, 1.1)))
        self.run(0.6)

    def _mode(self) -> None:
        self.mode = self.random.choice((0, 1, 2, 2))

    def _speed(self) -> None:
        self.vx = self.random.choice((0.0, 0.2, -0.4))

    def _leave(self) -> None:
        self.is_there = self.random.random() < 0.3

    def _link(self) -> None:
        self.is_linked = self.random.random() < 0.5

    def _report(self) -> None:
        self.is_reporting = self.random.random() < 0.5

    def _obey(self) -> None:
        """The cable to the controller."""
        self.is_obeyed = self.random.random() < 0.5

    def _stop(self) -> None:
        self.is_stopped = self.random.random() < 0.5

    def _alert(self) -> None:
        if self.random.random() < 0.5:
            self.plant.raised.add(_ALERT)
        else:
            self.plant.raised.clear()

    def _enable(self) -> None:
        self.enable = self.random.randrange(2)

    def _operator(self) -> None:
        """Another operator takes over."""
        self.stream.control_changed(self.now_s)

    def _picture(self) -> None:
        """The picture that the operator drives by has ended."""
        self.stream.picture_ended(self.now_s)


def test_walker_never_walks_against_the_rules_in_random_histories() -> None:
    walked = 0
    for seed in range(SEED, SEED + COUNT):
        life = WalkLife(seed)
        try:
            life.live()
        except AssertionError as err:
            story = "\n  ".join(life.did)
            raise AssertionError(f"history {seed} at {life.now_s:.2f}: {err}\n  {story}") from None
        walked += life.walked > 0
    assert walked > COUNT * 0.5
