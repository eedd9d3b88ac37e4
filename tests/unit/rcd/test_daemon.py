"""rcd at work: bytes into a pseudo terminal, samples out of the bus."""

import asyncio
from collections.abc import Iterator
from functools import partial
from operator import contains
from pathlib import Path

import pytest

from saint_services.lib.api.rc import (
    CalibrationInfo,
    CalibrationStep,
    DetectReport,
    DetectRequest,
    FailsafeInfo,
    ProtocolInfo,
    RcStatus,
    SetEnabled,
    SetFailsafe,
    SetProtocol,
)
from saint_services.lib.clock import monotonic_s
from saint_services.lib.generated.saint_msgs import RouterHeartbeat
from saint_services.lib.generated.sensor_msgs import BatteryState
from saint_services.lib.generated.topics import BATTERY, ROUTER_HEARTBEAT
from saint_services.lib.health import HealthReport
from saint_services.rcd.protocols.crsf import CrsfParser
from saint_services.rcd.protocols.crsf_telemetry import Battery, FlightMode, telemetry
from tests.unit.rcd.rig import FRAME, FRAMES, Line, crsf, robot
from tests.waiting import every, let_pass, turns, until

pytestmark = pytest.mark.timed

SBUS = (Path(__file__).parents[2] / "data" / "sbus-single.bin").read_bytes()
IBUS = (Path(__file__).parents[2] / "data" / "ibus-single.bin").read_bytes()


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "second")
    yield made
    made.unplug()


async def test_capture_becomes_samples_in_order(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        line.send(FRAMES)
        await until(lambda: len(rc.live) == 14)
        first = rc.live[0]
        assert first.source == "rc"
        assert first.names[:2] == ("channel_1", "channel_2") and len(first.names) == 16
        assert first.values[0] == -1.0 and first.values[1] == 0.0
        assert all(-1.0 <= value <= 1.0 for value in first.values)
        numbers = [sample.sequence for sample in rc.live]
        assert numbers == list(range(numbers[0], numbers[0] + 14))
        assert first.stamp.sec > 0


async def test_silence_is_published_with_the_values_held(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        line.send(FRAME)
        await until(lambda: len(rc.samples) == 4)
        assert [sample.failsafe for sample in rc.samples] == [False, True, True, True]
        assert {sample.values for sample in rc.samples} == {rc.samples[0].values}
        first = rc.samples[0].sequence
        assert [sample.sequence - first for sample in rc.samples] == [0, 1, 2, 3]
        await until(lambda: bool(rc.states) and rc.states[-1].channel_count == 16)
        await until(lambda: rc.states[-1].failsafe)
        assert (await rc.status()).reason == "no frame for 120 ms"


async def test_state_and_status_show_the_channels(line: Line, tmp_path: Path) -> None:
    channel = {"number": 1, "name": "steering", "min": 1000, "center": 1500, "max": 2000}
    async with robot(line, tmp_path, channels=[channel]) as rc:
        await rc.drive()
        await until(lambda: bool(rc.states) and rc.states[-1].connected)
        shown = (await rc.status()).channels[0]
        assert (shown.channel, shown.name, shown.raw, shown.us) == (1, "steering", 172, 988)
        assert shown.normalized == -1.0
        state = rc.states[-1]
        assert (state.protocol, state.channel_count) == ("crsf", 16)
        assert state.channels[0].raw_value == 172


async def test_noise_is_counted_and_frames_go_on(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:

        async def is_noise_counted() -> bool:
            return (await rc.status()).discarded_bytes >= 1000

        line.send(bytes(range(256)) * 4)
        await until(is_noise_counted)
        line.send(FRAME)
        await until(lambda: len(rc.live) == 1)


async def test_unplugged_line_is_reported_and_opened_again(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        line.unplug()
        await until(lambda: rc.samples[-1].failsafe)
        status = await rc.status()
        assert status.failsafe and str(line.path) in status.reason
        line.plug()
        await rc.drive()
        assert (await rc.status()).reason == ""


async def test_missing_line_is_no_reason_to_end(line: Line, tmp_path: Path) -> None:
    line.unplug()
    async with robot(line, tmp_path) as rc:
        status = await rc.status()
        assert not status.connected and "the device is not plugged in" in status.reason
        line.plug()
        await rc.drive()


async def test_switching_off_stops_samples_and_is_remembered(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        status = await rc.client.post("/enabled", SetEnabled(enabled=False), RcStatus)
        assert not status.enabled and not status.connected
        await until(lambda: rc.samples[-1].failsafe)
    async with robot(line, tmp_path) as rc:
        assert (await rc.status()).reason == "the receiver is disabled"
        await rc.client.post("/enabled", SetEnabled(enabled=True), RcStatus)
        await rc.drive()


async def test_stopping_says_that_the_signal_is_lost(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
    await turns(1)
    assert rc.samples[-1].failsafe


async def test_settings_without_receiver_keep_quiet(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, enabled=False) as rc:
        line.send(FRAMES)
        await until(lambda: bool(rc.states))
        assert rc.samples == []
        assert (await rc.status()).enabled is False


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("hold", (("channel_1", "channel_2"), (-1.0, 0.0))),
        ("neutral", (("channel_1", "channel_2"), (0.0, 0.0))),
        ("estop", (("estop",), (1.0,))),
        ("passthrough", ((), ())),
    ],
)
async def test_loss_says_what_it_means(
    line: Line, tmp_path: Path, action: str, expected: tuple[object, object]
) -> None:
    async with robot(line, tmp_path, failsafe={"action": action, "timeout_ms": 400}) as rc:
        await rc.drive()
        await until(lambda: rc.samples[-1].failsafe)
        assert (await rc.status()).told == "hold"

        async def is_lost() -> bool:
            return (await rc.status()).failsafe

        await until(is_lost)
        assert (await rc.status()).told == action
        failsafe = [sample for sample in rc.samples if sample.failsafe]
        last = failsafe[-1]
        assert (tuple(last.names[:2]), tuple(last.values[:2])) == expected
        # Before the time-out the robot stands, and nobody else may drive it.
        assert failsafe[0].values == rc.live[-1].values


async def test_other_action_counts_in_a_loss_that_lasts(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        await until(lambda: rc.samples[-1].failsafe)
        await rc.client.post("/failsafe", SetFailsafe(action="passthrough"), FailsafeInfo)
        await until(lambda: rc.samples[-1].names == ())


async def test_state_without_frames_is_repeated_twice_a_second(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        await until(lambda: len(rc.states) > 1)
        before, began_s = len(rc.states), monotonic_s()
        await until(lambda: len(rc.states) >= before + 3)
        assert monotonic_s() - began_s > 0.9  # at least two whole pauses


async def test_nothing_is_said_before_a_signal_was_there(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, failsafe={"action": "estop"}) as rc:
        await until(lambda: len(rc.states) > 3)
        assert rc.samples == []


async def test_disabled_receiver_releases_whatever_the_failsafe_action(
    line: Line, tmp_path: Path
) -> None:
    async with robot(line, tmp_path, failsafe={"action": "estop"}) as rc:
        await rc.drive()
        await rc.client.post("/enabled", SetEnabled(enabled=False), RcStatus)
        await until(lambda: rc.samples[-1].names == ())
        assert rc.samples[-1].failsafe
        assert not any(sample.names == ("estop",) for sample in rc.samples)


async def test_second_receiver_takes_over(line: Line, second: Line, tmp_path: Path) -> None:
    failover = {"protocol": "sbus", "uart": {"device": str(second.path)}, "after_ms": 200}
    async with robot(line, tmp_path, failover=failover, failsafe={"action": "estop"}) as rc:
        async with rc.stick(SBUS, second):
            await rc.drive(crsf(ch1=2000))
            await rc.drive_until(lambda: rc.raw(1) > 0, crsf(ch1=2000))
            assert (await rc.status()).receiver == "primary"
            # 1568 us on the second one's first channel.
            await until(lambda: len(rc.live[-1].names) == 18)
            status = await rc.status()
            assert (status.receiver, status.protocol) == ("failover", "sbus")
            assert [each.failsafe for each in status.receivers] == [True, False]
            # In between nobody else may drive: the last values are held.
            between = [sample for sample in rc.samples if sample.failsafe]
            assert between and {sample.values for sample in between} == {rc.live[0].values}
        await until(lambda: rc.samples[-1].names == ("estop",))


async def test_passthrough_releases_until_the_second_takes_over(
    line: Line, second: Line, tmp_path: Path
) -> None:
    failover = {"protocol": "sbus", "uart": {"device": str(second.path)}, "after_ms": 200}
    action = {"action": "passthrough"}
    async with robot(line, tmp_path, failover=failover, failsafe=action) as rc:
        async with rc.stick(SBUS, second):
            await rc.drive()
            await until(lambda: len(rc.live[-1].names) == 18)
        assert () in {sample.names for sample in rc.samples if sample.failsafe}


async def test_first_receiver_takes_back(line: Line, second: Line, tmp_path: Path) -> None:
    failover = {
        "protocol": "sbus",
        "uart": {"device": str(second.path)},
        "after_ms": 0,
        "return_ms": 100,
    }
    async with robot(line, tmp_path, failover=failover) as rc, rc.stick(SBUS, second):
        await until(lambda: bool(rc.live))
        assert (await rc.status()).receiver == "failover"
        await rc.drive_until(lambda: len(rc.live[-1].names) == 16)
        assert (await rc.status()).receiver == "primary"


async def test_arm_switch_must_be_moved_after_start_and_loss(line: Line, tmp_path: Path) -> None:
    off, on = crsf(ch1=2000, ch5=1000), crsf(ch1=2000, ch5=2000)
    async with robot(line, tmp_path, arm={"number": 5}, failsafe={"recovery_ms": 0}) as rc:
        await rc.drive(on)
        assert rc.live[-1].names == ("channel_5", "channel_6")
        await rc.drive(off)
        await rc.drive_until(lambda: len(rc.live[-1].names) == 16, on)
        assert (await rc.status()).armed
        await until(lambda: rc.states[-1].failsafe)
        await rc.drive(on)
        assert rc.live[-1].names == ("channel_5", "channel_6")
        status = await rc.status()
        assert (status.armed, status.arm_channel, status.failsafe_channel) == (False, 5, None)


async def test_disarming_releases_at_once(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, arm={"number": 5}, failsafe={"timeout_ms": 2000}) as rc:
        await rc.drive(crsf(ch5=1000))
        await rc.drive_until(lambda: len(rc.live[-1].names) == 16, crsf(ch5=2000))
        before = len(rc.samples)
        await rc.drive_until(lambda: len(rc.live[-1].names) == 2, crsf(ch5=1000))
        first = next(sample for sample in rc.samples[before:] if len(sample.names) < 16)
        assert (first.failsafe, first.names) == (True, ())


async def test_transmitter_shows_the_robots_state(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path) as rc:
        beats = rc.ear.publisher(ROUTER_HEARTBEAT)
        rc.ear.publisher(BATTERY).publish(BatteryState(voltage=11.1, percentage=0.5))
        parser, received = CrsfParser(), []
        async with rc.stick(FRAME):
            for stopped, word in ((False, "OK"), (True, "E-STOP")):
                async for _ in every(0.02, until=partial(contains, received, FlightMode(word))):
                    beats.publish(RouterHeartbeat(estop=stopped))
                    received.extend(telemetry(each) for each in parser.feed(line.sent_back(), 0))
        assert Battery(11.1, 0.0, 0, 50) in received
        assert parser.discarded_bytes == 0


async def test_poll_of_an_ibus_receiver_is_answered_between_channels(
    line: Line, tmp_path: Path
) -> None:
    """Sensor 5 says whether the robot may move: no router, so it may not."""
    async with robot(line, tmp_path, protocol="ibus", failsafe={"timeout_ms": 2000}) as rc:
        await rc.drive_until(lambda: bool(rc.live), IBUS)
        rc.line.send(IBUS + bytes.fromhex("04a556ff"))
        received = b""
        async for _ in every(0.01):
            received += line.sent_back()
            if received:
                break
        assert received.hex() == "06a5000054ff"
        assert (await rc.status()).discarded_bytes == 0


async def test_polls_stay_unanswered_without_telemetry(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, protocol="ibus", telemetry=False) as rc:
        rc.line.send(bytes.fromhex("04817aff"))
        await rc.drive_until(lambda: bool(rc.live), IBUS)
        assert line.sent_back() == b""


async def test_unread_telemetry_disturbs_nothing(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, failsafe={"timeout_ms": 2000}) as rc, rc.stick(FRAME):
        await until(lambda: len(rc.live) > 60)
        assert (await rc.status()).rejected == 0


async def test_ppm_edges_become_samples(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = []
    for frame in range(8):
        at = frame * 20_000
        for length in (1000, 1500, 2000, 1250, 0):
            lines.append(f'{{"t_us": {at}, "pin": 18, "high": true}}\n')
            lines.append(f'{{"t_us": {at + 300}, "pin": 18, "high": false}}\n')
            at += length
    (tmp_path / "edges.jsonl").write_text("".join(lines))
    monkeypatch.setenv("SAINT_HW", f"sim:{tmp_path}")
    async with robot(line, tmp_path, protocol="ppm", gpio={"ppm_pin": 18}) as rc:
        await until(lambda: bool(rc.live))
        assert rc.live[0].values == (-1.0, 0.0, 1.0, -0.5)
        status = await rc.status()
        assert (status.protocol, status.device) == ("ppm", "GPIO18")
        await until(lambda: rc.samples[-1].failsafe)


async def test_replugged_receiver_is_back_at_once(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saint_services.lib.hw.buses.serial.PAUSES_S", (3600.0,))
    async with robot(line, tmp_path) as rc:
        await rc.drive()
        line.unplug()
        await until(lambda: rc.samples[-1].failsafe)
        line.plug()
        await rc.drive()


async def test_work_on_the_receiver_is_no_loss_but_its_outcome_may_be(
    line: Line, tmp_path: Path
) -> None:
    async with robot(line, tmp_path, failsafe={"action": "estop", "recovery_ms": 0}) as rc:
        await rc.drive()
        await rc.client.post("/protocol", SetProtocol(protocol="ibus"), ProtocolInfo)
        await until(lambda: rc.samples[-1].names == ())
        assert not any(sample.names == ("estop",) for sample in rc.samples)
        await until(lambda: rc.samples[-1].names == ("estop",))


async def test_signal_that_was_lost_during_a_calibration_is_published_afterwards(
    line: Line, tmp_path: Path
) -> None:
    async with robot(line, tmp_path, failsafe={"action": "estop", "recovery_ms": 0}) as rc:
        async with rc.stick(FRAME):
            await until(lambda: bool(rc.live))
            await rc.client.post("/calibration", CalibrationStep(step="start"), CalibrationInfo)
        await until(lambda: bool(rc.states) and rc.states[-1].failsafe)
        assert not any(sample.names == ("estop",) for sample in rc.samples)
        await rc.client.post("/calibration", CalibrationStep(step="cancel"), CalibrationInfo)
        await until(lambda: rc.samples[-1].names == ("estop",))


async def test_issue_of_one_line_stays_while_the_other_opens(
    line: Line, second: Line, tmp_path: Path
) -> None:
    line.unplug()
    failover = {"protocol": "sbus", "uart": {"device": str(second.path)}}
    async with robot(line, tmp_path, failover=failover) as rc:
        async with rc.stick(SBUS, second):
            await until(lambda: bool(rc.live))
        assert not (await rc.client.get("/health", HealthReport)).healthy


async def test_silence_is_published_before_the_routers_time_out(line: Line, tmp_path: Path) -> None:
    async with robot(line, tmp_path, failsafe={"timeout_ms": 1000, "action": "estop"}) as rc:
        for _ in range(3):  # each time again
            await rc.drive()
            count = len(rc.samples)
            await until(lambda count=count: len(rc.samples) > count + 2)
            assert all(sample.failsafe for sample in rc.samples[count:])
            assert {sample.values for sample in rc.samples[count:]} == {rc.live[-1].values}
            assert not (await rc.status()).failsafe
        await until(lambda: rc.samples[-1].names == ("estop",))


async def test_slow_link_may_lose_frames_as_its_own_rate_allows(line: Line, tmp_path: Path) -> None:
    slow = {"silence": {"frames": 8, "router_ms": 2000}, "failsafe": {"timeout_ms": 2000}}
    async with robot(line, tmp_path, **slow) as rc:
        async for _ in every(0.05, times=14):  # from the tenth on the rate is known: 20 a second
            line.send(FRAME)
        count = len(rc.samples)
        await let_pass(0.15)  # four frames are missing, which would be too many on a fast link
        line.send(FRAME)
        await until(lambda: len(rc.samples) > count)
        assert not rc.samples[count].failsafe
        await until(lambda: rc.samples[-1].failsafe)


async def test_second_receiver_drives_nothing_while_the_first_one_is_worked_on(
    line: Line, second: Line, tmp_path: Path
) -> None:
    failover = {"protocol": "sbus", "uart": {"device": str(second.path)}, "after_ms": 0}
    async with robot(line, tmp_path, failover=failover) as rc, rc.stick(SBUS, second):
        await until(lambda: bool(rc.live))
        body = DetectRequest(seconds=0.2)
        detecting = asyncio.create_task(rc.client.post("/detect", body, DetectReport, timeout_s=30))
        await until(lambda: rc.samples[-1].names == ())
        count = len(rc.live)
        await detecting
        now = len(rc.live)
        assert now < count + 30  # of a hundred; some follow before the answer is here
        await until(lambda: len(rc.live) > now)
