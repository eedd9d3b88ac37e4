"""The wagon's boards under random histories: no wheel is driven while the wagon is disarmed,
tilted, stopped or without a living source, and every stop comes within its time. The rules here
know the truth of the world, not what the firmware believes.
"""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonMode, WagonState
from tests.examples import examples
from tests.unit.boards.bench import HIGH, LOW, NEUTRAL, STEP_MS, Bench

SLACK_MS = 4 * STEP_MS + 20  # turns of the loops, and one frame of a receiver
PULSES = st.sampled_from((LOW, 1250, NEUTRAL, 1750, HIGH))
MODES = st.sampled_from((0, 1, 2, 3))


@dataclass
class Since:
    """For how long something has been true."""

    most_ms: int
    ms: int = 0

    def update(self, is_true: bool) -> bool:
        """Return whether it has been true for longer than it may."""
        self.ms = self.ms + STEP_MS if is_true else 0
        return self.ms > self.most_ms


_SEEN_BY_BALANCE = {
    "tilted", "switch at disarm", "stop frame", "sensor frozen", "no living driver",
}  # fmt: skip


@dataclass
class Truth:
    """Why no wheel may be driven now, by what really happened."""

    bench: Bench
    turned: int = 0
    limits: dict[str, Since] = field(
        default_factory=lambda: {
            "both receivers lost": Since(350 + SLACK_MS),
            "tilted": Since(50 + SLACK_MS),
            "switch at disarm": Since(SLACK_MS),
            "stop frame": Since(SLACK_MS),
            "balance off": Since(200 + SLACK_MS),
            "balance on": Since(1 << 30),
            "not armed": Since(SLACK_MS),
            "io off": Since(200 + SLACK_MS),
            "link cut": Since(350 + SLACK_MS),
            "can cut": Since(200 + SLACK_MS),
            "sensor frozen": Since(100 + SLACK_MS),
            "no living driver": Since(500 + SLACK_MS),
        }
    )
    is_stopped: bool = False  # a stop frame arrived, and no deliberate act since
    acts: int = 0  # of a person, that may arm
    is_armed_by_act: bool = False
    switch: int = LOW

    def watch(self) -> None:
        bench = self.bench
        on = [radio for radio in bench.radios if radio.is_on]
        switches = [radio.us[4] for radio in on]
        facts = {
            "both receivers lost": not on,
            "tilted": max(abs(bench.imu.pitch), abs(bench.imu.roll)) > 25.5,
            "switch at disarm": bool(switches) and all(each < 1800 for each in switches),
            "stop frame": self.is_stopped,
            "balance off": bench.balance is None,
            "balance on": bench.balance is not None,
            "io off": bench.io is None,
            "link cut": self.is_link_cut,
            "can cut": False,
            "sensor frozen": bench.imu.is_frozen or bench.imu.is_silent,
            "no living driver": self.has_no_driver(on),
        }
        turning = any(bench.vesc_duties) or any(bench.bridge_duties)
        for name, is_true in facts.items():
            # A dead BALANCE board sees nothing: its own limit counts then.
            is_seen = bench.balance is not None or name not in _SEEN_BY_BALANCE
            if self.limits[name].update(is_true and is_seen):
                assert not turning, f"{name} for {self.limits[name].ms} ms, and a wheel is driven"
        cut = self.limits["can cut"].update(bench.is_can_cut)
        assert not (cut and any(bench.vesc_duties)), "CAN is cut, and a motor controller drives"
        is_reached = not (bench.is_can_cut or bench.can.is_bus_off) and bench.balance is not None
        is_rest = is_reached and bench.state is not WagonState.ARMED
        if self.limits["not armed"].update(is_rest):
            assert not any(bench.vesc_duties), f"a motor is driven in {bench.state.name}"
        is_driven = turning and bench.balance is not None and not bench.is_can_cut
        assert not is_driven or self.is_armed_by_act or self.limits["balance on"].ms < 250, (
            "a wheel turned, and no person armed"
        )
        self.turned += turning

    @property
    def is_link_cut(self) -> bool:
        bench = self.bench
        return bench.balance_link.alter(b"x") != b"x" and bench.io_link.alter(b"x") != b"x"

    def has_no_driver(self, on: list[Any]) -> bool:
        """Return whether neither the pilot's sticks nor the computer want to move."""
        bench, host = self.bench, self.bench.host
        moves = any(each.us[n] != NEUTRAL for each in bench.radios for n in (0, 1))
        return not moves and (host is None or (abs(host.speed) <= 50 and abs(host.steer) <= 50))


class WagonHistory(RuleBasedStateMachine):
    """Faults, sticks, commands and restarts in any order."""

    @initialize(seed=st.booleans())
    def start(self, seed: bool) -> None:
        self.bench = Bench(has_bridges=seed)
        self.truth = Truth(self.bench)
        self.bench.watch = self.truth.watch
        self.bench.run(500)

    @rule(ms=st.sampled_from((20, 100, 250, 400, 1200)))
    def wait(self, ms: int) -> None:
        self.bench.run(ms)

    @rule(
        receiver=st.sampled_from(((0,), (1,), (0, 1))), us=PULSES, channel=st.sampled_from((1, 2))
    )
    def stick(self, receiver: tuple[int, ...], us: int, channel: int) -> None:
        self.bench.channel(channel, us, *receiver)

    @rule(us=PULSES, channel=st.sampled_from((6, 7, 8)))
    def switch(self, us: int, channel: int) -> None:
        self.bench.channel(channel, us)

    @rule(receiver=st.sampled_from(((0,), (1,), (0, 1))), us=st.sampled_from((LOW, 1500, HIGH)))
    def arm_switch(self, receiver: tuple[int, ...], us: int) -> None:
        self.bench.channel(5, us, *receiver)
        self._act(us == HIGH)

    @rule(receiver=st.sampled_from((0, 1)), is_on=st.booleans())
    def radio(self, receiver: int, is_on: bool) -> None:
        self.bench.radios[receiver].is_on = is_on

    @rule()
    def swap_receivers(self) -> None:
        self.bench.radios.reverse()

    @rule(speed=st.sampled_from((-1000, -300, 0, 0, 500, 1000)), steer=st.sampled_from((0, 700)))
    def computer(self, speed: int, steer: int) -> None:
        mode = self.bench.host.mode if self.bench.host else WagonMode.AUTONOMOUS
        self.bench.host = can_frames.WagonDrive(speed, steer, mode, 0)

    @rule(mode=MODES)
    def computer_mode(self, mode: int) -> None:
        self.bench.host = can_frames.WagonDrive(0, 0, mode, 1)

    @rule()
    def computer_silent(self) -> None:
        self.bench.host = None

    @rule(arm=st.booleans())
    def arm_frame(self, arm: bool) -> None:
        self.bench.send(can_frames.WagonArm(arm))
        self._act(True)
        self.bench.step()

    @rule()
    def stop_frame(self) -> None:
        if self.bench.balance and not self.bench.can.is_bus_off:
            self.bench.send(can_frames.WagonEstop())
            self.truth.is_stopped = True

    @rule(
        line=st.sampled_from(("ESTOP", "ARM", "DISARM", "MODE AUTO", "PID 1 2 3", "IMU CAL", "?"))
    )
    def console(self, line: str) -> None:
        if self.bench.balance:
            self._act(line in ("ARM", "DISARM"))
            self.bench.command(line)

    @rule(axis=st.sampled_from(("pitch", "roll")), angle=st.sampled_from((0.0, 0.0, 20.0, -27, 60)))
    def tilt(self, axis: str, angle: float) -> None:
        setattr(self.bench.imu, axis, angle)

    @rule(fault=st.sampled_from(("is_frozen", "is_silent")), is_on=st.booleans())
    def sensor(self, fault: str, is_on: bool) -> None:
        setattr(self.bench.imu, fault, is_on)

    @rule(side=st.sampled_from(("balance_link", "io_link")), kind=st.sampled_from("okcd"))
    def link(self, side: str, kind: str) -> None:
        alter = {
            "o": lambda data: data,
            "k": lambda data: data,
            "c": lambda data: b"",
            "d": lambda data: bytes(each ^ 1 for each in data),
        }[kind]
        getattr(self.bench, side).alter = alter

    @rule(is_cut=st.booleans(), is_off=st.booleans())
    def can(self, is_cut: bool, is_off: bool) -> None:
        self.bench.is_can_cut, self.bench.can.is_bus_off = is_cut, is_off

    @rule(board=st.sampled_from(("balance", "io")), ms=st.sampled_from((20, 300)))
    def restart(self, board: str, ms: int) -> None:
        getattr(self.bench, f"cut_{board}")()
        if board == "balance":
            self.truth.is_armed_by_act = False
        self.bench.run(ms)
        getattr(self.bench, f"power_{board}")()

    @rule()
    def make_good(self) -> None:
        """Repair everything and drive, so that histories reach moving wheels."""
        bench = self.bench
        bench.imu.pitch = bench.imu.roll = 0.0
        bench.imu.is_frozen = bench.imu.is_silent = False
        bench.is_can_cut = bench.can.is_bus_off = False
        bench.balance_link.alter = bench.io_link.alter = lambda data: data
        for radio in bench.radios:
            radio.is_on, radio.us[0], radio.us[1] = True, NEUTRAL, NEUTRAL
            radio.us[6] = HIGH
        bench.host = None
        bench.channel(5, LOW)
        bench.run(700)
        self._act(True)
        bench.channel(5, HIGH)
        bench.run(80)
        bench.channel(2, HIGH)
        bench.run(300)

    def _act(self, may_arm: bool) -> None:
        """A person acted: what was stopped before may be armed again."""
        if may_arm:
            self.truth.is_armed_by_act = True
            self.truth.is_stopped = False

    @invariant()
    def holds(self) -> None:
        """All is checked at each step (Truth.watch)."""


TestWagonHistory = WagonHistory.TestCase
TestWagonHistory.settings = settings(
    max_examples=examples(25),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
