"""The console at work: display, buttons, what it publishes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.api.node import RoleReport
from saint_services.lib.bus import Sample
from saint_services.lib.generated.saint_msgs import (
    ConsoleAlert,
    ConsoleDisplay,
    ConsoleInput,
    ConsoleOverride,
    EStop,
    EStopPress,
    RoleFault,
)
from saint_services.lib.generated.topics import (
    CONSOLE_ALERTS,
    CONSOLE_DISPLAY,
    CONSOLE_INPUT,
    CONSOLE_OVERRIDE,
    ESTOP,
    ROLE_FAULTS,
    ROUTER_HEARTBEAT,
)
from saint_services.lib.hw.displays.font import read_row
from saint_services.lib.hw.pins import button
from saint_services.lib.role_config.model import RoleConfig
from saint_services.role_consoled.config import Config
from saint_services.role_consoled.daemon import run
from tests.unit.role.host_rig import House, house, load_role
from tests.unit.role.role_rig import Rig
from tests.waiting import until
from tools.sim.chips.outputs import Ssd1306Chip

# Buttons need a running loop.
WITHOUT_BUTTONS = load_role("console", gpio_mapping={}, overrides={}, reset_button="")


class Seat:
    """A person in front of the console."""

    def __init__(self, found: House, chip: Ssd1306Chip) -> None:
        self.house = found
        self.events: list[ConsoleInput] = []
        self._chip = chip
        found.router.subscribe(CONSOLE_INPUT, self._receive)

    @classmethod
    async def at(cls, found: House) -> "Seat":
        return cls(found, await asyncio.to_thread(Ssd1306Chip, found.hw / "i2c-1-3c"))

    def lines(self) -> list[str]:
        frame = self._chip.frame()
        return [read_row(frame[start : start + 128]) for start in range(0, 1024, 128)]

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines())

    def send(self, topic: Any, message: Any) -> None:
        self.house.router.publisher(topic).publish(message)

    def _receive(self, sample: Sample[ConsoleInput]) -> None:
        self.events.append(sample.message)


@pytest.fixture
async def seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Seat]:
    run_daemon = house(tmp_path, monkeypatch, "role-consoled", Config(), run, has_router=False)
    async with run_daemon as found:
        seat = await Seat.at(found)
        async with aclosing(found.assign(load_role("console"))) as reports:
            assert (await anext(reports)).ready
            yield seat


async def test_status_page_appears(seat: Seat) -> None:
    await until(lambda: seat.shows("no router"))
    assert seat.lines()[:3] == ["SAINT-01", "pi_1", "console"]


async def test_living_router_is_shown(seat: Seat) -> None:
    seat.house.prove()
    await until(lambda: seat.shows("running"))


async def test_estop_is_shown(seat: Seat) -> None:
    seat.send(ESTOP, EStop(active=True, generation=1))
    await until(lambda: seat.shows("E-STOP"))


async def test_estop_is_shown_with_who_raised_it_and_why(seat: Seat) -> None:
    seat.send(ESTOP, EStop(active=True, source="arms.left", reason="it burns", generation=1))
    await until(lambda: seat.shows("arms.left: it burns"))


async def test_newest_press_is_shown_with_the_number_of_the_others(seat: Seat) -> None:
    presses = [EStopPress("rc", "switch"), EStopPress("web", "child in front")]
    stop = EStop(active=True, source="rc", reason="switch", generation=2, presses=presses)
    seat.send(ESTOP, stop)
    await until(lambda: seat.shows("+1 more. web: child"))


async def test_fault_of_a_role_is_an_alert(seat: Seat) -> None:
    seat.send(ROLE_FAULTS, RoleFault(target="head", text="face does not answer"))
    await until(lambda: seat.shows("ERROR") and seat.shows("face does not answer"))


async def test_stop_button_publishes_the_override(seat: Seat) -> None:
    received: list[ConsoleOverride] = []
    seat.house.router.subscribe(CONSOLE_OVERRIDE, lambda sample: received.append(sample.message))
    seat.house.pins.write(5, 0.0)  # button_a has no override
    await until(lambda: len(seat.events) == 1)
    assert received == []
    seat.house.pins.write(6, 0.0)
    await until(lambda: bool(received))
    assert [(each.target, each.action) for each in received] == [("", "stop")]


async def test_stop_is_cleared_by_a_button_that_is_held_not_by_a_touch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(button, "HELD_S", 0.05)  # 5 s, see tests/unit/hw/test_button.py
    wanted = load_role("console").model_copy(
        update={"overrides": {"button_a": "clear", "button_b": "home"}, "reset_button": ""}
    )
    async with house(tmp_path, monkeypatch, "role-consoled", Config(), run) as found:
        seat = await Seat.at(found)
        async with aclosing(found.assign(wanted)) as reports:
            await anext(reports)
            received: list[ConsoleOverride] = []
            found.router.subscribe(CONSOLE_OVERRIDE, lambda s: received.append(s.message))
            actions = lambda: [each.action for each in received]  # noqa: E731
            seat.send(ESTOP, EStop(active=True, source="rc", reason="switch", generation=41))
            await until(lambda: seat.shows("rc: switch"))
            found.pins.write(6, 0.0)
            await until(lambda: actions() == ["home"])
            found.pins.write(5, 0.0)
            await until(lambda: any(e.control == "button_a" for e in seat.events))
            assert actions() == ["home"]
            await until(lambda: actions() == ["home", "clear"])
            assert received[-1].generation == 41  # what the display showed when it was pressed


async def test_page_is_shown(seat: Seat) -> None:
    seat.send(CONSOLE_DISPLAY, ConsoleDisplay(lines=["Hello", "there"], duration_s=0.0))
    await until(lambda: seat.lines()[:3] == ["Hello", "there", ""])


async def test_alert_is_shown_until_a_button_is_pressed(seat: Seat) -> None:
    seat.send(CONSOLE_ALERTS, ConsoleAlert(severity="critical", code="internal", text="too hot"))
    await until(lambda: seat.shows("CRITICAL") and seat.shows("too hot"))
    seat.house.pins.write(5, 0.0)
    await until(lambda: seat.shows("SAINT-01"))


async def test_button_press_and_release_are_published(seat: Seat) -> None:
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
        await until(lambda: seat.shows("running"))
        await reports.aclose()
        await until(lambda: not any(seat.lines()))


@pytest.mark.parametrize(("pin", "expected"), [(5, True), (6, False)])
async def test_reset_button_that_is_held_requests_a_reset(
    seat: Seat, monkeypatch: pytest.MonkeyPatch, pin: int, expected: bool
) -> None:
    monkeypatch.setattr(button, "HELD_S", 0.05)  # 5 s, see tests/unit/hw/test_button.py
    before = await seat.house.client.get("/status", RoleReport)
    seat.house.pins.write(pin, 0.0)
    await until(lambda: any(event.event == "held" for event in seat.events))
    after = await seat.house.client.get("/status", RoleReport)
    assert (before.reset_wanted, after.reset_wanted) == (False, expected)


def test_one_button_cannot_clear_the_stop_and_reset_the_node() -> None:
    change = {"overrides": {"button_a": "clear"}, "reset_button": "button_a"}
    with pytest.raises(ValidationError, match="button_a cannot clear and reset"):
        RoleConfig.model_validate(load_role("console").model_dump(mode="json") | change)


@pytest.mark.parametrize("change", [{"overrides": {"red": "stop"}}, {"reset_button": "red"}])
def test_button_that_is_not_there_is_refused_by_name(change: dict[str, Any]) -> None:
    data = load_role("console").model_dump(mode="json") | change
    with pytest.raises(ValidationError, match="'red', which is not in gpio_mapping"):
        RoleConfig.model_validate(data)


def test_console_at_rest_wakes_once_a_second(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "console", WITHOUT_BUTTONS)
    rig.estop(False, 1)
    rig.clock.advance(1.0)  # the first page is drawn
    before = rig.clock.calls
    rig.clock.advance(4.0)
    rig.close()
    # Each second a refresh and its drawing; the reports of a stop each 0.5 s, the router each 3 s.
    assert rig.clock.calls - before <= 4 * 4 + 2


def test_console_does_not_subscribe_to_the_heartbeat(tmp_path: Path) -> None:
    rig = Rig(tmp_path, "console", WITHOUT_BUTTONS)
    assert ROUTER_HEARTBEAT.name not in rig.bus._callbacks
    rig.close()
