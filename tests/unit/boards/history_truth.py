"""Judges a history by what really happened in it, never by what the firmware believes: no wheel
turns while the wagon is disarmed, tilted, stopped or without a living source, every stop comes
within its time, and the wagon is armed only by a person with a cycled switch.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from saint_services.lib.wagon import can_frames
from saint_services.lib.wagon.meanings import WagonState
from tests.unit.boards.history_world import GUARD_MS, HistoryWorld, good, is_cut

LOOPS_MS: Final = 15  # turns of the loops, and the way over the link
FRAME_MS: Final = 25  # until the next frame of a receiver, or of a VESC
_TIMEOUT_MS: Final = 200  # of a VESC that receives nothing, and of bridges without a heartbeat
_RAMP_MS: Final = 200  # from full speed to rest
_LONG_AGO: Final = -100_000
_DEAD_BAND_US: Final = 20
_RC_BELOW_US: Final = 1300  # the mode switch: the pilot drives
_VESCS, _BRIDGES, _BOTH = "vescs", "bridges", "wheels"


@dataclass
class Fact:
    """What must stop wheels, within which time, and since when it is true."""

    limit_ms: int
    wheels: str = _BOTH
    is_by_balance: bool = True  # it decides, and has to reach what drives
    since_ms: int | None = None


def _limits() -> dict[str, Fact]:
    return {
        "no frame of a receiver": Fact(300 + LOOPS_MS),
        "tilted": Fact(50 + LOOPS_MS),
        "switch at disarm": Fact(FRAME_MS + LOOPS_MS),
        "board stopped": Fact(LOOPS_MS),
        "robot stopped": Fact(20 + 20 + 2 * LOOPS_MS),
        "BALANCE dead": Fact(_TIMEOUT_MS + LOOPS_MS, is_by_balance=False),
        "IO dead": Fact(200 + LOOPS_MS),
        "IO without power": Fact(LOOPS_MS, _BRIDGES, False),
        "IO unheard": Fact(200 + LOOPS_MS),
        "BALANCE unheard": Fact(200 + LOOPS_MS, _BRIDGES, False),
        "CAN cut": Fact(_TIMEOUT_MS + LOOPS_MS, _VESCS, False),
        "bus-off": Fact(_TIMEOUT_MS + LOOPS_MS, is_by_balance=False),
        "sensor dead": Fact(100 + LOOPS_MS),
        "not armed": Fact(LOOPS_MS),
        "no living source": Fact(350 + 200 + FRAME_MS + LOOPS_MS),  # a receiver's loss, the ramp
        "nobody wants to move": Fact(250 + FRAME_MS + LOOPS_MS),
        "wheel blocked": Fact(800 + FRAME_MS + LOOPS_MS),
        "VESC hot": Fact(FRAME_MS + LOOPS_MS),
        "battery empty": Fact(2000 + FRAME_MS + LOOPS_MS),
    }


@dataclass
class TruthOfHistory:
    """Follows a world step by step. Raises AssertionError."""

    world: HistoryWorld
    turned: int = 0
    stops: set[str] = field(default_factory=set)  # facts that found a turning wheel
    _facts: dict[str, Fact] = field(default_factory=_limits)
    _frames: list[tuple[int, list[int]]] = field(default_factory=list)  # last of each line
    _positions: list[str] = field(default_factory=lambda: ["", ""])
    _moved_ms: int = _LONG_AGO  # a switch moved from DISARM to ARM
    _requested_ms: int = _LONG_AGO  # a person requested to arm
    _disarm_seen_ms: int = _LONG_AGO
    _lost_ms: int = _LONG_AGO  # the last moment without a pilot
    _wanted_ms: int = _LONG_AGO  # a living source wanted motion
    _commanded_ms: int = _LONG_AGO  # the computer commanded it
    _doubt_ms: int = _LONG_AGO  # what a person does may arrive late since
    _unreached_ms: int = _LONG_AGO  # BALANCE does not reach all that drives
    _blind_ms: int = _LONG_AGO  # the attitude was not measured
    _tilted_ms: int = _LONG_AGO
    _stood_ms: int = _LONG_AGO  # the computer stood still, which its guard allows for a while
    _taken_over_ms: int = _LONG_AGO  # the mode switch gave the drive to a pilot
    _is_stopped: bool = False
    _was_armed: bool = False
    _slack_ms: int = 0

    def __post_init__(self) -> None:
        self._frames = [(_LONG_AGO, [1500] * 16) for _ in range(2)]
        self.world.received, self.world.arrived = self.receiver, self.frame
        self.world.watch = self.watch

    def receiver(self, line: int, us: list[int]) -> None:
        """Note the channels that a receiver sends on a line."""
        now_ms = self.world.now_ms
        if self._frames[line][1][5] >= _RC_BELOW_US > us[5]:
            self._taken_over_ms = now_ms
        self._frames[line] = (now_ms, list(us))
        if _is_motion(us):
            self._wanted_ms = now_ms
        position = "disarm" if us[4] < 1200 else "arm" if us[4] > 1800 else "between"
        if position == "disarm":
            self._disarm_seen_ms = now_ms
            if self._positions[line] == "arm":
                self._is_stopped = False
        if position == "arm" and self._positions[line] == "disarm":
            self._moved_ms = now_ms
        if position != "between":
            self._positions[line] = position

    def frame(self, message: Any) -> None:
        """Note a frame of the computer that reaches the board."""
        if isinstance(message, can_frames.WagonEstop):
            self._is_stopped = True
        elif isinstance(message, can_frames.WagonArm):
            self.act(arms=bool(message.arm))
        elif isinstance(message, can_frames.WagonDrive) and (message.speed or message.steer):
            self._wanted_ms = self._commanded_ms = self.world.now_ms

    def act(self, *, arms: bool) -> None:
        """Note an act of a person, on the console or through the computer."""
        if arms:
            self._requested_ms = self.world.now_ms
        else:
            self._is_stopped = False

    def console_stop(self) -> None:
        self._is_stopped = True

    def bench_drives(self) -> None:
        """Note a DRIVE of the console, which counts for as long as a silent computer does."""
        self._wanted_ms = self._commanded_ms = self.world.now_ms + 500

    def watch(self) -> None:
        """Judge one step."""
        world = self.world
        self._slack_ms = max(self._slack_ms, *(each.delay_ms for each in world.cables.values()))
        is_watched = "io" not in world.frozen  # until its watchdog, it holds its bridges
        turning = {
            _VESCS: any(world.vesc_duties),
            _BRIDGES: is_watched and any(world.bridge_duties),
        }
        turning[_BOTH] = turning[_VESCS] or turning[_BRIDGES]
        self.turned += turning[_BOTH]
        self._note_loss()
        true = set(self._true())
        for name, fact in self._facts.items():
            self._judge(name, fact, name in true, turning[fact.wheels])
        self._judge_arming()

    def _judge(self, name: str, fact: Fact, is_true: bool, is_turning: bool) -> None:
        now_ms = self.world.now_ms
        if not is_true:
            fact.since_ms = None
            return
        if fact.since_ms is None:
            fact.since_ms = now_ms
            if is_turning:
                self.stops.add(name)
        age_ms = now_ms - fact.since_ms
        limit_ms = fact.limit_ms + 2 * self._slack_ms
        if fact.is_by_balance and now_ms - self._unreached_ms <= _TIMEOUT_MS + LOOPS_MS:
            limit_ms += _TIMEOUT_MS
        if name == "nobody wants to move" and self._stood_ms >= fact.since_ms:
            limit_ms += GUARD_MS
        # A command counts until it is 250 ms old; a pilot who takes over by then ends it by a ramp.
        if name == "nobody wants to move" and self._taken_over_ms >= fact.since_ms:
            limit_ms += _RAMP_MS
        assert age_ms <= limit_ms or not is_turning, f"{name} for {age_ms} ms: {fact.wheels} turn"

    def _note_loss(self) -> None:
        """The switch must be cycled after a loss that was certain."""
        world, now_ms = self.world, self.world.now_ms
        if min(self._ages) > 300 + FRAME_MS + LOOPS_MS:
            self._lost_ms = now_ms
        if not self._is_link_whole or world.frozen:
            self._doubt_ms = now_ms
        if not (self._reaches_vescs and self._is_link_whole and world.io):
            self._unreached_ms = now_ms
        if world.io is None and "io" not in world.frozen:
            self._lost_ms, self._positions = now_ms, ["", ""]
        if world.balance is None and "balance" not in world.frozen:
            # It begins disarmed, and IO may still report a switch at ARM: moving that one to
            # DISARM is an act.
            self._lost_ms, self._was_armed, self._is_stopped = now_ms, False, False
            self._positions = [each if each == "arm" else "" for each in self._positions]
        if max(abs(world.imu.pitch), abs(world.imu.roll)) > 25.5:
            self._tilted_ms = now_ms
        if world.computer.frozen_ms >= 0:
            self._stood_ms = now_ms
        if world.imu.is_frozen or world.imu.is_silent:
            self._blind_ms = now_ms

    @property
    def _ages(self) -> list[int]:
        """Return how old the last frame of each receiver is."""
        return [self.world.now_ms - frame_ms for frame_ms, _ in self._frames]

    def _true(self) -> Iterator[str]:
        """Return the names of what is true now."""
        yield from self._of_pilot()
        yield from self._of_boards()
        yield from self._of_computer()
        world, now_ms = self.world, self.world.now_ms
        if world.balance and now_ms - self._wanted_ms > FRAME_MS:
            yield "no living source"
        if world.balance:
            if self._blind_ms == now_ms:
                yield "sensor dead"
            elif self._tilted_ms == now_ms:
                yield "tilted"
            if self._reaches_vescs:
                yield from self._of_vescs()

    @property
    def _reaches_vescs(self) -> bool:
        world = self.world
        return not (world.is_can_cut or world.can.is_bus_off)

    def _of_pilot(self) -> Iterator[str]:
        world, ages = self.world, self._ages
        if world.balance and min(ages) > FRAME_MS:
            yield "no frame of a receiver"
        alive = [us for age, (_, us) in zip(ages, self._frames, strict=True) if age < FRAME_MS]
        is_settled = all(age < FRAME_MS or age > 350 for age in ages)
        if not (world.io and world.balance and self._is_link_whole and alive and is_settled):
            return
        if all(us[4] <= 1800 for us in alive):
            yield "switch at disarm"
        is_commanded = world.now_ms - self._commanded_ms <= FRAME_MS
        if not is_commanded and not any(_is_motion(us) for us in alive):
            yield "nobody wants to move"

    @property
    def _is_link_whole(self) -> bool:
        return all(each.fault is good for each in self.world.cables.values())

    def _of_boards(self) -> Iterator[str]:
        world = self.world
        if world.io is None and "io" not in world.frozen:
            yield "IO without power"
        if world.is_can_cut:
            yield "CAN cut"
        if is_cut(world.cables["balance"].fault) and world.io:
            yield "BALANCE unheard"
        if world.balance is None:
            yield "BALANCE dead"
            return
        if world.io is None:
            yield "IO dead"
        if is_cut(world.cables["io"].fault):
            yield "IO unheard"
        if world.can.is_bus_off:
            yield "bus-off"
        is_reached = self._reaches_vescs and self._is_link_whole and world.io
        if is_reached and world.state is not WagonState.ARMED:
            yield "not armed"

    def _of_computer(self) -> Iterator[str]:
        world, computer = self.world, self.world.computer
        if not world.balance:
            return
        if self._is_stopped and self._reaches_vescs and self._is_link_whole:
            yield "board stopped"
        is_reached = not (world.is_host_cut or world.can.is_bus_off) and self._reaches_vescs
        if is_reached and computer.is_alive and computer.is_stopped and self._is_link_whole:
            yield "robot stopped"

    def _of_vescs(self) -> Iterator[str]:
        each = self.world.vescs.values()
        if any(one.is_blocked and one.turning(self.world.now_ms) for one in each):
            yield "wheel blocked"
        if any(one.fet_c > 86.0 for one in each):
            yield "VESC hot"
        if any(one.volts < 30.0 for one in each):
            yield "battery empty"

    def _judge_arming(self) -> None:
        """Armed only by an act of a person, with a switch that was seen at DISARM."""
        world, now_ms = self.world, self.world.now_ms
        if world.balance is None:
            return
        is_armed = world.state is WagonState.ARMED
        was_armed, self._was_armed = self._was_armed, is_armed
        if not is_armed or was_armed:
            return
        recent_ms = 60 + 2 * self._slack_ms + (250 if now_ms - self._doubt_ms < 500 else 0)
        acted_ms = max(self._moved_ms, self._requested_ms)
        assert now_ms - acted_ms <= recent_ms, "armed, and no person acted"
        assert self._disarm_seen_ms > self._lost_ms, "armed without a cycled switch"
        assert now_ms - self._tilted_ms > 400 or now_ms - self._blind_ms < 120, "armed while tilted"
        assert not self._is_stopped, "armed while stopped"


def _is_motion(us: list[int]) -> bool:
    """Return whether the sticks are off neutral."""
    return max(abs(us[0] - 1500), abs(us[1] - 1500)) >= _DEAD_BAND_US
