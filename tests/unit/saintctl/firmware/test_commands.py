"""saintctl firmware and node show, with an otad on the real control plane."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saint_services.lib.api.adoption import GET_NODE_INFO, NodeInfo, NodeParams, Peripheral
from saint_services.lib.api.firmware import RolloutState, UpdateState, UpdateVerdict
from saint_services.lib.api.update_policy import FetchState, SourceStatus
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.ipc import Api, Call
from saint_services.saintctl.app import app
from saint_services.saintctl.firmware import view as view
from saint_services.saintctl.firmware.upload import send
from tests.web.fakes.otad import FakeOtad, machine, release

NODE = NodeInfo(
    node_id="sim_tracks", display_name="Tracks", state="active", role="tracks",
    topic_prefix="/saint/tracks", config_version="1.0.0", address="192.168.10.14",
    hardware_model="Raspberry Pi 4 Model B", seen_age_s=0.4, uptime_s=4000,
    peripherals=[Peripheral(type="i2c", address="1:0x40", description="PCA9685", responsive=False)],
)  # fmt: skip


class FakeDaemons:
    """Fake otad with its two sockets, and fake adoptiond with one node."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.otad = FakeOtad()

    async def node(self, call: Call[NodeParams]) -> NodeInfo:
        if call.body.node_id != NODE.node_id:
            raise SaintError(Code.NOT_FOUND, f"node {call.body.node_id} is not known")
        return NODE

    async def saintctl(self, *arguments: str, expected: int = 0) -> Result:
        words = ["--run", str(self.run), *arguments]
        result = await asyncio.to_thread(CliRunner().invoke, app, words)
        assert result.exit_code == expected, result.output + result.stderr
        return result


@pytest.fixture
async def robot(tmp_path: Path) -> AsyncIterator[FakeDaemons]:
    found = FakeDaemons(tmp_path)
    registry = Api()
    registry.bind(GET_NODE_INFO, found.node)
    servers = []
    for name, api in (("otad", found.otad.api()), ("adoptiond", registry)):
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(tmp_path / f"{name}.sock"))
        listening.listen()
        listening.setblocking(False)
        servers.append(await api.serve([listening]))
    await found.otad.open_files(tmp_path / "otad-files.sock")
    yield found
    await found.otad.close()
    for server in servers:
        await server.close()


async def test_status_shows_version_machines_and_releases(robot: FakeDaemons) -> None:
    text = (await robot.saintctl("firmware", "status")).stdout
    assert text.startswith("The robot runs release 0.1.0 on 6 machines; 1 is offline.")
    assert "saint-server (server)" in text
    assert "231.0 MB" in text


async def test_status_as_json_is_otads_report(robot: FakeDaemons) -> None:
    text = json.loads((await robot.saintctl("firmware", "status", "--json")).stdout)
    assert text["robot_version"] == "0.1.0"
    assert text["machines"][0]["node_id"] == "sim_head"


async def test_tables_fit_into_80_columns(robot: FakeDaemons) -> None:
    robot.otad.halt()
    text = (await robot.saintctl("firmware", "status")).stdout
    assert max(len(line) for line in text.splitlines()) <= 80


async def test_halted_rollout_shows_reason_and_machine(robot: FakeDaemons) -> None:
    robot.otad.halt()
    text = (await robot.saintctl("firmware", "status")).stdout
    words = " ".join(text.split())
    assert "Roll-out of 0.2.0 was halted: 0 of 7 machines healthy. sim_tracks: saint-role" in words
    assert "rolled back 0.2.0" in words


async def test_reason_with_brackets_is_shown_unchanged(robot: FakeDaemons) -> None:
    robot.otad.change(
        "sim_head",
        verdict=UpdateVerdict.FAILED,
        reason="[Errno 28] [bold]no room",
        target_version="0.2.0",
    )
    text = (await robot.saintctl("firmware", "status")).stdout
    assert "sim_head: 0.2.0 could not be installed: [Errno 28] [bold]no room" in text


@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "rollback"])
async def test_rollout_is_controlled(robot: FakeDaemons, action: str) -> None:
    robot.otad.work()
    await robot.saintctl("firmware", action)
    assert robot.otad.requests == [action]


async def test_rollout_sends_its_options(robot: FakeDaemons) -> None:
    words = ("0.2.0", "--canary", "sim_head", "--force", "--detach", "--json")
    text = json.loads((await robot.saintctl("firmware", "rollout", *words)).stdout)
    assert text["state"] == "running"
    assert robot.otad.requests == ["rollout 0.2.0 canary=sim_head force=True"]


async def test_refused_rollout_is_one_sentence(robot: FakeDaemons) -> None:
    robot.otad.refusal = SaintError(Code.REFUSED, "0.1.0 is older than what runs")
    result = await robot.saintctl("firmware", "rollout", "0.1.0", expected=5)
    assert "0.1.0 is older than what runs" in result.stderr


async def test_upload_sends_the_file_with_its_checksum(robot: FakeDaemons, tmp_path: Path) -> None:
    bundle = tmp_path / "x.raucb"
    bundle.write_bytes(bytes(range(256)) * 4000)
    text = (await robot.saintctl("firmware", "upload", str(bundle))).stdout
    assert "Release 0.2.0 is on the server (1.0 MB)" in text
    assert robot.otad.uploaded == bundle.read_bytes()


async def test_refused_upload_is_one_sentence(robot: FakeDaemons, tmp_path: Path) -> None:
    robot.otad.refusal = SaintError(Code.RELEASE_INVALID, "the bundle is cut off")
    bundle = tmp_path / "x.raucb"
    bundle.write_bytes(b"text")
    result = await robot.saintctl("firmware", "upload", str(bundle), expected=5)
    assert "the bundle is cut off" in result.stderr


async def test_upload_of_a_missing_file_is_not_found(robot: FakeDaemons) -> None:
    result = await robot.saintctl("firmware", "upload", "/nowhere", expected=4)
    assert "/nowhere cannot be read: No such file or directory" in result.stderr


async def test_early_refusal_ends_the_upload(tmp_path: Path) -> None:
    """A refusal of the first byte ends an upload of two hundred megabytes at once."""
    bundle, sent, over = tmp_path / "x.raucb", [], asyncio.Event()
    bundle.write_bytes(bytes(32 << 20))

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"code":"disk_full","message":"no room","fix":""}'
        head = f"HTTP/1.1 507 Full\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        while await reader.read(1 << 16):  # as otad lingers: closing at once would lose the answer
            pass
        writer.close()
        await writer.wait_closed()
        over.set()

    server = await asyncio.start_unix_server(refuse, str(tmp_path / "files.sock"))
    with pytest.raises(SaintError, match="no room") as caught:
        await send(tmp_path / "files.sock", bundle, lambda done, _: sent.append(done))
    assert caught.value.code is Code.DISK_FULL
    assert (sent or [0])[-1] < 32 << 20
    await over.wait()
    server.close()
    await server.wait_closed()


async def test_upload_without_otad_names_the_daemon(tmp_path: Path) -> None:
    bundle = tmp_path / "x.raucb"
    bundle.write_bytes(b"x")
    with pytest.raises(SaintError, match="otad does not answer"):
        await send(tmp_path / "files.sock", bundle, lambda _, __: None)


async def test_release_is_removed(robot: FakeDaemons) -> None:
    robot.otad.releases.append(release("0.0.9"))
    await robot.saintctl("firmware", "remove", "0.0.9")
    assert robot.otad.requests == ["delete 0.0.9"]
    await robot.saintctl("firmware", "remove", "0.0.8?all", expected=2)
    await robot.saintctl("firmware", "remove", "", expected=2)
    assert len(robot.otad.requests) == 1


async def test_node_show_prints_release_verdict_reason_and_log(robot: FakeDaemons) -> None:
    robot.otad.halt()
    words = " ".join((await robot.saintctl("node", "show", "sim_tracks")).stdout.split())
    assert "tracks on /saint/tracks" in words
    assert "PCA9685, does not answer" in words
    assert "0.1.0, slot A; the other slot has 0.2.0" in words
    assert "0.2.0 rolled back" in words
    assert "starts again and again (7 times)" in words
    assert "ImportError: cannot import name 'Encoder'" in words


async def test_node_show_works_without_otad(robot: FakeDaemons) -> None:
    (robot.run / "otad.sock").unlink()
    text = (await robot.saintctl("node", "show", "sim_tracks")).stdout
    assert "otad does not answer" in " ".join(text.split())
    facts = json.loads((await robot.saintctl("node", "show", "sim_tracks", "--json")).stdout)
    assert facts["firmware"] is None


async def test_unknown_node_is_not_found(robot: FakeDaemons) -> None:
    result = await robot.saintctl("node", "show", "sim_nobody", expected=4)
    assert "sim_nobody is not known" in result.stderr


def test_every_change_is_printed_once() -> None:
    otad = FakeOtad(machines=[machine("a"), machine("b")], releases=[])
    before = otad.report()
    assert list(view.changes(before, otad.report())) == []
    otad.change("a", state=UpdateState.INSTALLING, progress=41, target_version="0.2.0")
    middle = otad.report()
    assert list(view.changes(before, middle)) == ["a: release 0.1.0, installing 0.2.0, 40 %"]
    otad.change("a", progress=48)
    assert list(view.changes(middle, otad.report())) == []
    otad.change(
        "a", state=UpdateState.IDLE, verdict=UpdateVerdict.ROLLED_BACK, reason="a unit failed"
    )
    (line,) = view.changes(middle, otad.report())
    assert line == "a: release 0.1.0, 0.2.0 was rolled back: a unit failed"


def test_rollout_line_names_state_and_reason() -> None:
    otad = FakeOtad()
    otad.work()
    assert otad.plan is not None
    line = view.rollout_line(otad.plan)
    assert line == "Roll-out of 0.2.0 is running: 1 of 7 machines healthy."
    halted = otad.plan.model_copy(update={"state": RolloutState.HALTED, "reason": "a unit failed"})
    assert view.rollout_line(halted).endswith("machines healthy. a unit failed.")


async def test_overview_of_the_robot_names_its_release(robot: FakeDaemons) -> None:
    words = " ".join((await robot.saintctl("status")).stdout.split())
    assert "firmware 0.1.0" in words
    robot.otad.halt()
    words = " ".join((await robot.saintctl("status")).stdout.split())
    assert "firmware 0.1.0, Roll-out of 0.2.0 was halted" in words


async def test_settings_are_shown_and_changed(robot: FakeDaemons, tmp_path: Path) -> None:
    text = (await robot.saintctl("firmware", "settings")).stdout
    assert "machines take releases  by themselves" in text
    assert "releases from           no address" in text
    await asyncio.to_thread((tmp_path / "ca.pem").write_text, "CERTIFICATE")
    text = (
        await robot.saintctl(
            "firmware", "settings", "--offers", "ask", "--window", "02:00-05:00",
            "--from", "https://example.org", "--authority", str(tmp_path / "ca.pem"),
        )
    ).stdout  # fmt: skip
    assert "by a roll-out that a user starts" in text
    assert "https://example.org, every 24 hours, by an authority of your own" in " ".join(
        text.split()
    )
    assert "'authority': 'CERTIFICATE'" in robot.otad.requests[-1]
    await robot.saintctl("firmware", "settings", "--from", "", "--authority", "")
    assert robot.otad.requests[-1] == "policy {'releases_from': '', 'authority': ''}"
    text = (await robot.saintctl("firmware", "settings", "--usb-stick")).stdout
    assert "USB sticks              their releases are stored" in text
    text = (await robot.saintctl("firmware", "settings", "--no-usb-stick")).stdout
    assert "USB sticks              are refused" in text


async def test_authority_that_cannot_be_read_is_named(robot: FakeDaemons) -> None:
    found = await robot.saintctl(
        "firmware", "settings", "--authority", "/nowhere/ca.pem", expected=2
    )
    assert "/nowhere/ca.pem" in found.output + found.stderr
    assert robot.otad.requests == []


async def test_address_is_looked_at_and_its_state_is_shown(robot: FakeDaemons) -> None:
    robot.otad.source = SourceStatus(
        address="https://example.org", state=FetchState.DOWNLOADING, version="0.2.0",
        text="Checked just now: 0.2.0 is there, 40 % of 118.0 MiB downloaded",
    )  # fmt: skip
    text = (await robot.saintctl("firmware", "fetch", "--force")).stdout
    assert text == "Checked just now: 0.2.0 is there, 40 % of 118.0 MiB downloaded.\n"
    assert robot.otad.requests == ["check force=True"]
    text = " ".join((await robot.saintctl("firmware", "status")).stdout.split())
    assert "https://example.org: Checked just now: 0.2.0 is there" in text
