"""Each format over real sockets, until its values are on the bus; clients of lines; subjects."""

import asyncio
import json
import socket
import struct
from pathlib import Path

import pytest

from saint_services.lib.api import livelink
from saint_services.lib.api.endpoint import Nothing
from saint_services.lib.api.livelink import SubjectRef
from saint_services.lib.errors import SaintError
from saint_services.livelinkd.protocols.ifacialmocap import REQUEST
from tests.unit.livelinkd.osc_packets import APPLY, bone, bundle, shape
from tests.unit.livelinkd.rig import CAPTURE, listening
from tests.waiting import until

FACE = b"jawOpen-25|=head#0,30,0,0,0,0|"
ONE_VALUE = b'{"subject_name": "P", "property_names": ["a"], "property_values": [1]}\n'
HAND = {"rotation": {"x": 0, "y": 0, "z": 0, "w": 1}, "translation": {"x": 1, "y": 2, "z": 3}}


async def test_json_live_link_is_received(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        body = {"Parameter": [{"Name": "JawOpen", "Value": 2.0}]}
        ears.send(json.dumps({"Me": body, "Bad": {}}).encode(), format="json")
        await until(lambda: bool(ears.samples))
        assert ears.samples[0].source == "livelink:Me"
        assert ears.values() == {"jawOpen": 1.0}  # in range
        found = await ears.subjects()
        assert found.refused == {"a subject has neither Bone nor Parameter": 1}
        assert found.sources[0].format == "json"


async def test_ifacialmocap_is_requested_and_received(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as phone:
        phone.bind(("127.0.0.1", 0))
        phone.setblocking(False)
        loop = asyncio.get_running_loop()
        settings = {"phones": [f"127.0.0.1:{phone.getsockname()[1]}"], "subject": "Anna"}
        async with listening(tmp_path, formats={"ifacialmocap": settings}) as ears:
            async with asyncio.timeout(5):
                for _ in range(2):  # nobody answered the first one
                    data, requester = await loop.sock_recvfrom(phone, 2048)
                    assert data == REQUEST and requester[1] == ears.ports["ifacialmocap"]
            phone.sendto(FACE, requester)
            await until(lambda: bool(ears.samples))
            assert ears.samples[0].source == "livelink:Anna"
            assert ears.values()["headYaw"] == pytest.approx(0.5235988)


async def test_an_avatar_in_many_datagrams_is_published_once(tmp_path: Path) -> None:
    async with listening(tmp_path, formats={"vmc": {"names": {"127.0.0.1": "Anna"}}}) as ears:
        bones = [bone(f"bone{i}") for i in range(30)]
        ears.send(*bones, bundle(bone("Head"), shape("A", 0.5), APPLY), format="vmc")
        await until(lambda: bool(ears.samples) and "A" in ears.samples[-1].names)
        assert ears.samples[-1].source == "livelink:Anna"
        assert {"Head.yaw", "bone29.roll", "jawOpen"} < set(ears.values())
        assert len(ears.samples) <= 3  # 31 datagrams, as many as were read at a time


async def test_lines_over_tcp_are_received_and_refusals_answered(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        reader, writer = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        line = {"subject_name": "Hand", "subject_type": "transform", "transform": HAND}
        text = json.dumps(line).encode()
        writer.write(text[:20])
        await writer.drain()
        writer.write(text[20:] + b"\n\n{}\n")
        assert json.loads(await reader.readline()) == {"refused": "a subject has no name"}
        await until(lambda: bool(ears.frames))
        assert ears.values()["x"] == 1.0
        assert ears.frames[0].transform.translation.z == 3.0
        writer.close()


async def test_a_line_without_end_ends_its_client_alone(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        other = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        reader, writer = await asyncio.open_connection("127.0.0.1", ears.ports["lines"])
        writer.write(b"x" * 200_000)
        async with asyncio.timeout(5):
            assert json.loads(await reader.readline()) == {"refused": "a line is too long"}
        other[1].write(ONE_VALUE)
        await until(lambda: bool(ears.samples))
        assert (await ears.subjects()).refused == {"a line is too long": 1}
        writer.close()
        other[1].close()


async def test_clients_are_limited_in_number(tmp_path: Path) -> None:
    async with listening(tmp_path, formats={"lines": {"clients": 2}}) as ears:
        opened = [await asyncio.open_connection("127.0.0.1", ears.ports["lines"]) for _ in "123"]
        async with asyncio.timeout(5):
            line = await opened[2][0].readline()
        assert json.loads(line) == {"refused": "too many clients are connected"}
        opened[1][1].write(ONE_VALUE)
        await until(lambda: bool(ears.samples))
        for _, writer in opened:
            writer.close()


async def test_format_that_is_off_is_not_received(tmp_path: Path) -> None:
    async with listening(tmp_path, formats={"vmc": {"enabled": False}}) as ears:
        formats = (await ears.client.request(livelink.LIST_FORMATS, Nothing())).formats
        assert {each.format: each.enabled for each in formats} == {
            "llf": True, "json": True, "vmc": False, "ifacialmocap": True, "lines": True,
            "capture": False,
        }  # fmt: skip
        assert formats[0].addresses == [f"udp 127.0.0.1:{ears.ports['llf']}"]
        assert formats[2].addresses == []


async def test_two_senders_of_one_subject(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(CAPTURE[0], host="127.0.0.1")
        await until(lambda: len(ears.samples) == 1)
        ears.send(CAPTURE[1], CAPTURE[2], host="127.0.0.2")
        found = await ears.refusals(2)
        taken = {"the subject belongs to another sender": 2}
        assert found.refused == taken and found.refused_by_sender == {"127.0.0.2": taken}
        assert found.sources[0].source_ip == "127.0.0.1"
        who = SubjectRef(subject_name="FaceCapture-p")
        await ears.client.request(livelink.RELEASE, who)
        assert (await ears.subjects()).sources[0].is_open
        ears.send(CAPTURE[3], host="127.0.0.2")
        await until(lambda: len(ears.samples) == 2)
        assert (await ears.subjects()).sources[0].source_ip == "127.0.0.2"
        with pytest.raises(SaintError, match="nobody"):
            await ears.client.request(livelink.RELEASE, SubjectRef(subject_name="nobody"))


async def test_subjects_are_published_on_the_bus(tmp_path: Path) -> None:
    async with listening(tmp_path) as ears:
        ears.send(*CAPTURE)  # the face is lost once, and found again
        await until(lambda: len(ears.samples) == 20)
        assert [subject.tracked for subject in ears.described] == [True, False, True]
        last = ears.described[-1]
        assert (last.subject_name, last.subject_type, last.lost) == ("FaceCapture-p", "face", 0)
        assert len(last.properties) == 61


async def test_a_name_that_is_a_path_is_a_name(tmp_path: Path) -> None:
    device, name = b"x", b"../../etc/passwd"
    data = struct.pack(">Bi", 6, 1) + device + struct.pack(">i", len(name)) + name
    data += struct.pack(">ifiiB", 1, 0.0, 60, 1, 61) + b"\0" * 244
    async with listening(tmp_path) as ears:
        ears.send(data)
        await until(lambda: bool(ears.samples))
        who = SubjectRef(subject_name=name.decode())
        await ears.client.request(livelink.RELEASE, who)
