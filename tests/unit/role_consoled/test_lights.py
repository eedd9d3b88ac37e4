"""The signals of the lights, and their bytes on the wire. Colours are typed by hand."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import ConsoleAlert, EStop, RouteStatus
from saint_services.lib.generated.topics import CONSOLE_ALERTS, ESTOP, ROUTER_STATUS
from saint_services.lib.role_config.model import RoleConfig
from saint_services.role_consoled.config import Config
from saint_services.role_consoled.daemon import run
from saint_services.role_consoled.lights import LightInputs, LightSignal, Pattern, picture, signal
from tests.unit.role.host_rig import House, house, load_role
from tools.sim.board import SimBoard
from tools.sim.chips.spi import SimSpi, last_sent, read_lights

DARK = (0, 0, 0)
RED = (51, 0, 0)  # a fifth of 255, as Config says
ORANGE, GREEN, BLUE, WHITE = (51, 16, 0), (0, 51, 0), (0, 12, 51), (40, 40, 40)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        (
            LightInputs(True, False, True, True),
            LightSignal.ESTOP,
        ),
        (
            LightInputs(False, False, True, True),
            LightSignal.FAULT,
        ),
        (
            LightInputs(False, False, False, True),
            LightSignal.NO_SERVER,
        ),
        (
            LightInputs(False, True, False, True),
            LightSignal.DRIVEN,
        ),
        (
            LightInputs(False, True, False, False),
            LightSignal.READY,
        ),
    ],
)
def test_worst_state_is_shown(inputs: LightInputs, expected: LightSignal) -> None:
    assert signal(inputs) is expected


@pytest.mark.parametrize(
    ("shown", "now_s", "expected"),
    [
        (LightSignal.READY, 0.0, [GREEN] * 4),
        (LightSignal.READY, 1.0, [GREEN] * 4),
        (LightSignal.ESTOP, 0.1, [RED] * 4),
        (LightSignal.ESTOP, 0.3, [DARK] * 4),
        (LightSignal.FAULT, 0.1, [ORANGE, ORANGE, DARK, DARK]),
        (LightSignal.FAULT, 0.6, [DARK, DARK, ORANGE, ORANGE]),
        (LightSignal.NO_SERVER, 0.1, [WHITE, DARK, DARK, DARK]),
        (LightSignal.NO_SERVER, 1.1, [DARK] * 4),
        (LightSignal.DRIVEN, 0.1, [BLUE, DARK, DARK, BLUE]),
        (LightSignal.DRIVEN, 0.4, [DARK, BLUE, DARK, DARK]),
    ],
)
def test_each_state_has_its_colour_and_its_pattern(
    shown: LightSignal, now_s: float, expected: list[tuple[int, int, int]]
) -> None:
    assert picture(shown, 4, 0.2, now_s) == expected


def test_no_two_states_share_a_colour_or_a_pattern() -> None:
    assert (
        len({shown.value[0] for shown in LightSignal})
        == len({shown.value[1] for shown in LightSignal})
        == 5
    )
    assert {shown.value[1] for shown in LightSignal} == set(Pattern)


def test_no_light_flashes_faster_than_is_good_for_people() -> None:
    for shown in LightSignal:  # WCAG 2.3.1: three flashes a second
        lit = [picture(shown, 1, 1.0, step / 100)[0] != DARK for step in range(1000)]
        flashes = sum(now and not before for before, now in itertools.pairwise(lit))
        assert flashes <= 20, shown  # in ten seconds


@pytest.fixture
async def console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    run_daemon = house(tmp_path, monkeypatch, "role-consoled", Config(), run, has_router=False)
    async with run_daemon as found:
        yield found


Lit = list[tuple[int, int, int]]


async def lit(found: House) -> Lit:
    return await asyncio.to_thread(read_lights, found.hw, 0, 0, "grb")


async def becomes(found: House, is_right: Callable[[Lit], bool]) -> None:
    async with asyncio.timeout(5.0):
        while not is_right(await lit(found)):  # each look is a thread's, so other tasks run
            pass


async def test_bytes_on_the_wire_are_those_of_a_green_strip(console: House) -> None:
    config = load_role("console")
    async with aclosing(console.assign(config)) as reports:
        await anext(reports)
        console.prove()
        await becomes(console, lambda now: now == [GREEN] * 8)
        # Green, red, blue: 0x33 is 00110011, a 0 is 100, a 1 is 110.
        green = "100100110110100100110110"
        light = int(green + "100" * 16, 2).to_bytes(9, "big")
        sent = await asyncio.to_thread(last_sent, console.hw, 0, 0)
        assert sent == bytes(90) + light * 8 + bytes(90)
    await becomes(console, lambda now: now == [DARK] * 8)  # the assignment has ended


async def test_lights_follow_stop_fault_and_driving(console: House) -> None:
    def send(topic: Any, message: Any) -> None:
        console.router.publisher(topic).publish(message)

    async with aclosing(console.assign(load_role("console"))) as reports:
        await anext(reports)
        await becomes(console, lambda now: now[:1] == [WHITE])  # there is no router yet
        driving = RouteStatus(state="routing")
        console.prove()
        await console.live(0.4, lambda: send(ROUTER_STATUS, driving))
        assert set(await lit(console)) == {BLUE, DARK}
        send(CONSOLE_ALERTS, ConsoleAlert(severity="error", code="internal", text="too hot"))
        await becomes(console, lambda now: set(now) == {ORANGE, DARK})
        send(ESTOP, EStop(active=True, generation=1))
        await becomes(console, lambda now: now == [RED] * 8)


async def test_strip_that_cannot_be_written_is_reported_and_stops_nothing(
    console: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_broken = True
    write = SimSpi.write

    def fail(self: SimSpi, data: bytes) -> None:
        if is_broken:
            raise OSError(5, "Input/output error")
        write(self, data)

    monkeypatch.setattr(SimSpi, "write", fail)
    monkeypatch.setattr("saint_services.role_consoled.adapters._AGAIN_S", 0.1)
    async with aclosing(console.assign(load_role("console"))) as reports:
        seen = [await anext(reports)]
        while "lights: " not in seen[-1].reason and "Input/output error" not in seen[-1].reason:
            seen.append(await anext(reports))
        assert seen[-1].ready
        is_broken = False
        while seen[-1].reason:
            seen.append(await anext(reports))
        assert seen[-1].ready


async def test_bus_that_is_not_there_is_an_error_only_where_lights_are_required(
    console: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise SaintError(Code.HARDWARE_MISSING, "SPI bus 0, select 0 cannot be opened")

    monkeypatch.setattr(SimBoard, "spi", missing)
    config = load_role("console")
    async with aclosing(console.assign(config)) as reports:
        report = await anext(reports)
        assert report.ready
        assert report.reason == "the lights stay dark: SPI bus 0, select 0 cannot be opened"
    async with aclosing(console.assign(_required(config))) as reports:
        refused = await anext(reports)
        assert not refused.ready and "cannot be opened" in refused.reason


def _required(config: RoleConfig) -> RoleConfig:
    lights = config.spi_devices["lights"].model_copy(update={"required": True})
    return config.model_copy(update={"spi_devices": {"lights": lights}})
