"""The console at work: display, buttons, what it tells."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.bus import Sample
from saint_services.lib.generated.saint_msgs import (
    ConsoleAlert,
    ConsoleDisplay,
    ConsoleInput,
    EStop,
)
from saint_services.lib.generated.topics import (
    CONSOLE_ALERTS,
    CONSOLE_DISPLAY,
    CONSOLE_INPUT,
    ESTOP,
)
from saint_services.lib.hw.font import read_row
from saint_services.lib.hw.sim.chips import Ssd1306Chip
from saint_services.role_consoled.config import Config
from saint_services.role_consoled.daemon import run
from tests.unit.role.host_rig import House, house, load_role, until


class Seat:
    """A person in front of the console."""

    def __init__(self, found: House, chip: Ssd1306Chip) -> None:
        self.house = found
        self.events: list[ConsoleInput] = []
        self._chip = chip
        found.router.subscribe(CONSOLE_INPUT, self._heard)

    @classmethod
    async def at(cls, found: House) -> "Seat":
        return cls(found, await asyncio.to_thread(Ssd1306Chip, found.hw / "i2c-1-3c"))

    def lines(self) -> list[str]:
        frame = self._chip.frame()
        return [read_row(frame[start : start + 128]) for start in range(0, 1024, 128)]

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines())

    def tell(self, topic: Any, message: Any) -> None:
        self.house.router.publisher(topic).publish(message)

    def _heard(self, sample: Sample[ConsoleInput]) -> None:
        self.events.append(sample.message)


@pytest.fixture
async def seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Seat]:
    async with house(tmp_path, monkeypatch, "role-consoled", Config(), run) as found:
        seat = await Seat.at(found)
        async with aclosing(found.assign(load_role("console"))) as reports:
            assert (await anext(reports)).ready
            yield seat


async def test_status_page_appears(seat: Seat) -> None:
    await until(lambda: seat.shows("no router"))
    assert seat.lines()[:3] == ["SAINT-01", "pi_1", "console"]


async def test_living_router_is_shown(seat: Seat) -> None:
    await seat.house.live(0.3, lambda: None)
    assert seat.shows("running")


async def test_estop_is_shown(seat: Seat) -> None:
    seat.tell(ESTOP, EStop(active=True, generation=1))
    await until(lambda: seat.shows("E-STOP"))


async def test_page_is_shown(seat: Seat) -> None:
    seat.tell(CONSOLE_DISPLAY, ConsoleDisplay(lines=["Hello", "there"], duration_s=0.0))
    await until(lambda: seat.lines()[:3] == ["Hello", "there", ""])


async def test_alert_is_shown_until_a_button_is_pressed(seat: Seat) -> None:
    seat.tell(CONSOLE_ALERTS, ConsoleAlert(severity="critical", code="internal", text="too hot"))
    await until(lambda: seat.shows("CRITICAL") and seat.shows("too hot"))
    seat.house.pins.write(5, 0.0)
    await until(lambda: seat.shows("SAINT-01"))


async def test_button_press_and_release_are_told(seat: Seat) -> None:
    seat.house.pins.write(5, 0.0)
    await until(lambda: len(seat.events) == 1)
    seat.house.pins.write(5, 1.0)
    await until(lambda: len(seat.events) == 2)
    assert [(e.control, e.event) for e in seat.events] == [
        ("button_a", "pressed"),
        ("button_a", "released"),
    ]
    assert 0.0 < seat.events[1].value < 2.0


async def test_display_goes_dark_when_the_assignment_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(tmp_path, monkeypatch, "role-consoled", Config(), run) as found:
        seat = await Seat.at(found)
        reports = found.assign(load_role("console"))
        await anext(reports)
        await until(lambda: seat.shows("no router"))
        await reports.aclose()
        await until(lambda: not any(seat.lines()))
