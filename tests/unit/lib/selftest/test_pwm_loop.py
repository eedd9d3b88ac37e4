"""Pulses over a wire: measured on a simulated board, judged with every fault, ended whatever
happens.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.guard.will import Will
from saint_services.lib.hw import Board, open_board
from saint_services.lib.selftest import pwm_loop
from saint_services.lib.selftest.pwm_loop import Edge, PulseTrain, PwmLoop, judged
from tests.waiting import until
from tools.sim.observe import PinWatch

SENDER, LISTENER = 12, 6


class ModelGuard:
    """A guard that allows every pulse until the test has it stop them."""

    def __init__(self) -> None:
        self.wills: list[Will] = []
        self.is_left = False
        self.may = True
        self.lose: Callable[[str], None] = lambda _: None
        self.is_moving: Callable[[], bool] = lambda: False

    async def open(
        self, will: Will, is_moving: Callable[[], bool], on_lost: Callable[[str], None]
    ) -> "ModelGuard":
        self.wills.append(will)
        self.is_moving, self.lose = is_moving, on_lost
        return self

    def may_drive(self) -> bool:
        return self.may

    def close(self) -> None:
        self.is_left = True


@asynccontextmanager
async def board_with(folder: Path, wires: Sequence[tuple[int, int]]) -> AsyncIterator[Board]:
    text = f"wires: {[list(wire) for wire in wires]}\n"
    await asyncio.to_thread((folder / "board.yaml").write_text, text)
    board = await asyncio.to_thread(open_board, f"sim:{folder}")
    _WATCHES[folder] = await asyncio.to_thread(PinWatch, folder)
    try:
        yield board
    finally:
        board.close()


async def run(folder: Path, guard: ModelGuard, *wires: tuple[int, int]) -> tuple[str, str]:
    async with board_with(folder, wires) as board:
        found = await PwmLoop(board, "pwm0", guard.open, "selftest").run()
    return found.state, found.text


def pulse(folder: Path) -> float:
    """The pulse on the sending pin in us; it is read from the file that outlives processes."""
    return _WATCHES[folder].read(SENDER).value


_WATCHES: dict[Path, PinWatch] = {}


async def test_pulses_that_arrive_pass_and_the_pin_rests_afterwards(tmp_path: Path) -> None:
    guard = ModelGuard()
    state, text = await run(tmp_path, guard, (SENDER, LISTENER))
    assert state == "passed", text
    arrived_as = "Pulses of 100 and 200 us arrive with 100 and 200 us"
    assert text == f"{arrived_as}, 500 Hz; 9 of 10 within 0 us."
    assert guard.is_left
    assert [(will.target, len(will.writes)) for will in guard.wills] == [("selftest", 1)]
    assert pulse(tmp_path) == 0.0


async def test_without_a_wire_nothing_arrives(tmp_path: Path) -> None:
    state, text = await run(tmp_path, ModelGuard())
    assert (state, text) == ("not_connected", "No pulse arrived at GPIO6.")
    assert pulse(tmp_path) == 0.0


async def test_listener_that_is_high_at_rest_gets_no_pulse(tmp_path: Path) -> None:
    guard = ModelGuard()
    async with board_with(tmp_path, [(SENDER, LISTENER)]) as board:
        board.edges((LISTENER,), "model", pull_up=True).close()  # its pull-up, without the wire
        found = await PwmLoop(board, "pwm0", guard.open, "selftest").run()
    assert (found.state, guard.wills) == ("not_connected", [])
    assert "used as a plain pin since this node started? Then restart the node." in found.fix


async def test_without_a_guard_nothing_is_driven(tmp_path: Path) -> None:
    async def refuse(*_: object) -> ModelGuard:
        raise SaintError(Code.HARDWARE_FAULT, "the guard did not accept the will")

    async with board_with(tmp_path, [(SENDER, LISTENER)]) as board:
        found = await PwmLoop(board, "pwm0", refuse, "selftest").run()
    assert (found.state, pulse(tmp_path)) == ("skipped", 0.0)


async def test_guard_that_forbids_ends_the_test(tmp_path: Path) -> None:
    guard = ModelGuard()
    guard.may = False
    state, _ = await run(tmp_path, guard, (SENDER, LISTENER))
    assert (state, pulse(tmp_path)) == ("skipped", 0.0)


@pytest.mark.parametrize("how", ["end", "lost", "cancelled"])
async def test_pulses_end_at_once_when_the_test_is_ended(tmp_path: Path, how: str) -> None:
    guard = ModelGuard()
    async with board_with(tmp_path, [(SENDER, LISTENER)]) as board:
        loop = PwmLoop(board, "pwm0", guard.open, "selftest")
        task = asyncio.ensure_future(loop.run())
        await until(lambda: pulse(tmp_path) > 0.0)
        assert guard.is_moving()
        if how == "end":
            loop.end("a role starts")
        elif how == "lost":
            guard.lose("the guard has stopped the outputs")
        else:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert pulse(tmp_path) == 0.0
        assert guard.is_left
        if how != "cancelled":
            found = await task
            assert (found.state, "were ended" in found.text) == ("skipped", True)
        assert pulse(tmp_path) == 0.0


async def test_no_pulse_moves_a_servo_or_turns_a_motor(tmp_path: Path) -> None:
    """Typed by hand: at most 200 us, a tenth of the time."""
    longest = 0.0
    guard = ModelGuard()
    async with board_with(tmp_path, [(SENDER, LISTENER)]) as board:
        task = asyncio.ensure_future(PwmLoop(board, "pwm0", guard.open, "selftest").run())
        while not task.done():
            longest = max(longest, pulse(tmp_path))
            await asyncio.wait({task}, timeout=0.005)
    assert 0.0 < longest <= 200.0
    assert pwm_loop.FREQUENCY_HZ * max(pwm_loop.PULSES_US) / 1e6 <= 0.1


def late(every: int, by_us: float) -> PulseTrain:
    """Pulses of which each so many ends late."""
    edges = list(arrived(100, 100, 2000).edges)
    for number in range(1, len(edges), 2 * every):
        edges[number] = Edge(False, edges[number].stamp_us + by_us)
    return PulseTrain(100, tuple(edges))


def arrived(wanted_us: float, width_us: float, period_us: float, count: int = 75) -> PulseTrain:
    edges = []
    for number in range(count):
        edges += [Edge(True, number * period_us), Edge(False, number * period_us + width_us)]
    return PulseTrain(wanted_us, tuple(edges))


FAULTS = {
    "half lost": ([arrived(100, 100, 2000, 30), arrived(200, 200, 2000)], "30 arrived"),
    "too short": ([arrived(100, 57, 2000), arrived(200, 157, 2000)], "arrive with 57 us"),
    "too long": ([arrived(100, 100, 2000), arrived(200, 240, 2000)], "arrive with 240 us"),
    "slow clock": ([arrived(100, 100, 2100), arrived(200, 200, 2100)], "arrive as 476"),
    "spread": ([late(5, 80), arrived(200, 200, 2000)], "1 of 10 is off by 80 us or more"),
    "second is missing": ([arrived(100, 100, 2000), PulseTrain(200, ())], "0 arrived"),
}


@pytest.mark.parametrize(("found", "said"), FAULTS.values(), ids=FAULTS)
def test_wrong_pulses_fail(found: list[PulseTrain], said: str) -> None:
    result = judged("pwm0_jumper", LISTENER, found)
    assert result
    assert (result.state, said in result.text) == ("failed", True), result


def test_jitter_of_some_microseconds_passes() -> None:
    result = judged("pwm0_jumper", LISTENER, [arrived(100, 108, 2003), arrived(200, 193, 1998)])
    assert result and result.state == "passed"


def test_spread_is_reported_and_a_few_late_pulses_pass() -> None:
    result = judged("pwm0_jumper", LISTENER, [late(20, 400), arrived(200, 200, 2000)])
    assert result and (result.state, "9 of 10 within 0 us" in result.text) == ("passed", True)
    result = judged("pwm0_jumper", LISTENER, [late(5, 30), arrived(200, 200, 2000)])
    assert result and (result.state, "9 of 10 within 30 us" in result.text) == ("passed", True)
