"""rcd's control socket: every command of the specification's RC table, live."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.api.rc import (
    CalibrateChannel,
    CalibrationInfo,
    CalibrationStep,
    DetectReport,
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcChannelConfig,
    RcChannelList,
    RcProtocol,
    RcStatus,
    SetChannel,
    SetEnabled,
    SetFailsafe,
    SetProtocol,
)
from saint_services.lib.errors import Code, SaintError
from tests.unit.rcd.rig import Line, Robot, crsf, robot
from tests.waiting import let_pass, until

NAMED = [{"number": 1, "name": "steering"}]
SBUS = (Path(__file__).parents[2] / "data" / "sbus-single.bin").read_bytes()


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


async def calibrate(rc: Robot, number: int, position: str) -> RcChannelConfig:
    body = CalibrateChannel.model_validate({"channel": number, "position": position})
    return await rc.client.post(f"/channels/{number}/calibrate", body, RcChannelConfig)


async def step(rc: Robot, name: str) -> CalibrationInfo:
    body = CalibrationStep.model_validate({"step": name})
    return await rc.client.post("/calibration", body, CalibrationInfo)


async def test_channels_are_listed_and_shown(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, channels=NAMED) as rc:
        channels = (await rc.client.get("/channels", RcChannelList)).channels
        assert [channel.channel for channel in channels] == list(range(1, 19))
        one = await rc.client.get("/channels/1", RcChannelConfig)
        assert one == channels[0] and one.name == "steering"


async def test_range_is_changed_between_two_frames(line: Line, tmp_path: Path) -> None:
    patient = {"timeout_ms": 2000}  # however busy this computer is
    async with robot(line, tmp_path, failsafe=patient) as rc, rc.stick(crsf(ch1=1750)):
        await until(lambda: bool(rc.live))
        assert rc.live[-1].values[0] == 0.5
        before = rc.live[-1].sequence
        body = SetChannel(channel=1, min=1100, reversed=True)
        reply = await rc.client.patch("/channels/1", body, RcChannelConfig)
        assert (reply.min, reply.center, reply.max, reply.reversed) == (1100, 1500, 2000, True)
        await until(lambda: rc.live[-1].values[0] == -0.5)
        await until(lambda: rc.live[-1].sequence > before + 20)
        assert not any(sample.failsafe for sample in rc.samples)
        numbers = [sample.sequence for sample in rc.samples]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    async with robot(line, tmp_path) as rc:  # and it is remembered
        assert (await rc.client.get("/channels/1", RcChannelConfig)).min == 1100


async def test_channel_is_calibrated_where_the_stick_is(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, channels=NAMED) as rc:
        for position, us in (("max", 1900), ("min", 1050), ("center", 1480)):
            async with rc.stick(crsf(ch1=us)):
                raw = round((us - 880) * 1.6)
                await until(lambda raw=raw: rc.raw(1) == raw)
                await calibrate(rc, 1, position)
        one = await rc.client.get("/channels/1", RcChannelConfig)
        assert (one.name, one.min, one.center, one.max) == ("steering", 1050, 1480, 1900)


async def test_wrong_range_is_refused_with_its_numbers(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match="would be 1600, 1500 and 2000 us") as caught:
            await rc.client.patch("/channels/1", SetChannel(channel=1, min=1600), RcChannelConfig)
        assert caught.value.code is Code.REQUEST_INVALID
        async with rc.stick(crsf()):
            await until(lambda: bool(rc.live))
            with pytest.raises(SaintError, match="min, center and max must rise"):
                await calibrate(rc, 1, "max")


@pytest.mark.parametrize("number", ["0", "19", "-1", "x", "1.5", "²"])
async def test_unknown_channel_is_refused_with_its_number(
    line: Line, tmp_path: Path, number: str
) -> None:
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match="channel must be") as caught:
            await rc.client.get(f"/channels/{number}", RcChannelConfig)
        assert caught.value.code is Code.REQUEST_INVALID


async def test_silent_channel_is_not_calibrated(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match="CH 3 is not received: nothing was received yet"):
            await calibrate(rc, 3, "center")


async def test_failsafe_is_shown_set_and_kept(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/failsafe", FailsafeInfo)).action == "hold"
        body = SetFailsafe(action="neutral", timeout_ms=500)
        reply = await rc.client.post("/failsafe", body, FailsafeInfo)
        assert (reply.action, reply.timeout_ms, reply.lost_frames) == ("neutral", 500, 10)
        assert (await rc.status()).failsafe_action == "neutral"
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/failsafe", FailsafeInfo)).timeout_ms == 500


async def test_protocol_is_changed_and_received(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        reply = await rc.client.post("/protocol", SetProtocol(protocol="sbus"), ProtocolInfo)
        assert (reply.protocol, reply.baud_rate) == ("sbus", 100_000)
        await until(lambda: rc.samples[-1].failsafe)
        await rc.drive_until(lambda: len(rc.live[-1].names) == 18, SBUS)
        assert (await rc.status()).protocol == "sbus"
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/protocol", ProtocolInfo)).protocol == "sbus"


@pytest.mark.parametrize(("protocol", "pins"), [("ppm", [18, 19]), ("sbus", [18])])
async def test_pins_that_a_protocol_cannot_have_are_refused_and_change_nothing(
    line: Line, tmp_path: Path, protocol: RcProtocol, pins: list[int]
) -> None:
    body = SetProtocol(protocol=protocol, pins=pins)
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match=f"{protocol} cannot have these {len(pins)} pins"):
            await rc.client.post("/protocol", body, ProtocolInfo)
        await rc.drive()
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/protocol", ProtocolInfo)).protocol == "crsf"


@pytest.mark.parametrize(
    ("protocol", "pins", "device"),
    [("ppm", [22], "GPIO22"), ("pwm", [22, 25, 4], "GPIO 22, 25, 4"),
     ("ppm", None, "GPIO18"), ("pwm", None, "GPIO 16, 19, 20, 21")],
)  # fmt: skip
async def test_pins_are_set_with_the_protocol_and_stay(
    line: Line, tmp_path: Path, protocol: RcProtocol, pins: list[int] | None, device: str
) -> None:
    async with robot(line, tmp_path) as rc:
        body = SetProtocol(protocol=protocol, pins=pins)
        reply = await rc.client.post("/protocol", body, ProtocolInfo)
        assert (reply.protocol, reply.device, reply.baud_rate) == (protocol, device, None)
        assert reply.pins == (await rc.status()).pins
    async with robot(line, tmp_path) as rc:
        assert (await rc.client.get("/protocol", ProtocolInfo)).device == device
        await rc.client.post("/protocol", SetProtocol(protocol="crsf"), ProtocolInfo)
        assert (await rc.status()).pins == []


async def test_protocol_is_detected_and_applied(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc, rc.stick(SBUS):
        body = DetectRequest(seconds=0.2, apply=True)
        report = await rc.client.post("/detect", body, DetectReport)
        assert (report.protocol, report.baud_rate) == ("sbus", 100_000)
        assert [each.protocol for each in report.seen] == ["crsf", "ghst", "sbus"]
        assert report.seen[0].frames == 0 and report.seen[0].bytes > 0
        await until(lambda: bool(rc.live))
        assert (await rc.status()).protocol == "sbus"


async def test_nothing_detected_leaves_the_protocol(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        body = DetectRequest(seconds=0.2, apply=True)
        report = await rc.client.post("/detect", body, DetectReport)
        assert report.protocol is None and "nothing was received" in report.text
        await rc.drive()


async def test_guided_calibration_from_start_to_save(line: Line, tmp_path: Path) -> None:
    patient = {"timeout_ms": 2000}
    async with robot(line, tmp_path, channels=NAMED, failsafe=patient) as rc:

        async def found() -> CalibrationInfo | None:
            info = await rc.client.get("/calibration", CalibrationInfo)
            return info if info.step == "done" else None

        async with rc.stick(crsf(ch1=1510)):
            await until(lambda: bool(rc.live))
            assert (await step(rc, "start")).step == "center"
            await until(lambda: rc.samples[-1].failsafe)
            before = len(rc.samples)
            await let_pass(0.3)  # the centres are the means of this time
            await step(rc, "next")
        for us in (1000, 1950, 1510):
            async with rc.stick(crsf(ch1=us)):
                await let_pass(0.1)  # some frames, of which one may be lost
        info = await step(rc, "next")
        assert (info.step, info.channel) == ("directions", 1)
        async with rc.stick(crsf(ch1=1000)):
            info = await until(found)
        assert [each.kind for each in info.findings] == ["reversed"]
        assert (await rc.status()).calibrating
        assert not [each for each in rc.samples[before:] if not each.failsafe]
        assert (await step(rc, "save")).step == "idle"
        one = await rc.client.get("/channels/1", RcChannelConfig)
        assert (one.min, one.center, one.max, one.reversed) == (1000, 1510, 1950, True)
        await rc.drive(crsf(ch1=1000))
        assert rc.live[-1].values[0] == 1.0


async def test_calibration_at_the_wrong_time_is_refused(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        with pytest.raises(SaintError, match="no signal to calibrate"):
            await step(rc, "start")
        for name in ("next", "skip", "save", "cancel"):
            with pytest.raises(SaintError, match="no calibration is running"):
                await step(rc, name)
        async with rc.stick(crsf()):
            await until(lambda: bool(rc.live))
            await step(rc, "start")
            with pytest.raises(SaintError, match="not complete"):
                await step(rc, "save")
            with pytest.raises(SaintError, match="a calibration is running"):
                await rc.client.post("/detect", DetectRequest(seconds=0.2), DetectReport)
            await step(rc, "cancel")
            await rc.drive_until(lambda: not rc.samples[-1].failsafe, crsf())


async def test_watch_goes_on_until_its_client_goes(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc, rc.stick(crsf(ch2=1600)):
        await until(lambda: bool(rc.live))
        lines = rc.client.stream("GET", "/watch", None, RcStatus)
        async with contextlib.aclosing(lines):
            first, second = await anext(lines), await anext(lines)
        assert first.channels[1].us == second.channels[1].us == 1600


async def test_forgotten_calibration_is_given_up(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.rcd.api.IDLE_S", 0.2)
    async with robot(line, tmp_path) as rc, rc.stick(crsf()):
        await until(lambda: bool(rc.live))
        await step(rc, "start")
        await until(lambda: rc.samples[-1].failsafe)
        await until(lambda: not rc.samples[-1].failsafe)
        assert not (await rc.status()).calibrating


async def test_ended_calibration_disturbs_nobody_later(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.rcd.api.IDLE_S", 0.1)
    patient = {"timeout_ms": 2000}
    async with robot(line, tmp_path, failsafe=patient, arm={"number": 5}) as rc:
        async with rc.stick(crsf(ch5=1000)):
            await until(lambda: bool(rc.live))
            await step(rc, "start")
            await step(rc, "cancel")
            await rc.drive(crsf(ch5=1000))
        async with rc.stick(crsf(ch5=2000)):
            await until(lambda: len(rc.live[-1].names) == 16)
            count = len(rc.live)
            await until(lambda: len(rc.live) > count + 20)  # longer than the pause
            assert (await rc.status()).armed


async def test_reset_is_as_the_file_says(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.client.patch("/channels/1", SetChannel(channel=1, min=1100), RcChannelConfig)
        await rc.client.post("/protocol", SetProtocol(protocol="sbus"), ProtocolInfo)
        await rc.client.post("/enabled", SetEnabled(enabled=False), RcStatus)
        status = await rc.client.post("/reset", None, RcStatus)
        assert (status.enabled, status.protocol) == (True, "crsf")
        assert (await rc.client.get("/channels/1", RcChannelConfig)).min == 1000
        await rc.drive()
    async with robot(line, tmp_path) as rc:
        assert (await rc.status()).protocol == "crsf"
