"""otad as a daemon: releases come in, are offered, reach the machines one after the other."""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest

from saint_services.lib.api import Done
from saint_services.lib.api.firmware import (
    ControlAction,
    FirmwareReport,
    RolloutControl,
    RolloutPlan,
    RolloutRequest,
    RolloutState,
    RolloutStep,
    UpdateVerdict,
)
from saint_services.lib.api.orders import offer_in, offer_parts
from saint_services.lib.api.update_policy import OfferPolicy, RolloutPolicy
from saint_services.lib.crypto.signing import PrivateKey, is_signed
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated import saint_msgs as msgs
from saint_services.lib.generated import topics
from saint_services.otad.config import Config
from tests.unit.otad.ota_rig import SERVER, FakeNode, Ota, Robot
from tests.waiting import let_pass, until


async def report(ota: Ota) -> FirmwareReport:
    return await ota.client.get("/status", FirmwareReport)


async def known_to(ota: Ota, *nodes: FakeNode) -> None:
    """otad knows them all, and that they are there."""
    wanted = {node.status.node_id for node in nodes}
    stream = ota.client.stream("GET", "/watch", None, FirmwareReport)
    async with contextlib.aclosing(stream), asyncio.timeout(6.0):
        async for shown in stream:
            if {m.node_id for m in shown.machines if m.is_online} >= wanted:
                return


async def begin(ota: Ota, **params: object) -> RolloutPlan:
    return await ota.client.post("/rollout", RolloutRequest.model_validate(params), RolloutPlan)


@contextlib.asynccontextmanager
async def offering(
    robot: Robot, *nodes: FakeNode, config: Config | None = None
) -> AsyncIterator[Ota]:
    """otad with release 1.1.0, and these nodes are there."""
    async with robot.otad(config) as ota:
        await ota.release("1.1.0")
        await known_to(ota, *nodes)
        yield ota


@contextlib.asynccontextmanager
async def rolling_out(
    robot: Robot, *nodes: FakeNode, config: Config | None = None, **params: object
) -> AsyncIterator[Ota]:
    """The same, and the roll-out has begun."""
    async with offering(robot, *nodes, config=config) as ota:
        await begin(ota, **params)
        yield ota


async def control(ota: Ota, action: ControlAction) -> RolloutPlan:
    return await ota.client.post("/rollout/control", RolloutControl(action=action), RolloutPlan)


async def ended(ota: Ota) -> RolloutPlan:
    stream = ota.client.stream("GET", "/watch", None, FirmwareReport)
    async with contextlib.aclosing(stream), asyncio.timeout(6.0):
        async for shown in stream:
            plan = shown.plan
            if plan and plan.state not in (RolloutState.RUNNING, RolloutState.PAUSED):
                return plan
    raise AssertionError("the stream ended")


async def stepped(ota: Ota, number: int, wanted: RolloutStep) -> None:
    """A machine has come so far."""
    stream = ota.client.stream("GET", "/watch", None, FirmwareReport)
    async with contextlib.aclosing(stream), asyncio.timeout(6.0):
        async for shown in stream:
            if shown.plan and shown.plan.steps[number].step is wanted:
                return


async def offered(robot: Robot, running: str) -> str:
    """The release that a node with this one is offered; empty for none."""
    request = msgs.FirmwareCheck_Request("n1", running)
    answer = await robot.domain.bus("asker").call(topics.FIRMWARE_CHECK, request, 2.0)
    return answer.version if answer.update_available else ""


async def test_offer_is_signed_for_the_node_that_requests_it(robot: Robot):
    async with rolling_out(robot, robot.node("n1")) as ota:
        await until(lambda: bool(robot.nodes["n1"].requests))
        robot.nodes["n1"].becomes_healthy()
        await ended(ota)
        bus = robot.domain.bus("asker")
        request = msgs.FirmwareCheck_Request("n9", "1.0.0", SERVER.public, "0a")
        answer = await bus.call(topics.FIRMWARE_CHECK, request, 2.0)
        assert answer.update_available
        assert is_signed(SERVER.public, answer.signature, *offer_parts(offer_in(request, answer)))
        request.challenge = "0b"
        assert not is_signed(
            SERVER.public, answer.signature, *offer_parts(offer_in(request, answer))
        )


async def test_node_of_another_server_gets_no_reply(robot: Robot):
    """Its own server's reply would otherwise come second."""
    other = PrivateKey(b"o" * 32).public
    async with robot.otad() as ota:
        bus = robot.domain.bus("asker")
        await bus.call(topics.FIRMWARE_CHECK, msgs.FirmwareCheck_Request("n9", "1.0.0"), 2.0)
        for key in (other, "no key"):
            with pytest.raises(SaintError) as silence:
                request = msgs.FirmwareCheck_Request("n9", "1.0.0", key, "0a")
                await bus.call(topics.FIRMWARE_CHECK, request, 0.1)
            assert silence.value.code is Code.BUS_TIMEOUT
        assert ota.counters["offers_unsigned"] == 2


def flashed(robot: Robot, monkeypatch: pytest.MonkeyPatch, version: str = "1.1.0") -> Config:
    """A card with this release, in its slot and as the bundle that it carries."""
    monkeypatch.setenv("SAINT_VERSION", "1.1.0")
    folder = robot.root / "shipped"
    folder.mkdir()
    robot.bundle(version).rename(folder / "saint-os.raucb")
    return Config(reserve_bytes=0, shipped=str(folder))


async def test_fresh_server_offers_the_release_that_it_was_flashed_with(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    config = await asyncio.to_thread(flashed, robot, monkeypatch)
    async with robot.otad(config) as ota:
        await until(lambda: ota.counters["releases_taken"])

        async def is_offered() -> bool:
            return await offered(robot, "1.0.0") == "1.1.0"

        await until(is_offered)
        assert await offered(robot, "1.1.0") == ""
    async with robot.otad(config) as ota:  # it is stored, and so is the offer
        assert await offered(robot, "1.0.0") == "1.1.0"
        assert ota.counters["releases_taken"] == 0


async def test_node_is_offered_nothing_where_roll_outs_are_left_to_users(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    config = await asyncio.to_thread(flashed, robot, monkeypatch)
    careful = config.model_copy(update={"offers": OfferPolicy.ASK})
    async with robot.otad(careful) as ota:
        await until(lambda: ota.counters["releases_taken"])

        async def is_shown() -> bool:
            return any(release.is_current for release in (await report(ota)).releases)

        await until(is_shown)
        assert await offered(robot, "1.0.0") == ""
        assert "roll-out that a user starts" in (await report(ota)).offers_closed
        node = robot.node("n0")
        await known_to(ota, node)
        await begin(ota)
        await until(lambda: bool(node.requests))


async def test_node_is_offered_nothing_while_another_ones_outputs_are_live(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    config = await asyncio.to_thread(flashed, robot, monkeypatch)
    tracks = robot.node("t0")
    robot.live.add("t0")
    robot.registry_waits_for = asyncio.Event()
    async with robot.otad(config) as ota:
        await until(lambda: ota.counters["releases_taken"])
        request = asyncio.create_task(offered(robot, "1.0.0"))
        await let_pass(0.1)
        assert not request.done()  # a node that boots requests again for some seconds
        robot.registry_waits_for.set()
        assert await request == ""
        assert "outputs are live on t0" in (await report(ota)).offers_closed
        robot.live.clear()

        async def has_stopped() -> bool:
            return "within the last" in (await report(ota)).offers_closed

        await until(has_stopped)
        assert await offered(robot, "1.0.0") == ""
        await known_to(ota, tracks)
        await begin(ota)  # a user decides: what is live delays it machine by machine
        await until(lambda: bool(tracks.requests))


async def test_release_is_rolled_out_by_itself_only_where_the_owner_wants_that(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.otad.firmware._AUTOMATIC_INTERVAL_S", 0.05)
    node = robot.node("n0")
    automatic = Config(reserve_bytes=0, roll_out=RolloutPolicy.AUTOMATIC)
    careful = automatic.model_copy(update={"offers": OfferPolicy.ASK})
    async with robot.otad() as ota:
        await ota.release("1.1.0")
    for config in (Config(reserve_bytes=0), careful):
        async with robot.otad(config) as ota:
            await known_to(ota, node)
            await let_pass(0.3)  # some intervals
            assert (await report(ota)).plan is None
    async with robot.otad(automatic) as ota:
        await until(lambda: bool(node.requests))
        node.falls_back("it died")
        plan = await ended(ota)
        await let_pass(0.3)  # some intervals
    assert plan.state is RolloutState.HALTED
    assert len(node.requests) == 1


async def test_automatic_roll_out_goes_on_when_the_robot_rests_again(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.otad.firmware._AUTOMATIC_INTERVAL_S", 0.05)
    monkeypatch.setattr("saint_services.otad.rollout.offers.REST_S", 0.1)
    nodes = [robot.node(f"n{number}") for number in range(2)]
    automatic = Config(reserve_bytes=0, roll_out=RolloutPolicy.AUTOMATIC)
    async with robot.otad(automatic) as ota:
        await known_to(ota, *nodes)
        await ota.release("1.1.0")
        await until(lambda: bool(nodes[0].requests))
        robot.live.add("t0")
        robot.node("t0", "1.1.0")

        async def waits() -> bool:
            plan = (await report(ota)).plan
            return plan is not None and "outputs are live on t0" in plan.reason

        await until(waits)
        nodes[0].becomes_healthy()
        await stepped(ota, 0, RolloutStep.HEALTHY)
        await let_pass(0.3)
        assert not nodes[1].requests
        robot.live.clear()
        await until(lambda: bool(nodes[1].requests))


async def test_bundle_of_the_card_waits_for_the_installer(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("saint_services.otad.releases.shipped._FIRST_PAUSE_S", 0.1)
    config = await asyncio.to_thread(flashed, robot, monkeypatch)
    robot.installer.is_there = False
    async with robot.otad(config) as ota:
        await let_pass(0.3)  # some tries
        assert ota.counters["releases_refused"] == 0
        robot.installer.is_there = True
        await until(lambda: ota.counters["releases_taken"])


async def test_release_of_the_card_that_is_not_the_servers_own_is_not_offered(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    config = await asyncio.to_thread(flashed, robot, monkeypatch, "1.0.5")
    async with robot.otad(config) as ota:
        await until(lambda: ota.counters["releases_taken"])
        assert await offered(robot, "1.0.0") == ""


async def test_damaged_bundle_of_the_card_is_left_alone(
    robot: Robot, monkeypatch: pytest.MonkeyPatch
):
    config = await asyncio.to_thread(flashed, robot, monkeypatch)
    path = robot.root / "shipped" / "saint-os.raucb"
    data = bytearray(await asyncio.to_thread(path.read_bytes))
    data[10] ^= 255
    await asyncio.to_thread(path.write_bytes, data)
    async with robot.otad(config) as ota:
        await until(lambda: ota.counters["releases_refused"])
        assert (await report(ota)).releases == []


async def test_release_that_is_uploaded_is_shown_but_not_yet_offered(robot: Robot):
    async with robot.otad() as ota:
        await ota.release("1.1.0")
        shown = await report(ota)
        check = await robot.domain.bus("asker").call(
            topics.FIRMWARE_CHECK, msgs.FirmwareCheck_Request("n1", "1.0.0"), 2.0
        )
    assert [(r.version, r.is_current) for r in shown.releases] == [("1.1.0", False)]
    assert shown.releases[0].changelog == "what is new in 1.1.0"
    assert not check.update_available
    assert not check.version


async def test_roll_out_goes_one_machine_after_the_other_and_is_then_offered(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(3)]
    async with rolling_out(robot, *nodes, canary="n1") as ota:
        assert not (await report(ota)).updated_s
        for node in (nodes[1], nodes[0], nodes[2]):
            await until(lambda node=node: bool(node.requests))
            assert sum(len(each.requests) for each in nodes if each.status.state != "idle") == 1
            node.becomes_healthy()
        plan = await ended(ota)
        shown = await report(ota)
        check = await robot.domain.bus("asker").call(
            topics.FIRMWARE_CHECK, msgs.FirmwareCheck_Request("n9", "1.0.0"), 2.0
        )
    assert plan.state is RolloutState.DONE
    assert [step.node_id for step in plan.steps] == ["n1", "n0", "n2"]
    assert shown.robot_version == "1.1.0"
    assert shown.updated_s > 1_700_000_000  # seconds since 1970
    assert (check.update_available, check.version) == (True, "1.1.0")


async def test_node_gets_the_address_of_the_bundle_and_finds_it(robot: Robot):
    node = robot.node("n1")
    async with rolling_out(robot, node):
        await until(lambda: bool(node.requests))
        request = node.requests[0]
        async with aiohttp.ClientSession() as session, session.get(request.url) as answer:
            body = await answer.read()
    assert request.action == "install"
    assert hashlib.sha256(body).hexdigest() == request.checksum_sha256
    assert len(body) == request.size_bytes


async def test_first_machine_that_is_not_healthy_halts_it(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(3)]
    async with rolling_out(robot, *nodes) as ota:
        await until(lambda: bool(nodes[0].requests))
        nodes[0].falls_back("the role did not answer")
        plan = await ended(ota)
        shown = await report(ota)
    assert plan.state is RolloutState.HALTED
    assert plan.reason == "n0: the role did not answer"
    assert [step.step for step in plan.steps] == [
        RolloutStep.FAILED,
        RolloutStep.WAITING,
        RolloutStep.WAITING,
    ]
    assert not nodes[1].requests
    machine = shown.machines[0]
    assert (machine.verdict, machine.log_excerpt) == (UpdateVerdict.ROLLED_BACK, "it died\n")
    assert not any(release.is_current for release in shown.releases)


async def test_alerts_report_releases_and_the_end_of_a_roll_out(robot: Robot):
    received: list[msgs.ConsoleAlert] = []
    robot.domain.bus("console").subscribe(
        topics.CONSOLE_ALERTS, lambda sample: received.append(sample.message)
    )
    node = robot.node("n0")
    async with robot.otad() as ota:
        await ota.upload(b"x" * 9000)
        await ota.release("1.1.0")
        await known_to(ota, node)
        await begin(ota)
        await until(lambda: bool(node.requests))
        node.falls_back("the role did not answer")
        await until(lambda: len(received) == 3)
    assert [(alert.severity, alert.text) for alert in received] == [
        (
            "error",
            "A release was refused: the end of the file is missing, or the file is not a bundle",
        ),
        ("info", "Release 1.1.0 is on the server"),
        ("error", "The roll-out of 1.1.0 halted: n0: the role did not answer"),
    ]


async def test_roll_out_survives_a_restart_of_otad(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(2)]
    async with rolling_out(robot, *nodes) as ota:
        await until(lambda: bool(nodes[0].requests))
    nodes[0].becomes_healthy()
    async with robot.otad() as ota:
        await until(lambda: bool(nodes[1].requests))
        nodes[1].becomes_healthy()
        plan = await ended(ota)
    assert plan.state is RolloutState.DONE
    assert len(nodes[0].requests) == 1


async def test_machine_with_live_outputs_is_waited_for(robot: Robot):
    first, second = robot.node("n0"), robot.node("n1")
    first.report(blocked_by="outputs are live")
    async with rolling_out(robot, first, second) as ota:
        await until(lambda: bool(second.requests))
        second.becomes_healthy()
        assert not first.requests
        first.report(blocked_by="")
        await until(lambda: bool(first.requests))
        first.becomes_healthy()
        plan = await ended(ota)
    assert plan.state is RolloutState.DONE


async def test_machine_that_is_away_is_left_out(robot: Robot):
    here, away = robot.node("n0"), robot.node("n1")
    robot.away.add("n1")
    async with rolling_out(robot, here, config=Config(reserve_bytes=0, away_after_s=0.1)) as ota:
        await until(lambda: bool(here.requests))
        here.becomes_healthy()
        plan = await ended(ota)
    assert plan.state is RolloutState.DONE
    assert [step.step for step in plan.steps] == [RolloutStep.HEALTHY, RolloutStep.SKIPPED]
    assert not away.requests


async def test_machine_with_older_hardware_gets_neither_request_nor_offer(robot: Robot):
    fits, old = robot.node("n0"), robot.node("n1")
    robot.hardware = {"n0": "c03112", "n1": "c03111"}
    async with robot.otad() as ota:
        await ota.release("1.1.0", meta={"min-hardware-rev": "1.2"})
        await known_to(ota, fits, old)
        await begin(ota)
        await until(lambda: bool(fits.requests))
        fits.becomes_healthy()
        plan = await ended(ota)
        shown = await report(ota)
        checks = [
            await robot.domain.bus("asker").call(
                topics.FIRMWARE_CHECK, msgs.FirmwareCheck_Request(node_id, "1.0.0"), 2.0
            )
            for node_id in ("n0", "n1", "unknown")
        ]
        with pytest.raises(SaintError, match=r"n1: 1\.1\.0 needs hardware revision 1\.2 or newer"):
            await begin(ota, nodes=["n1"])
    assert plan.state is RolloutState.DONE
    assert [step.step for step in plan.steps] == [RolloutStep.HEALTHY, RolloutStep.SKIPPED]
    assert plan.steps[1].reason.endswith("this machine has 1.1")
    assert not old.requests
    assert [check.update_available for check in checks] == [True, False, False]
    assert [check.version for check in checks] == ["1.1.0", "", ""]
    assert shown.machines[1].unfit == plan.steps[1].reason
    assert shown.releases[0].min_hardware_rev == "1.2"


async def test_rollback_leaves_out_a_machine_that_must_not_have_the_release_before(robot: Robot):
    """It was skipped when the others got that release; its other slot has an older one."""
    fits, old = robot.node("n0"), robot.node("n1")
    robot.hardware = {"n0": "c03112", "n1": "c03111"}
    async with robot.otad() as ota:
        await ota.release("1.1.0", meta={"min-hardware-rev": "1.2"})
        await known_to(ota, fits, old)
        await begin(ota)
        await until(lambda: bool(fits.requests))
        fits.becomes_healthy()
        await ended(ota)
        await ota.release("1.2.0")
        await begin(ota)
        for count, node in ((2, fits), (1, old)):
            await until(lambda node=node, count=count: len(node.requests) == count)
            node.becomes_healthy()
        await ended(ota)
        await control(ota, ControlAction.ROLLBACK)
        await until(lambda: len(fits.requests) == 3)
        fits.becomes_healthy()
        plan = await ended(ota)
    assert (plan.version, plan.state) == ("1.1.0", RolloutState.DONE)
    assert [step.step for step in plan.steps] == [RolloutStep.HEALTHY, RolloutStep.SKIPPED]
    assert "1.1.0 needs hardware revision 1.2 or newer" in plan.steps[1].reason
    assert [request.version for request in old.requests] == ["1.2.0"]


async def test_rollback_starts_what_a_machine_has_in_its_other_slot(robot: Robot):
    """It ran that release already, whatever its hardware."""
    node = robot.node("n0", "1.1.0")
    robot.hardware = {"n0": "c03111"}
    async with robot.otad() as ota:
        await ota.release("1.1.0", meta={"min-hardware-rev": "1.2"})
        await ota.release("1.2.0")
        await known_to(ota, node)
        await begin(ota, version="1.2.0")
        await until(lambda: bool(node.requests))
        node.becomes_healthy()
        await ended(ota)
        await control(ota, ControlAction.ROLLBACK)
        await until(lambda: len(node.requests) == 2)
    assert node.requests[1].action == "rollback"


async def test_pause_begins_no_further_machine_and_resume_goes_on(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(2)]
    async with rolling_out(robot, *nodes) as ota:
        await until(lambda: bool(nodes[0].requests))
        paused = await control(ota, ControlAction.PAUSE)
        nodes[0].becomes_healthy()
        await stepped(ota, 0, RolloutStep.HEALTHY)
        assert not nodes[1].requests
        await control(ota, ControlAction.RESUME)
        await until(lambda: bool(nodes[1].requests))
        nodes[1].becomes_healthy()
        plan = await ended(ota)
    assert paused.state is RolloutState.PAUSED
    assert plan.state is RolloutState.DONE


async def test_all_roll_back_to_the_slot_before(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(2)]
    async with rolling_out(robot, *nodes) as ota:
        for node in nodes:
            await until(lambda node=node: bool(node.requests))
            node.becomes_healthy()
        await ended(ota)
        back = await control(ota, ControlAction.ROLLBACK)
        for node in nodes:
            await until(lambda node=node: len(node.requests) == 2)
            node.becomes_healthy()
        plan = await ended(ota)
        shown = await report(ota)
    assert (back.version, back.is_rollback) == ("1.0.0", True)
    assert [node.requests[1].action for node in nodes] == ["rollback", "rollback"]
    assert plan.state is RolloutState.DONE
    assert not any(release.is_current for release in shown.releases)


async def test_machine_that_was_rolled_back_alone_is_not_offered_what_it_left(robot: Robot):
    nodes = [robot.node(f"n{number}") for number in range(2)]
    async with rolling_out(robot, *nodes) as ota:
        for node in nodes:
            await until(lambda node=node: bool(node.requests))
            node.becomes_healthy()
        await ended(ota)
        assert await offered(robot, "1.0.0") == "1.1.0"
        await begin(ota, nodes=["n0"])
        await ended(ota)
        await control(ota, ControlAction.ROLLBACK)
        assert await offered(robot, "1.0.0") == ""
        assert "was rolled back" in (await report(ota)).offers_closed
        await until(lambda: len(nodes[0].requests) == 2)
        nodes[0].becomes_healthy()
        await ended(ota)
    async with robot.otad():
        assert await offered(robot, "1.0.0") == ""


async def test_second_roll_out_is_refused_while_one_runs(robot: Robot):
    node = robot.node("n0")
    async with rolling_out(robot, node) as ota:
        refusal = await refused(begin(ota))
    assert (refusal.code, refusal.message) == (Code.CONFLICT, "the roll-out of 1.1.0 is running")


async def refused(work) -> SaintError:
    try:
        await work
    except SaintError as err:
        return err
    raise AssertionError("it was not refused")


async def test_older_release_is_refused_unless_forced(robot: Robot):
    node = robot.node("n0", "2.0.0")
    async with offering(robot, node) as ota:
        refusal = await refused(begin(ota))
        await begin(ota, force=True)
        await until(lambda: bool(node.requests))
    assert refusal.message == "1.1.0 is older than 2.0.0, which n0 runs"
    assert node.requests[0].force


async def test_downgrade_is_never_offered_on_boot(robot: Robot):
    node = robot.node("n0")
    async with rolling_out(robot, node) as ota:
        await until(lambda: bool(node.requests))
        node.becomes_healthy()
        await ended(ota)
        check = await robot.domain.bus("asker").call(
            topics.FIRMWARE_CHECK, msgs.FirmwareCheck_Request("n9", "2.0.0"), 2.0
        )
    assert (check.update_available, check.version) == (False, "1.1.0")


async def test_download_service_returns_the_address_or_the_reason(robot: Robot):
    asker = robot.domain.bus("asker")
    async with robot.otad() as ota:
        await ota.release("1.1.0")
        found = await asker.call(
            topics.FIRMWARE_DOWNLOAD, msgs.FirmwareDownload_Request("n1", "1.1.0"), 2.0
        )
        missing = await asker.call(
            topics.FIRMWARE_DOWNLOAD, msgs.FirmwareDownload_Request("n1", "../../etc"), 2.0
        )
        none = await asker.call(
            topics.FIRMWARE_DOWNLOAD, msgs.FirmwareDownload_Request("n1", ""), 2.0
        )
    assert found.url == ota.url("archive/v1.1.0/saint_node.img")
    assert (missing.success, missing.message) == (False, "release '../../etc' is not here")
    assert none.message == "no release is offered"


async def test_lying_node_is_refused_and_counted(robot: Robot):
    node = robot.node("n0")
    async with robot.otad() as ota:
        await known_to(ota, node)
        node.report(node_id="n1", version="9.9.9")
        await until(lambda: ota.counters["statuses_refused"] == 1)
        node.report(node_id="n0", state="dancing")
        await until(lambda: ota.counters["statuses_refused"] == 2)
        shown = await report(ota)
    assert [machine.version for machine in shown.machines] == ["1.0.0"]


async def test_watch_reports_every_change(robot: Robot):
    node = robot.node("n0")
    async with robot.otad() as ota:
        await known_to(ota, node)
        stream = ota.client.stream("GET", "/watch", None, FirmwareReport)
        async with contextlib.aclosing(stream):
            await anext(stream)
            node.report(progress=40, state="installing")
            async with asyncio.timeout(4.0):
                async for shown in stream:
                    if shown.machines[0].progress == 40:
                        return


async def test_release_in_use_is_not_removed_another_one_is(robot: Robot):
    node = robot.node("n0")
    async with robot.otad() as ota:
        await ota.release("1.1.0")
        await ota.release("1.2.0")
        await known_to(ota, node)
        await begin(ota, version="1.2.0")
        refusal = await refused(ota.client.delete("/releases/1.2.0", Done))
        await ota.client.delete("/releases/1.1.0", Done)
        shown = await report(ota)
    assert refusal.code is Code.REFUSED
    assert [release.version for release in shown.releases] == ["1.2.0"]


async def test_old_releases_make_room_for_new_ones(robot: Robot):
    async with robot.otad(Config(reserve_bytes=0, keep_releases=2)) as ota:
        for version in ("1.1.0", "1.9.0", "1.10.0"):
            await ota.release(version)
        shown = await report(ota)
    assert [release.version for release in shown.releases] == ["1.10.0", "1.9.0"]


async def test_without_an_installer_the_report_says_so(robot: Robot):
    robot.installer.is_there = False
    async with robot.otad() as ota:
        stream = ota.client.stream("GET", "/watch", None, FirmwareReport)
        async with contextlib.aclosing(stream), asyncio.timeout(6.0):
            async for shown in stream:
                if shown.updates_off:
                    break
    assert shown.updates_off == "RAUC does not answer"


async def test_state_of_a_newer_release_alone_hinders_no_roll_out(robot: Robot):
    node = robot.node("n0")
    file = robot.directories.state / "otad.json"
    await asyncio.to_thread(file.parent.mkdir, parents=True)
    await asyncio.to_thread(file.write_text, '{"version_of_format": 99}')
    async with robot.otad() as ota:
        assert not ota.context.health.is_healthy
        await known_to(ota, node)
        await ota.release("1.1.0")
        await begin(ota)
        await until(lambda: bool(node.requests))
    assert await asyncio.to_thread(file.read_text) == '{"version_of_format": 99}'


async def test_damaged_state_is_set_aside_and_reported(robot: Robot):
    robot.directories.state.mkdir(parents=True)
    (robot.directories.state / "otad.json").write_text(json.dumps({"current": 7})[:9])
    async with robot.otad() as ota:
        assert not ota.context.health.is_healthy
        assert (await report(ota)).plan is None
