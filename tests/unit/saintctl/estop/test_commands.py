"""`saintctl estop` with fake daemons."""

from saint_services.lib.api.routing import (
    EStopClear,
    EStopInfo,
    EStopRequest,
    PressInfo,
)
from tests.unit.saintctl.conftest import RunSaintctl
from tests.unit.saintctl.fake_daemons import FakeDaemons
from tests.web.fakes.robot import FakeRobot


async def test_show_prints_the_reason_of_a_stop_and_what_to_do(
    robot: FakeRobot, saintctl: RunSaintctl
) -> None:
    assert "not active" in (await saintctl("estop", "show")).stdout
    robot.set_estop(True, "rc", "channel 6 is high")
    text = (await saintctl("estop", "show")).stdout
    assert "active, by rc: channel 6 is high" in text
    assert "saintctl estop clear" in text
    assert '"active": true' in (await saintctl("estop", "show", "--json")).stdout


async def test_estop_set_reaches_the_router(daemons: FakeDaemons) -> None:
    daemons.latch = EStopInfo(active=False, confirmed=True)
    result = await daemons.saintctl("estop", "set", "--reason", "smoke")
    assert result.exit_code == 0
    assert "E-stop is active" in result.stdout
    assert daemons.requests == [EStopRequest(source="saintctl", reason="smoke")]


async def test_estop_set_that_no_role_has_confirmed_exits_7(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("estop", "set")
    assert result.exit_code == 7
    assert daemons.requests == [EStopRequest(source="saintctl", reason="")]


async def test_estop_clear_refused_exits_5_with_the_reason(daemons: FakeDaemons) -> None:
    daemons.latch = EStopInfo(
        active=True,
        generation=7,
        presses=[PressInfo(source="A"), PressInfo(source="B", reason="child in front")],
    )
    result = await daemons.saintctl("estop", "clear")
    assert result.exit_code == 5
    assert "channel_2 is not neutral" in result.stderr
    assert "and by B: child in front" in result.stdout
    assert daemons.requests == [EStopClear(source="saintctl", generation=7)]


async def test_estop_clear_names_the_generation_that_it_is_given(daemons: FakeDaemons) -> None:
    await daemons.saintctl("estop", "clear", "--generation", "3")
    assert daemons.requests == [EStopClear(source="saintctl", generation=3)]


async def test_estop_set_that_is_not_stored_explains_it(daemons: FakeDaemons) -> None:
    daemons.problem = "estop.latch cannot be written: Input/output error"
    result = await daemons.saintctl("estop", "set")
    assert "E-stop is active" in result.stdout
    assert "could not be stored: estop.latch cannot be written" in result.stdout
    assert "switched off" in result.stdout
