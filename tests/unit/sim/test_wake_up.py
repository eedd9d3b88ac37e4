"""Inputs of a simulated board that another process writes."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.sim.board import SimBoard
from tools.sim.observe import PinWatch
from tools.sim.wake_up import WakeUp, wake

BUTTON = 5


@pytest.fixture
def board(tmp_path: Path) -> Iterator[SimBoard]:
    found = SimBoard(tmp_path)
    yield found
    found.close()


@pytest.fixture
def finger(board: SimBoard, tmp_path: Path) -> Iterator[PinWatch]:
    found = PinWatch(tmp_path)
    yield found
    found.close()


async def test_press_by_another_process_is_reported_as_edges(
    board: SimBoard, finger: PinWatch
) -> None:
    button = board.edges((BUTTON,), "button_a", pull_up=True)
    found: asyncio.Queue[tuple[int, bool]] = asyncio.Queue()
    button.listen(lambda pin, level, _: found.put_nowait((pin, level)))
    async with asyncio.timeout(5.0):
        for level in (False, True):
            finger.write(BUTTON, float(level))
            assert await found.get() == (BUTTON, level)
    button.close()
    finger.write(BUTTON, 0.0)
    assert found.empty()


async def test_press_before_the_first_listening_is_reported(
    board: SimBoard, finger: PinWatch
) -> None:
    button = board.edges((BUTTON,), "button_a", pull_up=True)
    finger.write(BUTTON, 0.0)
    found: list[bool] = []
    button.listen(lambda pin, level, _: found.append(level))
    assert found == [False]
    button.close()


async def test_input_that_is_listened_to_is_reported_as_an_input(board: SimBoard) -> None:
    button = board.edges((BUTTON,), "button_a", pull_up=True)
    button.listen(lambda *_: None)
    pin = board.pins()[BUTTON]
    assert (pin.direction, pin.current_state, pin.used_by) == ("input", "high", "button_a")
    button.close()


async def test_many_rings_are_one_call_and_a_closed_wake_up_stops_nobody() -> None:
    calls: asyncio.Queue[None] = asyncio.Queue()
    listener = WakeUp(lambda: calls.put_nowait(None))
    for _ in range(3):
        wake(listener.port)
    async with asyncio.timeout(5.0):
        await calls.get()
    assert calls.empty()
    listener.close()
    wake(listener.port)
