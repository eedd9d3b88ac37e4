"""The RC commands of the WebSocket API, with a real rcd behind them."""

import types
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from saint_services.lib.access.audit import AuditRecord
from saint_services.lib.errors import SaintError
from saint_services.webd.actions.act import Caller, data_of
from saint_services.webd.actions.table import ACTIONS
from saint_services.webd.robot.daemon_clients import DaemonClients
from tests.audit_log import collected
from tests.unit.rcd.rig import Line, Robot, crsf, robot
from tests.waiting import until

Data = dict[str, Any]


class Desk:
    """Sends actions as a client does, to a receiver that is there."""

    def __init__(self, receiver: Robot, entries: list[AuditRecord]) -> None:
        self.receiver = receiver
        self.entries = entries
        daemons = DaemonClients(*[receiver.client] * 6)
        self._robot: Any = types.SimpleNamespace(daemons=daemons)

    async def notes(self, count: int) -> list[str]:
        """The sentences of the log, of which there must be so many."""
        await until(lambda: len(self.entries) >= count)
        return [each.text for each in self.entries]

    async def do(self, name: str, /, **params: object) -> Data:
        action = ACTIONS["rc"][name]
        return data_of(await action.handler(self._robot, Caller("test"), action.params(**params)))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    line = Line(tmp_path / "receiver")
    async with collected(tmp_path / "run") as entries, robot(line, tmp_path) as receiver:
        yield Desk(receiver, entries)
    line.unplug()


async def test_every_command_of_the_table_is_there() -> None:
    table = {
        "get_status", "set_enabled", "get_channel_config", "set_channel_config",
        "calibrate_channel", "set_failsafe", "get_protocol", "set_protocol",
    }  # fmt: skip
    assert table <= set(ACTIONS["rc"])


async def test_channel_of_the_specification_s_example_is_set(desk: Desk) -> None:
    example = {
        "channel": 1, "name": "steering", "min": 1000, "max": 2000, "center": 1500,
        "reversed": False,
    }  # fmt: skip
    assert await desk.do("set_channel_config", **example) == example
    assert await desk.do("get_channel_config", channel=1) == example
    assert len((await desk.do("get_channel_config"))["channels"]) == 18
    assert await desk.notes(1) == ["RC CH 1 was configured"]
    (entry,) = desk.entries
    assert (entry.who, entry.level, entry.what) == ("anyone", "admin", "rc set_channel_config")
    assert "channel: 1, name: steering" in entry.detail


async def test_status_has_what_the_specification_shows(desk: Desk) -> None:
    async with desk.receiver.stick(crsf(ch1=2000)):
        await until(lambda: bool(desk.receiver.live))
        status = await desk.do("get_status")
    shown = {"enabled", "connected", "protocol", "failsafe", "rssi", "frame_rate_hz", "channels"}
    assert shown <= set(status)
    assert {"channel": 1, "raw": 1792, "normalized": 1.0, "name": ""}.items() <= status["channels"][
        0
    ].items()


async def test_stick_calibrates_its_channel(desk: Desk) -> None:
    async with desk.receiver.stick(crsf(ch3=1900)):
        await until(lambda: bool(desk.receiver.live))
        assert (await desk.do("calibrate_channel", channel=3, position="max"))["max"] == 1900


@pytest.mark.parametrize("action", ["hold", "neutral", "estop", "passthrough"])
async def test_failsafe_is_set(desk: Desk, action: str) -> None:
    assert (await desk.do("set_failsafe", action=action))["action"] == action
    assert (await desk.do("get_failsafe"))["action"] == action


async def test_protocol_is_set_and_reported(desk: Desk) -> None:
    assert (await desk.do("set_protocol", protocol="sbus"))["baud_rate"] == 100_000
    assert (await desk.do("get_protocol"))["protocol"] == "sbus"
    assert (await desk.do("set_protocol", protocol="ppm"))["device"] == "GPIO18"
    assert (await desk.do("set_protocol", protocol="pwm", pins=[22, 25]))["pins"] == [22, 25]
    with pytest.raises(SaintError, match="crsf cannot have these 1 pins"):
        await desk.do("set_protocol", protocol="crsf", pins=[22])


async def test_calibration_is_begun_and_given_up(desk: Desk) -> None:
    assert (await desk.do("get_calibration"))["step"] == "idle"
    async with desk.receiver.stick(crsf()):
        await until(lambda: bool(desk.receiver.live))
        assert (await desk.do("calibration", step="start"))["step"] == "center"
        assert (await desk.do("calibration", step="cancel"))["step"] == "idle"
    assert await desk.notes(2) == ["RC calibration: start", "RC calibration: cancel"]


async def test_reset_forgets_all_or_the_named_parts(desk: Desk) -> None:
    await desk.do("set_failsafe", action="estop")
    await desk.do("set_channel_config", channel=1, min=1100)
    assert (await desk.do("reset", parts=["failsafe"]))["failsafe_action"] == "hold"
    assert (await desk.do("get_channel_config", channel=1))["min"] == 1100
    await desk.do("reset")
    assert (await desk.do("get_channel_config", channel=1))["min"] == 1000
    assert "RC receiver was reset: failsafe" in await desk.notes(1)


async def test_silent_line_is_detected_as_silent(desk: Desk) -> None:
    assert "nothing was received" in (await desk.do("detect_protocol", seconds=0.2))["text"]


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("get_channel_config", {"channel": 0}),
        ("set_channel_config", {"min": 1000}),
        ("set_channel_config", {"channel": 1, "minimum": 1000}),
        ("set_channel_config", {"channel": 1, "min": 4096}),
        ("calibrate_channel", {"channel": 1, "position": "middle"}),
        ("set_failsafe", {"action": "halt"}),
        ("set_protocol", {"protocol": "srxl"}),
        ("reset", {"parts": ["stick"]}),
        ("reset", {"parts": []}),
        ("calibration", {"step": "jump"}),
        ("detect_protocol", {"seconds": 99}),
    ],
)
def test_wrong_params_are_refused(name: str, params: Data) -> None:
    with pytest.raises(ValidationError):
        ACTIONS["rc"][name].params(**params)
