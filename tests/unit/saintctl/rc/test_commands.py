"""`saintctl rc` with a running rcd."""

import asyncio
import contextlib
import io
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import rich  # noqa: F401  # looks for its folder when it is first imported
from typer.testing import CliRunner, Result

from saint_services.lib.api.rc import RcChannelConfig
from saint_services.saintctl.app import app
from saint_services.saintctl.rc import calibrate as rc_calibrate
from saint_services.saintctl.rc.view import bar
from tests.unit.rcd.rig import Line, Robot, crsf, robot
from tests.waiting import let_pass, turns, until

pytestmark = [pytest.mark.timed, pytest.mark.slow]


class Desk:
    """saintctl on the machine of the receiver."""

    def __init__(self, receiver: Robot, run: Path) -> None:
        self.receiver = receiver
        self._run = run

    async def saintctl(self, *arguments: str) -> Result:
        command = ["--run", str(self._run), "rc", *arguments]
        return await asyncio.to_thread(CliRunner().invoke, app, command)

    async def ok(self, *arguments: str) -> str:
        result = await self.saintctl(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    line = Line(tmp_path / "receiver")
    named, quick = [{"number": 1, "name": "steering"}], {"recovery_ms": 0}
    async with robot(line, tmp_path, channels=named, failsafe=quick) as receiver:
        yield Desk(receiver, tmp_path / "run")
    line.unplug()


async def test_status_shows_signal_and_channels(desk: Desk) -> None:
    assert "no frame is received" in await desk.ok("status")
    async with desk.receiver.stick(crsf(ch1=1750)):
        await until(lambda: bool(desk.receiver.live))
        text = " ".join((await desk.ok("status")).split())
        shown = json.loads(await desk.ok("status", "--json"))
    assert "CRSF on" in text and ": in use" in text
    assert "on a loss: hold" in text
    assert "steering" in text and "+0.50" in text and "█████░" in text
    assert shown["channels"][0]["normalized"] == 0.5


async def test_status_shows_what_a_loss_does_and_how_to_end_it(desk: Desk) -> None:
    async with desk.receiver.stick(crsf()):
        await until(lambda: bool(desk.receiver.live))
        assert (await desk.receiver.status()).told is None
    await until(lambda: desk.receiver.samples[-1].failsafe)
    text = " ".join((await desk.ok("status")).split())
    assert "RC holds control: velocities are zero" in text
    assert "saintctl rc failsafe --action passthrough, or saintctl rc disable" in text
    await desk.ok("failsafe", "--action", "passthrough")
    text = " ".join((await desk.ok("status")).split())
    assert "RC has released control" in text and "rc disable" not in text


def test_bar_begins_in_the_middle() -> None:
    assert bar(0.0) == "░░░░░░░░░░|░░░░░░░░░░"
    assert bar(1.0) == "░░░░░░░░░░|██████████"
    assert bar(-0.5) == "░░░░░█████|░░░░░░░░░░"
    assert bar(7.0) == bar(1.0)


async def test_receiver_is_switched_off_and_on(desk: Desk) -> None:
    assert "switched off" in await desk.ok("disable")
    assert "switched off" in await desk.ok("status")
    assert "switched on" in await desk.ok("enable")


async def test_channel_is_set_and_listed(desk: Desk) -> None:
    assert "reversed" in await desk.ok("channel", "1", "--min", "1100", "--reversed")
    shown = json.loads(await desk.ok("channel", "1", "--json"))
    assert (shown["name"], shown["min"], shown["reversed"]) == ("steering", 1100, True)
    assert "CH18" in await desk.ok("channels")
    await desk.ok("channel", "1", "--normal")
    assert not json.loads(await desk.ok("channel", "1", "--json"))["reversed"]


async def test_reset_restores_the_settings_file(desk: Desk) -> None:
    await desk.ok("failsafe", "--action", "estop")
    assert "Everything: rcd.yaml applies again." in await desk.ok("reset")
    assert "hold" in await desk.ok("failsafe")


async def test_reset_restores_only_the_named_parts(desk: Desk) -> None:
    await desk.ok("failsafe", "--action", "estop")
    await desk.ok("channel", "2", "--name", "left stick")
    assert "Failsafe: rcd.yaml applies again." in await desk.ok("reset", "failsafe")
    assert "hold" in await desk.ok("failsafe")
    assert "left stick" in await desk.ok("channel", "2")
    await desk.ok("reset", "channels", "failsafe")
    assert "left stick" not in await desk.ok("channel", "2")


async def test_stick_calibrates_its_channel(desk: Desk) -> None:
    async with desk.receiver.stick(crsf(ch1=1900)):
        await until(lambda: bool(desk.receiver.live))
        assert "1900" in await desk.ok("calibrate-channel", "1", "max")


async def test_failsafe_is_shown_and_set(desk: Desk) -> None:
    assert "On a loss: hold. The signal is lost after 120 ms" in await desk.ok("failsafe")
    assert "On a loss: estop" in await desk.ok("failsafe", "--action", "estop")


async def test_protocol_is_shown_set_and_detected(desk: Desk) -> None:
    assert "420000 baud" in await desk.ok("protocol")
    assert "sbus on" in await desk.ok("protocol", "sbus")
    async with desk.receiver.stick(crsf()):
        text = await desk.ok("detect", "--seconds", "0.2", "--apply")
    assert "CRSF at 420000 baud" in text
    assert "crsf on" in await desk.ok("protocol")
    missing = await desk.saintctl("detect", "--seconds", "0.2")
    assert missing.exit_code == 1 and "nothing was received" in missing.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["channel", "19"], 2, "18"),
        (["channel", "1", "--min", "1600"], 2, "would be 1600, 1500 and 2000 us"),
        (["channel", "1", "--min", "9999"], 2, "4095"),
        (["calibrate-channel", "1", "middle"], 2, "'middle' is not one of"),
        (["calibrate-channel", "1", "min"], 5, "CH 1 is not received"),
        (["failsafe", "--action", "halt"], 2, "'halt' is not one of"),
        (["reset", "everything"], 2, "'everything' is not one of"),
        (["protocol", "srxl"], 2, "'srxl' is not one of"),
        (["protocol", "ppm", "--pins", "4", "--pins", "5"], 2, "ppm cannot have these 2 pins"),
        (["calibrate"], 5, "no signal to calibrate"),
    ],
)
async def test_refusals_are_sentences(
    desk: Desk, arguments: list[str], code: int, text: str
) -> None:
    result = await desk.saintctl(*arguments)
    assert result.exit_code == code, result.output
    assert text in " ".join(result.stderr.split())


async def test_live_status_streams_lines_of_json(desk: Desk) -> None:
    command = ["-m", "saint_services.saintctl", "--run", str(desk._run), "rc", "status", "--live"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, "--json", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    async with desk.receiver.stick(crsf()):
        lines = [json.loads(await process.stdout.readline()) for _ in range(3)]
    process.kill()
    await process.wait()
    assert all(line["protocol"] == "crsf" for line in lines)


class Typist:
    """A user at the terminal, who follows each instruction."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._typed: asyncio.Queue[str | None] = asyncio.Queue()
        self.said: list[str] = []
        self._sending = contextlib.AsyncExitStack()

    async def next(self, limit_s: float | None = None) -> str | None:
        async with asyncio.timeout(limit_s):
            return await self._typed.get()

    def say(self, text: str) -> None:
        self.said.append(text)
        asyncio.get_running_loop().create_task(self._react(text))

    async def _react(self, text: str) -> None:
        if text.startswith("Centre all sticks"):
            await self.stick(1500)
            self._typed.put_nowait("what?")
            self._typed.put_nowait("")
        elif text.startswith("Move every"):
            for us in (1000, 2000, 1500):
                await self.stick(us)
            self._typed.put_nowait("")
        elif text.startswith("Move steering"):
            await self._sending.aclose()
            await self._sending.enter_async_context(self._desk.receiver.stick(crsf(ch1=1000)))
        elif text.startswith("Save"):
            await self._sending.aclose()
            self._typed.put_nowait("y")

    async def stick(self, us: int) -> None:
        async with self._desk.receiver.stick(crsf(ch1=us)):
            await let_pass(0.15)  # some frames, of which one may be lost


async def test_guided_calibration_instructs_finds_and_saves(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    typist = Typist(desk)
    async with desk.receiver.stick(crsf()):
        await until(lambda: bool(desk.receiver.live))
        lines = typist
        saving = asyncio.create_task(
            rc_calibrate.calibrate(desk.receiver.client, lines, typist.say)  # type: ignore[arg-type]
        )
        await turns(1)
    assert await asyncio.wait_for(saving, 18)
    assert any(text.startswith("reversed: CH 1") for text in typist.said)
    assert "Enter continues, s skips, q cancels." in typist.said
    one = await desk.receiver.client.get("/channels/1", RcChannelConfig)
    assert (one.min, one.max, one.reversed) == (1000, 2000, True)
    assert "reversed" in capsys.readouterr().out


@pytest.mark.parametrize("typed", ["q", None])
async def test_guided_calibration_is_cancelled(desk: Desk, typed: str | None) -> None:
    typist = Typist(desk)
    typist._typed.put_nowait(typed)
    async with desk.receiver.stick(crsf()):
        await until(lambda: bool(desk.receiver.live))
        lines = typist
        saved = await rc_calibrate.calibrate(desk.receiver.client, lines, typist.said.append)  # type: ignore[arg-type]
    assert not saved
    assert not (await desk.receiver.status()).calibrating


async def test_typed_lines_do_not_block_the_loop() -> None:
    lines = rc_calibrate.Lines(io.StringIO(" S \n\nq"))
    assert [await lines.next(5) for _ in range(4)] == ["s", "", "q", None]
    with pytest.raises(TimeoutError):
        await lines.next(0.01)
