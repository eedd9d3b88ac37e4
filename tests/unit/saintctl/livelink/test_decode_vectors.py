"""`livelink decode` against datagrams that are written down here field by field, from the formats'
documents. Nothing of the product makes them: a mistake that both sides share would not show.
"""

import io
import json
import math
import struct
from pathlib import Path
from typing import Any

import pytest

from saint_services.saintctl.livelink.decode import livelink_decode

# In the order in which Live Link Face sends them.
NAMES = """
EyeBlinkLeft EyeLookDownLeft EyeLookInLeft EyeLookOutLeft EyeLookUpLeft EyeSquintLeft EyeWideLeft
EyeBlinkRight EyeLookDownRight EyeLookInRight EyeLookOutRight EyeLookUpRight EyeSquintRight
EyeWideRight JawForward JawLeft JawRight JawOpen MouthClose MouthFunnel MouthPucker MouthLeft
MouthRight MouthSmileLeft MouthSmileRight MouthFrownLeft MouthFrownRight MouthDimpleLeft
MouthDimpleRight MouthStretchLeft MouthStretchRight MouthRollLower MouthRollUpper MouthShrugLower
MouthShrugUpper MouthPressLeft MouthPressRight MouthLowerDownLeft MouthLowerDownRight
MouthUpperUpLeft MouthUpperUpRight BrowDownLeft BrowDownRight BrowInnerUp BrowOuterUpLeft
BrowOuterUpRight CheekPuff CheekSquintLeft CheekSquintRight NoseSneerLeft NoseSneerRight TongueOut
HeadYaw HeadPitch HeadRoll LeftEyeYaw LeftEyePitch LeftEyeRoll RightEyeYaw RightEyePitch
RightEyeRoll
"""
VALUES = [n / 64 for n in range(61)]  # exact in 32 bits
DEVICE = "1B7CF7B4-0000-4000-8000-0123456789AB"


def text(word: str | bytes) -> bytes:
    data = word.encode() if isinstance(word, str) else word
    return len(data).to_bytes(4, "big") + data


def llf(
    number: int = 1,
    subframe: float = 0.0,
    values: list[float] | None = VALUES,
    *,
    device: str | bytes = DEVICE,
    subject: str | bytes = "FaceCapture",
    rate: tuple[int, int] = (60, 1),
    version: int = 6,
) -> bytes:
    data = bytes([version]) + text(device) + text(subject)
    data += struct.pack(">i", number) + struct.pack(">f", subframe) + struct.pack(">ii", *rate)
    if values is not None:
        data += bytes([len(values)]) + b"".join(struct.pack(">f", value) for value in values)
    return data


def words(*parts: str) -> bytes:
    """OSC texts: a zero behind, and up to a multiple of four."""
    data = b""
    for part in parts:
        data += part.encode() + b"\0"
        data += b"\0" * (-len(data) % 4)
    return data


def floats(*values: float) -> bytes:
    return b"".join(struct.pack(">f", value) for value in values)


def blend(name: str, value: float) -> bytes:
    return words("/VMC/Ext/Blend/Val", ",sf", name) + floats(value)


def bone(name: str, *rotation: float) -> bytes:
    return words("/VMC/Ext/Bone/Pos", ",sfffffff", name) + floats(0, 0, 0, *rotation)


def bundle(*parts: bytes) -> bytes:
    return b"#bundle\0" + b"\0" * 7 + b"\1" + b"".join(len(p).to_bytes(4, "big") + p for p in parts)


APPLY = words("/VMC/Ext/Blend/Apply", ",")
HALF = math.sin(math.pi / 8), math.cos(math.pi / 8)  # of a turn by 45 degrees


@pytest.fixture
def decode(tmp_path: Path) -> Any:
    def run(form: str, *datagrams: bytes | str, sender: str = "10.0.0.9:5") -> list[dict[str, Any]]:
        rows = []
        for number, each in enumerate(datagrams):
            data = each.encode() if isinstance(each, str) else each
            rows.append({"t_us": 16_667 * number, "hex": data.hex(), "from": sender})
        (tmp_path / "x").write_text("".join(json.dumps(row) + "\n" for row in rows))
        out = io.StringIO()
        assert livelink_decode(form, str(tmp_path / "x"), out) == 0
        lines = out.getvalue().splitlines()
        found = [json.loads(line, parse_constant=pytest.fail) for line in lines]  # NaN, Infinity
        kinds = [line["kind"] for line in found]
        assert kinds[-1] == "summary" and kinds.count("summary") == 1
        assert found[-1]["frames"] == kinds.count("frame")
        assert found[-1]["refused"] == kinds.count("refused")
        return found

    return run


def test_face_is_printed_in_full(decode: Any) -> None:
    frame, summary = decode("llf", llf(1096388, 0.25))
    expected = {
        name[0].lower() + name[1:]: value for name, value in zip(NAMES.split(), VALUES, strict=True)
    }
    assert frame == {
        "kind": "frame", "subject": "FaceCapture", "device": DEVICE, "type": "face",
        "frame": 1096388, "subframe": 0.25, "rate": [60, 1], "face": True, "values": expected,
    }  # fmt: skip
    assert list(frame["values"]) == list(expected)
    assert summary == {"kind": "summary", "frames": 1, "refused": 0, "lost": 0}


def test_no_face_is_a_frame_without_values(decode: Any) -> None:
    frame, _ = decode("llf", llf(values=None))
    assert frame["face"] is False and "values" not in frame


@pytest.mark.parametrize(
    ("sent", "expected"),
    [(0.5, 0.5), (1.0, 0.0), (1.25, 0.25), (-0.25, 0.75), (-1e-40, 0.0), (1e-40, 1e-40)],
)
def test_subframe_is_from_0_to_below_1(decode: Any, sent: float, expected: float) -> None:
    frame = decode("llf", llf(subframe=sent, values=None))[0]
    assert frame["subframe"] == pytest.approx(expected, abs=1e-39)
    assert 0.0 <= frame["subframe"] < 1.0


@pytest.mark.parametrize(
    ("numbers", "lost"),
    [
        ([7], 0),
        ([1, 2, 3], 0),
        ([1, 3, 4, 8], 4),
        ([1, 2, 2, 3], 0),  # twice
        ([1, 2, 5, 4, 3, 6], 0),  # late, not lost
        ([1, 2, 5, 4, 6], 1),
        ([5000, 1, 2, 3], 0),  # begun again
        ([60 * 86_400 - 1, 0, 2], 1),  # midnight
        ([1, 100_000, 100_001], 0),  # half an hour later
    ],
)
def test_loss_is_counted_from_frame_numbers(decode: Any, numbers: list[int], lost: int) -> None:
    lines = decode("llf", *[llf(number) for number in numbers])
    assert lines[-1] == {"kind": "summary", "frames": len(numbers), "refused": 0, "lost": lost}


def test_streams_are_distinguished(decode: Any) -> None:
    lines = decode("llf", llf(1), llf(900, subject="Other"), llf(2), llf(903, subject="Other"))
    assert lines[-1]["lost"] == 2


@pytest.mark.parametrize("subject", ["", "x", "Gesicht 顔", "a" * 100])
@pytest.mark.parametrize("device", ["", "x", "d" * 200])
def test_names_of_any_length_are_read(decode: Any, subject: str, device: str) -> None:
    frame = decode("llf", llf(subject=subject, device=device))[0]
    assert (frame["subject"], frame["device"]) == (subject, device)


@pytest.mark.parametrize(
    "datagram",
    [
        b"", b"\6", b"\xff" * 319, llf() + b"\0", llf(values=VALUES[:60]),
        llf(values=[*VALUES, 0.0]), llf(values=[]), llf(values=[math.nan, *VALUES[1:]]),
        llf(values=[*VALUES[:60], math.inf]), llf(values=[-math.inf, *VALUES[1:60], math.inf]),
        llf(subframe=math.nan), llf(subframe=math.inf), llf(rate=(0, 1)), llf(rate=(60, 0)),
        llf(rate=(-60, 1)), llf(subject=b"\xff\xfe"), llf(subject="a\0b"),
        llf(subject="a" * 900), b"\6\xff\xff\xff\xff" + bytes(300), b"\6\x7f\xff\xff\xff" * 60,
        *[llf(version=version) for version in (0, 1, 2, 3, 4, 5, 7, 255)],
        *[llf()[:size] for size in range(len(llf()) - 1, 1, -17) if size != len(llf(values=None))],
    ],
)  # fmt: skip
def test_unsound_face_is_refused_and_the_next_is_read(decode: Any, datagram: bytes) -> None:
    lines = decode("llf", datagram, llf())
    assert [line["kind"] for line in lines] == ["refused", "frame", "summary"]
    if datagram and datagram[0] != 6:
        assert lines[0]["reason"] == f"version {datagram[0]} is not supported"


BONE = {"Name": "Head", "Parent": -1, "Location": [0, 0, 0], "Rotation": [0, 0, 0, 1],
        "Scale": [1, 1, 1]}  # fmt: skip


def test_json_bones_become_angles(decode: Any) -> None:
    # Unreal: z is up, left-handed, so that a positive turn about it is to the right.
    turned = BONE | {"Rotation": [0, 0, *HALF], "Location": [100, 50, 10]}
    frame, _ = decode("json", json.dumps({"Hero": [turned]}))
    assert (frame["subject"], frame["type"], frame["frame"]) == ("Hero", "animation", 0)
    assert frame["values"]["Head.yaw"] == pytest.approx(-45.0)
    assert frame["values"]["Head.pitch"] == frame["values"]["Head.roll"] == 0.0
    places = [frame["values"][f"Head.{axis}"] for axis in "xyz"]
    assert places == pytest.approx([1.0, -0.5, 0.1])


def test_json_face_has_its_parameters(decode: Any) -> None:
    body = {"Parameter": [{"Name": "EyeBlink_L", "Value": 0.5}, {"Name": "Mine", "Value": -3}]}
    frame, _ = decode("json", json.dumps({"Face": body | {"Bone": []}}))
    assert frame["type"] == "face"
    assert frame["values"] == {"eyeBlinkLeft": 0.5, "Mine": -3.0}


@pytest.mark.parametrize("ending", [b"", b"\0", b"\n", b"\r\n", b"\n\0"])
def test_json_may_have_an_ending(decode: Any, ending: bytes) -> None:
    assert decode("json", json.dumps({"A": [BONE]}).encode() + ending)[0]["kind"] == "frame"


@pytest.mark.parametrize(
    "body",
    [
        [BONE | {"Parent": 5}], [BONE | {"Parent": 0}], [BONE | {"Parent": "-1"}],
        [BONE | {"Parent": -2}], [{k: v for k, v in BONE.items() if k != "Scale"}], [], {}, None, 7,
        [BONE | {"Rotation": [0, 0, 0, 0]}], [BONE | {"Rotation": [0, 0, 0]}],
        [BONE | {"Rotation": [0, 0, 0, "1"]}], [BONE | {"Location": [math.nan, 0, 0]}],
        [BONE | {"Scale": [1, math.inf, 1]}], [BONE, BONE], [BONE | {"Name": 5}],
        {"Parameter": [{"Name": "jawOpen", "Value": math.inf}]},
        {"Parameter": [{"Name": "jawOpen", "Value": "1"}]},
        {"Parameter": [{"Name": "jawOpen", "Value": True}]},
        {"Parameter": [{"Name": "jawOpen"}]}, {"Parameter": 1}, {"Bone": [BONE], "Parameter": {}},
    ],
)  # fmt: skip
def test_json_subject_is_refused_alone(decode: Any, body: Any) -> None:
    lines = decode("json", json.dumps({"A": [BONE], "Bad": body, "C": [BONE]}))
    assert [line["kind"] for line in lines] == ["frame", "refused", "frame", "summary"]
    assert [lines[0]["subject"], lines[2]["subject"]] == ["A", "C"]


@pytest.mark.parametrize(
    "data", [b"", b"{", b"null", b"[]", b"1", b"{}", b"\xff\xfe", b"[" * 9000, b'{"A":' * 9000]
)
def test_json_of_another_form_is_refused(decode: Any, data: bytes) -> None:
    assert decode("json", data)[0]["kind"] == "refused"


def test_vmc_bundle_is_one_frame(decode: Any) -> None:
    # Unity: y is up, left-handed, so that a positive turn about it is to the right.
    place = words("/VMC/Ext/Root/Pos", ",sfffffff", "root") + floats(1, 2, 3, 0, 0, 0, 1)
    head = bone("Head", 0, HALF[0], 0, HALF[1])
    frame, _ = decode("vmc", bundle(place, head, blend("JawOpen", 0.25), blend("Mine", 0.5), APPLY))
    values = frame["values"]
    assert (frame["type"], frame["face"]) == ("animation", True)
    assert values["Head.yaw"] == pytest.approx(-45.0, abs=1e-5)
    assert (values["jawOpen"], values["Mine"]) == (0.25, 0.5)
    assert [values[f"Root.{axis}"] for axis in "xyz"] == [3.0, -1.0, 2.0]


def test_vmc_messages_may_come_one_by_one(decode: Any) -> None:
    whole = words("/VMC/Ext/Blend/Val", ",si", "A") + (1).to_bytes(4, "big")
    lines = decode("vmc", blend("EyeBlink_L", 0.25), whole, APPLY)
    assert [line["kind"] for line in lines] == ["frame", "summary"]
    values = lines[0]["values"]
    assert values == {"eyeBlinkLeft": 0.25, "A": 1.0, "jawOpen": 1.0}  # A is a mouth wide open
    assert all(isinstance(value, float) for value in values.values())


@pytest.mark.parametrize(
    "data",
    [
        b"", b"#bundle\0", b"\xff" * 40, words("/other", ",i") + bytes(4), bundle(),
        bundle()[:16] + b"\xff\xff\xff\xfc" + bytes(8), bundle()[:16] + b"\0\0\1\0" + bytes(8),
        blend("jawOpen", math.nan), blend("jawOpen", math.inf), blend("jawOpen", 0.5)[:-4],
        blend("jawOpen", 0.5)[:-1], blend("jawOpen", 0.5) + bytes(4), bone("Head", 0, 0, 0, 0),
        bone("Head", 0, 0, 0), bundle(bundle(bundle(bundle(bundle(APPLY))))),
    ],
)  # fmt: skip
def test_unsound_vmc_is_refused(decode: Any, data: bytes) -> None:
    lines = decode("vmc", data, blend("jawOpen", 0.5), APPLY)
    assert [line["kind"] for line in lines] == ["refused", "frame", "summary"]
    assert lines[1]["values"] == {"jawOpen": 0.5}


HEAD = "=head#-90,45,-18,-0.5,0.25,1|rightEye#18,-9,0|leftEye#9,0,-18|"


def test_ifacialmocap_is_printed_in_shares_and_radians(decode: Any) -> None:
    frame, _ = decode("ifacialmocap", "mouthSmile_R-12|jawOpen-100|hapihapi-0|" + HEAD)
    values = frame["values"]
    shapes = {"mouthSmileRight": 0.12, "jawOpen": 1.0, "hapihapi": 0.0}
    assert {name: values[name] for name in shapes} == shapes
    pitch, yaw, roll = values["headPitch"], values["headYaw"], values["headRoll"]
    assert (pitch, yaw, roll) == pytest.approx((-math.pi / 2, math.pi / 4, -math.pi / 10))
    assert [values[f"head{axis}"] for axis in "XYZ"] == [-0.5, 0.25, 1.0]
    assert values["rightEyeYaw"] == pytest.approx(-math.pi / 20)
    assert values["leftEyeRoll"] == pytest.approx(-math.pi / 10)
    assert (frame["type"], frame["frame"], frame["face"]) == ("face", 0, True)


@pytest.mark.parametrize(
    "shapes",
    [
        "jawOpen-25|", "jawOpen-25", "jawOpen&25|", "trackingStatus&1|jawOpen&25|", "jawOpen-25.0|",
        "eyeBlink_L-30|jawOpen&25|", "JawOpen-25|",
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["", "\0", "\r\n", " "])
def test_ifacialmocap_spellings_are_read(decode: Any, shapes: str, ending: str) -> None:
    assert decode("ifacialmocap", shapes + HEAD + ending)[0]["values"]["jawOpen"] == 0.25


def test_ifacialmocap_minus_is_a_sign_only_right_of_the_equals(decode: Any) -> None:
    frame = decode("ifacialmocap", "jawOpen&-10|" + HEAD)[0]
    assert frame["values"]["jawOpen"] == -0.1


def test_ifacialmocap_without_a_face_has_no_values(decode: Any) -> None:
    frame = decode("ifacialmocap", "trackingStatus-0|jawOpen-5|" + HEAD)[0]
    assert frame["face"] is False and "values" not in frame


@pytest.mark.parametrize(
    "data",
    [
        "", "jawOpen-5|", "jawOpen|" + HEAD, "jawOpen-|" + HEAD, "jawOpen-NaN|" + HEAD,
        "jawOpen-Infinity|" + HEAD, "jawOpen-1e30|" + HEAD, "jawOpen-5|jawOpen-6|" + HEAD,
        "jawOpen-5|=head#1,2,3,4,5|", "jawOpen-5|=head#1,2,3,4,5,nan|",
        "iFacialMocap_sahuasouryya9218sauhuiayeta91555dy3719", b"\xff\xfe",
        *[("jawOpen-5|" + HEAD)[:size] for size in (3, 10, 14, 25, 40, 45, 60)],
    ],
)  # fmt: skip
def test_unsound_ifacialmocap_is_refused(decode: Any, data: bytes | str) -> None:
    lines = decode("ifacialmocap", data, "jawOpen-25|" + HEAD)
    assert [line["kind"] for line in lines] == ["refused", "frame", "summary"]


@pytest.mark.parametrize("form", ["llf", "json", "vmc", "ifacialmocap"])
def test_empty_recording_has_a_summary(decode: Any, form: str) -> None:
    assert decode(form) == [{"kind": "summary", "frames": 0, "refused": 0, "lost": 0}]
