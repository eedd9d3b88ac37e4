"""Each capture format through real processes and the bus: from a socket to the router's inputs, and
from a face in another app's format to the head.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from saint_services.lib.api import livelink
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import (
    PlayRecording,
    RecordingRef,
    SenderRef,
    StartRecording,
    SubjectList,
    SubjectRef,
)
from saint_services.lib.ipc import Client
from tests.integration.robot import Robot
from tests.integration.senders import RECORDED_FACE, phone, playing, received
from tests.unit.livelinkd.osc_packets import APPLY, bone, bundle, shape
from tests.waiting import block_until, until
from tools.sim.observe import read_pins

PAN, MIDDLE_US = 12, 1500.0  # manifests/roles/head.yaml
RATE_HZ = 60.0

DATAGRAMS = {
    "json": [json.dumps({"Json": {"Parameter": [{"Name": "HeadYaw", "Value": 0.25}]}}).encode()],
    "vmc": [bundle(bone("Head", y=0.25881905, w=0.96592583), shape("A", 0.25), APPLY)],
    # A face that holds still to the last digit is a lost one.
    "ifacialmocap": [b"jawOpen-%d|=head#0,14.3239449,0,0,0,0|" % jaw for jaw in range(50)],
}
EXPECTED = {
    "json": ("livelink:Json", "headYaw", 0.25),
    "vmc": ("livelink:VMC", "Head.yaw", -30.0),
    "ifacialmocap": ("livelink:iFacialMocap", "headYaw", 0.25),
}


@pytest.fixture
async def livelinkd(robot: Robot) -> AsyncIterator[Client]:
    async with robot.client("livelinkd") as client:
        yield client


async def address(client: Client, format: str) -> tuple[str, int]:
    reported = await client.request(livelink.LIST_FORMATS, Nothing())
    (found,) = [each for each in reported.formats if each.format == format]
    host, _, port = found.addresses[0].rpartition(" ")[2].rpartition(":")
    return host, int(port)


@contextlib.contextmanager
def sending(data: list[bytes], to: tuple[str, int], host: str = "127.0.0.1") -> Iterator[None]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((host, 0))
        with playing(lambda each: sender.sendto(each, to), data, RATE_HZ):
            yield


@pytest.mark.parametrize("format", DATAGRAMS)
async def test_a_format_reaches_the_router(robot: Robot, livelinkd: Client, format: str) -> None:
    source, name, value = EXPECTED[format]
    with sending(DATAGRAMS[format], await address(livelinkd, format)):
        found = await received(robot, source)
    assert found.values[name] == pytest.approx(value, abs=1e-3)


async def test_lines_over_tcp_reach_the_router(robot: Robot, livelinkd: Client) -> None:
    to = await address(livelinkd, "lines")
    line = b'{"subject_name": "Script", "property_names": ["tilt"], "property_values": [0.5]}\n'
    with socket.create_connection(to) as script, playing(script.sendall, [line], RATE_HZ):
        found = await received(robot, "livelink:Script")
    assert found.values == {"tilt": 0.5}


async def test_a_face_in_another_format_moves_the_head(robot: Robot, livelinkd: Client) -> None:
    faces = [f"jawOpen-25|=head#0,{turn},0,0,0,0|".encode() for turn in range(-40, 41)]

    def is_turned() -> bool:
        return abs(read_pins(robot.hw("head"))[PAN].value - MIDDLE_US) > 100

    with sending(faces, await address(livelinkd, "ifacialmocap")):
        await asyncio.to_thread(block_until, is_turned, 8.0, robot.diagnosis)


async def test_a_face_moves_the_head_only_once_its_sender_is_accepted(
    robot: Robot, livelinkd: Client
) -> None:
    faces = [b'{"Eve": {"Parameter": [{"Name": "headYaw", "Value": %.2f}]}}' % (i / 100)
             for i in range(-40, 41)]  # fmt: skip
    sender = SenderRef(format="json", ip="127.0.0.3", subject_name="Eve")

    def pulse() -> float:
        return read_pins(robot.hw("head"))[PAN].value

    async def until_shown(frames: int) -> None:
        async def are_shown() -> bool:
            found = await livelinkd.request(livelink.LIST_SENDERS, Nothing())
            return any(each.frames > frames for each in found.waiting)

        await until(are_shown)

    with sending(faces, await address(livelinkd, "json"), host="127.0.0.3"):
        await until_shown(60)  # what an earlier face requested is over
        before = await asyncio.to_thread(pulse)
        await until_shown(120)
        assert await asyncio.to_thread(pulse) == before
        await livelinkd.request(livelink.ACCEPT_SENDER, sender)
        await asyncio.to_thread(block_until, lambda: pulse() != before, 8.0, robot.diagnosis)
        await livelinkd.request(livelink.REVOKE_SENDER, sender)


async def test_the_second_sender_of_a_subject_waits(robot: Robot, livelinkd: Client) -> None:
    to = await address(livelinkd, "json")
    data = [b'{"Puppet": {"Parameter": [{"Name": "headYaw", "Value": %.2f}]}}' % (i / 100)
            for i in range(50)]  # fmt: skip
    other = SenderRef(format="json", ip="127.0.0.2", subject_name="Puppet")
    await livelinkd.request(livelink.ACCEPT_SENDER, other)
    with sending(data, to), sending(data, to, host="127.0.0.2"):
        await received(robot, "livelink:Puppet")
        found = await livelinkd.request(livelink.LIST_SOURCES, Nothing())
        holder = _holder(found)
        waiting = {"127.0.0.1": "127.0.0.2", "127.0.0.2": "127.0.0.1"}[holder]
        assert found.refused_by_sender[waiting]["the subject belongs to another sender"]
        await livelinkd.request(livelink.RELEASE, SubjectRef(subject_name="Puppet"))

        async def is_heir() -> bool:
            return _holder(await livelinkd.request(livelink.LIST_SOURCES, Nothing())) == waiting

        await until(is_heir)


def _holder(found: SubjectList) -> str:
    (ip,) = [each.source_ip for each in found.sources if each.subject_name == "Puppet"]
    return ip


async def test_what_a_phone_sent_is_recorded_and_played(
    robot: Robot, livelinkd: Client, tmp_path: Path
) -> None:
    await livelinkd.request(livelink.RECORD, StartRecording(name="phone"))
    with phone(robot, RECORDED_FACE):
        await received(robot, "livelink:FaceCapture-p")
    ended = await livelinkd.request(livelink.STOP_RECORDING, Nothing())
    assert ended.datagrams > 0
    detail = await livelinkd.request(livelink.GET_RECORDING, RecordingRef(name="phone"))
    assert detail.formats["llf"] == ended.datagrams
    kept = robot.state("server", "livelinkd") / "recordings" / "phone.jsonl"
    text = (await asyncio.to_thread(kept.read_text)).replace(
        RECORDED_FACE[0][45:58].hex(), b"FaceCapture-q".hex()
    )
    await asyncio.to_thread(kept.with_name("other.jsonl").write_text, text)
    await livelinkd.request(livelink.PLAY, PlayRecording(name="other", again=True))
    await received(robot, "livelink:FaceCapture-q")
    await livelinkd.request(livelink.STOP_PLAYING, Nothing())
    for name in ("phone", "other"):
        await livelinkd.request(livelink.DELETE_RECORDING, RecordingRef(name=name))
