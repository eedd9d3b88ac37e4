"""The capture mode against a simulated phone: found, requested, received, lost and found again."""

import asyncio
import json
import math
import socket
import struct
from functools import partial
from pathlib import Path

import pytest

from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.livelinkd.capture import client as capture_client
from saint_services.livelinkd.capture import session as capture_session
from saint_services.livelinkd.capture.session import ANSWER_S, KEEP_ALIVE_S, CaptureSession
from saint_services.livelinkd.protocols import CaptureDecoder, Frame, Refused
from saint_services.livelinkd.protocols.capture import (
    Unpacker,
    answered_port,
    described,
    discovery,
    packed,
)
from saint_services.livelinkd.protocols.frames import WrongError
from tests.unit.livelinkd.fake_phone import SUBJECT, Phone, stream_frame
from tests.unit.livelinkd.rig import listening
from tests.waiting import until


def has(samples: list[InputSample], count: int) -> bool:
    return len(samples) >= count


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_named_phone_is_requested_and_received(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_session, "KEEP_ALIVE_S", 0.1)
    monkeypatch.setattr(capture_client, "_TICK_S", 0.05)
    async with Phone() as phone:
        settings = {"enabled": True, "discover": False, "port": free_port()}
        capture = settings | {"phones": [f"127.0.0.1:{phone.port}"]}
        async with listening(tmp_path, formats={"capture": capture}) as ears:
            await until(lambda: phone.streams_to is not None)
            assert phone.asked[:3] == ["/session/start", "/stream/subjects", "/stream/start"]
            await until(lambda: "/session/keep-alive" in phone.asked)
            phone.stream(stream_frame(1), stream_frame(3, jaw=0), b"\1\0")
            await until(lambda: len(ears.samples) == 2)
            assert ears.samples[0].source == "livelink:Anna"
            values = ears.values(0)
            assert values["jawOpen"] == 1.0 and values["eyeBlinkLeft"] == 0.0
            assert values["headPitch"] == pytest.approx(math.radians(10))
            found = await ears.refusals(1)
            assert (found.sources[0].device, found.sources[0].lost) == ("ABC-1", 1)
        await until(lambda: phone.asked[-1] == "/session/stop")


async def test_a_phone_that_hangs_up_is_called_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_client, "FIRST_PAUSE_S", 0.1)
    async with Phone() as phone:
        settings = {"enabled": True, "discover": False, "port": free_port()}
        capture = settings | {"phones": [f"127.0.0.1:{phone.port}"]}
        async with listening(tmp_path, formats={"capture": capture}):
            await until(lambda: phone.streams_to is not None)
            phone.streams_to = None
            phone.hang_up()
            await until(lambda: phone.streams_to is not None)
            assert phone.sessions == 2


async def test_a_phone_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.setblocking(False)
        monkeypatch.setattr(capture_client, "GROUP", "127.0.0.1")
        monkeypatch.setattr(capture_client, "DISCOVERY_PORT", ear.getsockname()[1])
        capture = {"enabled": True, "port": free_port()}
        async with Phone() as phone, listening(tmp_path, formats={"capture": capture}) as ears:
            async with asyncio.timeout(5):
                data, who = await asyncio.get_running_loop().sock_recvfrom(ear, 100)
            assert data == discovery() == b"CPSDISCOVER\0\2\0\0"
            assert who[1] == capture["port"]
            ear.sendto(b"CPSDISCOVER\0noise", who)
            name = b"Anna's phone"
            answer = b"CPSDISCOVER\0\2\0\1" + b"I" * 16 + name + struct.pack("<H", phone.port)

            def is_connected() -> bool:
                ear.sendto(answer, who)
                return phone.streams_to is not None

            for sessions in (1, 2):  # one that hangs up is called again when it answers again
                await until(is_connected)
                phone.stream(stream_frame(sessions))
                await until(partial(has, ears.samples, sessions))
                assert phone.sessions == sessions
                phone.streams_to = None
                phone.hang_up()


def test_only_an_answer_has_a_port() -> None:
    answer = b"CPSDISCOVER\0\2\0\1" + b"I" * 16 + struct.pack("<H", 20000)
    assert answered_port(answer, 5) == 20000
    assert answered_port(answer[:-2] + b"\1\0", 5) == 5
    for wrong in (b"", discovery(), answer[:-1], b"X" + answer, answer.replace(b"\0\1", b"\0\2")):
        assert answered_port(wrong, 5) is None


def respond(session: CaptureSession, sent: bytes, now_s: float = 1.0, **changes: object) -> bytes:
    """The session's next words, after a phone's answer to its last ones."""
    (said,) = Unpacker().feed(sent)
    return session.receive(packed({**said, "type": "response", "body": {}, **changes}), now_s)


def test_a_session_that_is_refused_ends() -> None:
    for changes in ({"error": "busy"}, {"sessionId": ""}, {"sessionId": 5}):
        session = CaptureSession(5)
        with pytest.raises(WrongError):
            respond(session, session.begin(1.0), **changes)


def test_a_silent_phone_is_given_up() -> None:
    session = CaptureSession(5)
    session.begin(1.0)
    assert session.due(1.0 + KEEP_ALIVE_S) == b""  # nothing to keep alive yet
    with pytest.raises(WrongError, match="did not answer /session/start"):
        session.due(1.0 + ANSWER_S)


def test_subjects_are_requested_again_after_a_change() -> None:
    session = CaptureSession(5)
    requests = respond(session, session.begin(1.0), sessionId="s")
    assert respond(session, requests, body={"subjects": []}) == b""
    news = packed({"addressPath": "/event/subjects", "type": "update"})
    (again,) = Unpacker().feed(session.receive(news, 2.0))
    assert again["addressPath"] == "/stream/subjects" and again["sessionId"] == "s"
    starts = respond(session, packed(again), body={"subjects": [SUBJECT]})
    (start,) = Unpacker().feed(starts)
    assert start["body"] == {"port": 5, "subjects": [{"id": "ABC-1"}]}
    respond(session, starts, transactionId=str(start["transactionId"]))
    assert session.is_streaming


def test_answers_to_nothing_are_ignored() -> None:
    session = CaptureSession(5)
    session.begin(1.0)
    for message in ({}, {"type": "response"}, {"type": "response", "transactionId": "x"},
                    {"type": "response", "transactionId": 99}, {"type": "update"}):  # fmt: skip
        assert session.receive(packed(message), 1.0) == b""


@pytest.mark.parametrize("cut", [1, 5, 11, 15, 17, 20])
def test_control_messages_come_in_pieces(cut: int) -> None:
    whole = packed({"a": 1}) + packed({"b": 2})
    unpacker = Unpacker()
    found = unpacker.feed(whole[:cut]) + unpacker.feed(whole[cut:])
    assert found == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200",
        b"CPSCONTROL\0" + struct.pack("<HI", 1, 1 << 21),
        b"CPSCONTROL\0" + struct.pack("<HI", 1, 2) + b"[]",
        b"CPSCONTROL\0" + struct.pack("<HI", 1, 3) + b"NaN",
        b"CPSCONTROL\0" + struct.pack("<HI", 1, 1) + b"{",
    ],
)
def test_what_is_no_control_message_ends_the_connection(data: bytes) -> None:
    with pytest.raises(WrongError):
        Unpacker().feed(data)


def test_descriptions_that_are_not_sound_are_left_out() -> None:
    bad = [
        5, {}, {"id": 5}, SUBJECT | {"id": ""}, SUBJECT | {"animationMetadata": None},
        SUBJECT | {"animationMetadata": {"controls": [5]}},
        SUBJECT | {"animationMetadata": {"controls": ["a", "a"]}},
        SUBJECT | {"animationMetadata": {"controls": ["headYaw"]}},
    ]  # fmt: skip
    assert described({"subjects": bad}) == {} == described(None) == described({"subjects": 5})
    assert list(described([SUBJECT, *bad])) == ["ABC-1"]
    named = described([SUBJECT | {"name": None}])
    assert named["ABC-1"].name == "ABC-1"


def test_stream_must_match_its_description() -> None:
    decoder = CaptureDecoder()
    two = SUBJECT | {"animationMetadata": {"controls": ["jawOpen", "mine"]}}
    decoder.learn("10.0.0.1", described([two]))
    (outcome,) = decoder(stream_frame(1), "10.0.0.1")
    assert outcome == Refused("the number of values is not that of the subject's description")
    (outcome,) = decoder(stream_frame(1), "10.0.0.2")  # without a description: ARKit's 52
    assert isinstance(outcome, Frame) and outcome.names[0] == "eyeBlinkLeft"


def test_every_cut_of_a_stream_datagram_is_refused() -> None:
    whole = stream_frame(1)
    for length in range(len(whole)):
        (outcome,) = CaptureDecoder()(whole[:length], "a")
        assert isinstance(outcome, Refused), length
    (outcome,) = CaptureDecoder()(whole[:-4] + struct.pack("<f", math.nan), "a")
    assert outcome == Refused("a value is not finite")


def test_messages_are_json() -> None:
    assert json.loads(packed({"a": "ä"})[17:]) == {"a": "ä"}
