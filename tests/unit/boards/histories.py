"""Random histories of the wagon in virtual time: a pilot or a program drives, then faults, sticks,
commands and restarts come in any order, alone and together.

    python -m tests.unit.boards.histories 10000            # from a random seed, which is printed
    python -m tests.unit.boards.histories 1 --seed 4711    # that one again, with what it did
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from random import SystemRandom
from typing import Final

from saint_services.lib.wagon.meanings import WagonState
from tests.unit.boards.bench import HIGH, LOW, NEUTRAL, Imu
from tests.unit.boards.history_truth import TruthOfHistory
from tests.unit.boards.history_world import Alter, HistoryWorld, cut, garbled, good

_PULSES: Final = (LOW, 1250, NEUTRAL, NEUTRAL, 1750, HIGH)
_WAITS_MS: Final = (5, 10, 20, 45, 95, 160, 205, 255, 310, 360, 600)
_TOGETHER: Final = 0.25  # so often the next event comes in the same moment


class History:
    """One history. `did` is what happened, for a person who reads why it failed."""

    def __init__(self, seed: int) -> None:
        self.world = HistoryWorld(seed)
        self.truth = TruthOfHistory(self.world)
        self.random = self.world.random
        self.did: list[str] = []
        self._events: tuple[Callable[[], None], ...] = (
            *(self.stick,) * 3,
            *(self.arm_switch,) * 3,
            *(self.program,) * 3,
            *(self.radio,) * 4,
            *(self.restart_board,) * 2,
            *(self.link,) * 2,
            self.mode_switch, self.stuck, self.quality, self.swap, self.program_gone,
            self.request, self.estop, self.restart_computer, self.freeze_computer,
            self.console, self.tilt, self.sensor, self.delay, self.can, self.host_cable,
            self.freeze_board, self.vesc, self.repair,
        )  # fmt: skip

    def run(self, events: int = 8) -> None:
        """Live it. Raises AssertionError."""
        self.world.run(600)
        if self.random.random() < 0.8:
            self.begin()
        else:
            self.left_alone()
        for _ in range(self.random.randrange(2, events + 1)):
            event = self.random.choice(self._events)
            self._note(event.__name__)
            event()
            if self.random.random() >= _TOGETHER:
                self.world.run(self.random.choice(_WAITS_MS))
        self._note("wait")
        self.world.run(500)

    def begin(self) -> None:
        """Arm, and let the pilot or a program drive."""
        world = self.world
        is_program = self.random.random() < 0.5
        world.channel(6, HIGH if is_program else LOW)
        if is_program:
            world.computer.speeds = (0.0, 0.0)
        world.run(300)
        world.channel(5, HIGH)
        world.run(50)
        if is_program:
            world.computer.speeds = (1.5, 0.3)
        else:
            world.channel(2, HIGH)
        world.run(300)
        self._note("program drives" if is_program else "pilot drives")

    def left_alone(self) -> None:
        """Nobody has armed; a transmitter lies somewhere with its switch and sticks anyhow."""
        for number in self._receivers():
            us = self.world.radios[number].us
            us[4], us[1] = self.random.choice((LOW, HIGH, HIGH)), self.random.choice(_PULSES)
        self.world.run(100)
        self._note("nobody has armed")

    def _note(self, what: str) -> None:
        self.did.append(f"{self.world.now_ms} {what}")

    def _receivers(self) -> tuple[int, ...]:
        return self.random.choice(((0, 1), (0, 1), (0,), (1,)))

    def stick(self) -> None:
        channel = self.random.choice((1, 2, 2))
        self.world.channel(channel, self.random.choice(_PULSES), *self._receivers())

    def arm_switch(self) -> None:
        self.world.channel(
            5, self.random.choice((LOW, LOW, NEUTRAL, HIGH, HIGH)), *self._receivers()
        )

    def mode_switch(self) -> None:
        self.world.channel(self.random.choice((6, 7)), self.random.choice((LOW, NEUTRAL, HIGH)))

    def radio(self) -> None:
        self.world.radios[self.random.randrange(2)].is_on = self.random.random() < 0.4

    def stuck(self) -> None:
        """A receiver repeats old channels, or no longer does."""
        number = self.random.randrange(2)
        is_stuck = self.world.stuck[number] is not None
        self.world.stuck[number] = None if is_stuck else list(self.world.radios[number].us)

    def quality(self) -> None:
        self.world.quality[self.random.randrange(2)] = self.random.choice((0, 0, 40, 100))

    def swap(self) -> None:
        self.world.radios.reverse()

    def program(self) -> None:
        speed = self.random.choice((-2.0, -0.5, 0.0, 0.0, 1.0, 2.0))
        self.world.computer.speeds = (speed, self.random.choice((0.0, 0.0, 1.5)))

    def program_gone(self) -> None:
        self.world.computer.speeds = None

    def request(self) -> None:
        """A person requests to arm or to disarm, by the computer."""
        computer, now_ms = self.world.computer, self.world.now_ms
        if self.random.random() < 0.7:
            computer.arm(now_ms)
        else:
            computer.disarm(now_ms)

    def estop(self) -> None:
        self.world.computer.estop(self.random.random() < 0.6, self.world.now_ms)

    def restart_computer(self) -> None:
        self.world.computer.kill()
        self.world.run(self.random.choice((0, 20, 300)))
        self.world.computer.start(self.world.now_ms)

    def freeze_computer(self) -> None:
        self.world.computer.freeze(self.world.now_ms)
        self.world.run(self.random.choice((50, 140, 200, 600)))
        self.world.computer.thaw()

    def console(self) -> None:
        """Type at the bench console."""
        if self.world.balance is None:
            return
        lines = (
            "ESTOP",
            "ARM",
            "ARM",
            "DISARM",
            "MODE AUTO",
            "DRIVE 900 0",
            "PID 1 2 3",
            "IMU CAL",
            "?",
        )
        line = self.random.choice(lines)
        if line in ("ARM", "DISARM"):
            self.truth.act(arms=line == "ARM")
        elif line == "ESTOP":
            self.truth.console_stop()
        elif line.startswith("DRIVE"):
            self.truth.bench_drives()
        self.world.command(line)

    def tilt(self) -> None:
        angle = self.random.choice((0.0, 20.0, -24.0, 27.0, -40.0, 90.0))
        setattr(self.world.imu, self.random.choice(("pitch", "roll")), angle)

    def sensor(self) -> None:
        name = self.random.choice(("is_frozen", "is_silent"))
        setattr(self.world.imu, name, self.random.random() < 0.7)

    def link(self) -> None:
        cable = self.world.cables[self.random.choice(("balance", "io"))]
        cable.fault = self.random.choice((cut, cut, garbled, good, self._noise(), self._loss()))

    def _noise(self) -> Alter:
        """Flip a bit of every third write."""

        def alter(data: bytes) -> bytes:
            broken = bytearray(data)
            if self.random.random() < 0.3:
                broken[self.random.randrange(len(broken))] ^= 1 << self.random.randrange(8)
            return bytes(broken)

        return alter

    def _loss(self) -> Alter:
        return lambda data: b"" if self.random.random() < 0.3 else data

    def delay(self) -> None:
        cable = self.world.cables[self.random.choice(("balance", "io"))]
        cable.delay_ms = self.random.choice((0, 15, 40))

    def can(self) -> None:
        what = self.random.choice(("is_can_cut", "is_bus_off"))
        is_on = self.random.random() < 0.6
        if what == "is_can_cut":
            self.world.is_can_cut = is_on
        else:
            self.world.can.is_bus_off = is_on

    def host_cable(self) -> None:
        if self.world.is_host_cut:
            self.world.repair_host_cable()
        else:
            self.world.is_host_cut = True

    def restart_board(self) -> None:
        """A brown-out of a board, or of both."""
        boards = self.random.choice((("balance",), ("io",), ("balance", "io")))
        for each in boards:
            self.world.frozen.pop(each, None)
            getattr(self.world, f"cut_{each}")()
        self.world.run(self.random.choice((5, 20, 150, 300, 600)))
        for each in boards:
            getattr(self.world, f"power_{each}")()

    def freeze_board(self) -> None:
        board = self.random.choice(("balance", "io"))
        self.world.freeze(board)
        self.world.run(self.random.choice((20, 150, 250, 900)))
        self.world.thaw(board)

    def vesc(self) -> None:
        vesc = self.random.choice(list(self.world.vescs.values()))
        vesc.is_blocked = self.random.random() < 0.4
        vesc.fet_c = self.random.choice((30.0, 30.0, 75.0, 95.0))
        vesc.volts = self.random.choice((37.0, 37.0, 29.0, 45.0))

    def repair(self) -> None:
        """Make everything good, and drive again."""
        world = self.world
        world.imu = Imu()
        if world.balance:  # it was off while its sensor was replaced, and has forgotten a stop
            world.cut_balance()
            world.run(5)
            world.power_balance()
        world.is_can_cut = world.can.is_bus_off = False
        world.repair_host_cable()
        world.stuck, world.quality = [None, None], [100, 100]
        for cable in world.cables.values():
            cable.fault, cable.delay_ms = good, 0
        for vesc in world.vescs.values():
            vesc.is_blocked, vesc.fet_c, vesc.volts = False, 30.0, 37.0
        for radio in world.radios:
            radio.is_on, radio.us = True, [NEUTRAL] * 4 + [LOW, LOW, HIGH] + [LOW] * 9
        world.computer.estop(False, world.now_ms)
        world.computer.speeds = None
        world.run(600)
        self.begin()


def explained(seed: int, history: History, why: object) -> str:
    """Return what a person must know of a history that broke a rule."""
    return f"history {seed} at {history.world.now_ms} ms: {why}\n  " + "\n  ".join(history.did)


def lived(seeds: range) -> "Counter[str]":
    """Live these histories; return how often each fact found a turning wheel. Raises
    AssertionError.
    """
    found: Counter[str] = Counter()
    for seed in seeds:
        history = History(seed)
        try:
            history.run()
        except AssertionError as err:
            raise AssertionError(explained(seed, history, err)) from None
        found.update(history.truth.stops)
        found["turned"] += history.truth.turned > 0
        found["armed at the end"] += bool(
            history.world.balance and history.world.state is WagonState.ARMED
        )
    return found


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1 << 31))
    options = parser.parse_args()
    first = options.seed
    print(f"{options.count} histories from seed {first}", flush=True)
    failures: list[str] = []
    found: Counter[str] = Counter()
    for seed in range(first, first + options.count):
        try:
            found += lived(range(seed, seed + 1))
        except AssertionError as err:
            failures.append(str(err))
            print(err, flush=True)
    for name, count in found.most_common():
        print(f"  {count:6} {name}")
    print(f"{len(failures)} of {options.count} broke a rule")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
