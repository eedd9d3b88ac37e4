"""The reset button calls when held; a line that is always low has no button; roles come first."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw.ports import Board, EdgeCallback
from saint_services.lib.role_config.model import RoleConfig
from saint_services.noded.adapters import reset_button
from saint_services.noded.adapters.reset_button import ResetButton


class FakeEdges:
    def __init__(self, pin: int, is_high: bool) -> None:
        self.pin, self.is_high, self.is_open = pin, is_high, True
        self.callback: EdgeCallback | None = None

    def levels(self) -> dict[int, bool]:
        return {self.pin: self.is_high}

    def listen(self, callback: EdgeCallback) -> None:
        self.callback = callback

    def close(self) -> None:
        self.is_open = False

    def go(self, is_high: bool) -> None:
        assert self.callback
        self.callback(self.pin, is_high, 0)


class FakeBoard:
    def __init__(self, is_high: bool = True, problem: SaintError | None = None) -> None:
        self.opened: list[FakeEdges] = []
        self._is_high = is_high
        self._problem = problem

    def edges(self, pins: Sequence[int], used_by: str, *, pull_up: bool = False) -> FakeEdges:
        if self._problem:
            raise self._problem
        assert pull_up
        self.opened.append(FakeEdges(pins[0], self._is_high))
        return self.opened[-1]


class Watched:
    """A button on its board, and whether it was held."""

    def __init__(self, is_high: bool = True, pin: int | None = 26) -> None:
        self.held = asyncio.Event()
        self.times = 0
        self.board = FakeBoard(is_high)
        self.button = ResetButton(pin, self._on_held)

    def watch(self, role: RoleConfig | None = None) -> None:
        self.button.watch(cast(Board, self.board), (role,) if role else ())

    def _on_held(self) -> None:
        self.times += 1
        self.held.set()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saint_services.lib.hw.pins.button.HELD_S", 0.05)
    monkeypatch.setattr("saint_services.lib.hw.pins.button.BOUNCE_S", 0.0)


def role_with(**pins: object) -> RoleConfig:
    return RoleConfig.model_validate(
        {
            "role": "tracks", "version": "1", "topic_prefix": "/saint/tracks",
            "gpio_mapping": {"left_motor": pins},
        }
    )  # fmt: skip


async def test_roles_are_searched_for_the_pin_only_when_they_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched: list[RoleConfig] = []
    uses = reset_button._uses
    monkeypatch.setattr(
        reset_button, "_uses", lambda role, pin: searched.append(role) or uses(role, pin)
    )
    watched, role, other = (
        Watched(),
        role_with(type="hbridge", pin=12),
        role_with(type="hbridge", pin=26),
    )
    for _ in range(10):
        watched.watch(role)
    assert searched == [role]
    watched.watch(other)
    watched.watch(other)
    assert len(searched) == 2 and not watched.board.opened[-1].is_open


async def test_pin_that_could_not_be_opened_is_tried_again() -> None:
    watched, role = Watched(), role_with(type="hbridge", pin=12)
    watched.board._problem = SaintError(Code.HARDWARE_MISSING, "the line is in use")
    watched.watch(role)
    assert watched.board.opened == []
    watched.board._problem = None
    watched.watch(role)
    assert watched.board.opened[-1].is_open


async def test_held_button_calls_once():
    watched = Watched()
    watched.watch()
    watched.board.opened[0].go(False)
    await asyncio.wait_for(watched.held.wait(), 2.0)
    watched.board.opened[0].go(True)
    assert watched.times == 1
    watched.button.close()


async def test_line_that_was_never_released_is_no_button_until_it_is():
    watched = Watched(is_high=False)
    watched.watch()
    edges = watched.board.opened[0]
    edges.go(False)
    edges.go(True)
    edges.go(False)
    await asyncio.wait_for(watched.held.wait(), 2.0)
    assert watched.times == 1
    watched.button.close()


@pytest.mark.parametrize(
    "pins",
    [
        {"type": "hbridge", "pin": 26},
        {"type": "hbridge", "pin": 12, "direction_pin": 26},
        {"type": "bts7960", "pin": 12, "reverse_pin": 13, "enable_pins": [5, 26]},
    ],
)
async def test_pin_that_the_role_wants_is_given_back(pins: dict[str, object]):
    watched = Watched()
    watched.watch()
    watched.watch(role_with(**pins))
    assert not watched.board.opened[0].is_open
    watched.watch(role_with(type="hbridge", pin=12))
    assert watched.board.opened[1].is_open
    watched.button.close()


async def test_without_a_pin_nothing_is_opened():
    watched = Watched(pin=None)
    watched.watch()
    assert watched.board.opened == []


async def test_pin_that_cannot_be_opened_is_reported_and_harmless():
    watched = Watched()
    taken = SaintError(Code.HARDWARE_FAULT, "GPIO26 is held by fan")
    watched.button.watch(cast(Board, FakeBoard(problem=taken)), ())
    assert "GPIO26 is held by fan" in watched.button.problem


async def test_event_after_the_end_opens_nothing_again():
    watched = Watched()
    watched.watch()
    watched.button.close()
    watched.watch()
    assert [each.is_open for each in watched.board.opened] == [False]
