"""VMC: what a sender's many messages come to, and packets made to hurt."""

import struct

import pytest

from saint_services.livelinkd.protocols import Frame, Outcome, Refused, make_decoder
from saint_services.livelinkd.protocols.osc import MAX_MESSAGES
from tests.unit.livelinkd.osc_packets import APPLY, bone, bundle, message, shape, text

HALF = 0.70710678
CUT = "an OSC message is cut off or bytes follow it"


def decode(*packets: bytes) -> list[Outcome]:
    decoder = make_decoder("vmc")
    return [outcome for packet in packets for outcome in decoder(packet, "10.0.0.1")]


def values(outcome: Outcome) -> dict[str, float]:
    assert isinstance(outcome, Frame), outcome
    return dict(zip(outcome.names, outcome.values, strict=True))


def test_shapes_count_when_they_are_applied() -> None:
    decoder = make_decoder("vmc")
    assert decoder(shape("JawOpen", 0.5), "a") == []
    assert decoder(shape("EyeBlinkLeft", 1.0), "a") == []
    (frame,) = decoder(APPLY, "a")
    assert isinstance(frame, Frame)
    assert (frame.subject, frame.type) == ("VMC", "face")
    assert values(frame) == {"jawOpen": 0.5, "eyeBlinkLeft": 1.0}
    decoder(shape("JawOpen", 0.75), "a")
    (frame,) = decoder(APPLY, "a")
    assert values(frame) == {"jawOpen": 0.75, "eyeBlinkLeft": 1.0}


def test_senders_are_kept_apart() -> None:
    decoder = make_decoder("vmc", names={"b": "Anna"})
    decoder(shape("JawOpen", 0.5), "a")
    assert decoder(APPLY, "b") == []
    (frame,) = decoder(bundle(shape("JawOpen", 0.25), APPLY), "b")
    assert isinstance(frame, Frame)
    assert frame.subject == "Anna" and values(frame) == {"jawOpen": 0.25}


def test_bones_are_angles_from_unitys_axes() -> None:
    (frame,) = decode(bundle(bone("Head", y=0.25881905, w=0.96592583), bone("Hips")))
    assert isinstance(frame, Frame) and frame.type == "animation"
    found = values(frame)
    assert found["Head.yaw"] == pytest.approx(-30, abs=1e-4)  # Unity's y up: to the right
    assert found["Hips.yaw"] == pytest.approx(0)


def test_arms_have_their_joints() -> None:
    # Unity's z is forward: about it the left arm is lifted or let down.
    lifted = bone("LeftUpperArm", z=HALF, w=HALF)
    (frame,) = decode(bundle(lifted, bone("LeftLowerArm", y=HALF, w=HALF)))
    found = values(frame)
    assert abs(found["LeftArm.upper"]) == pytest.approx(90, abs=1e-3)
    assert found["LeftArm.shoulder"] == pytest.approx(0, abs=1e-3)
    assert found["LeftArm.elbow"] == found["LeftLowerArm.yaw"] == pytest.approx(-90, abs=1e-3)


def test_bones_and_shapes_are_one_subject() -> None:
    frames = decode(bundle(bone("Head"), shape("A", 0.5), APPLY, message("/VMC/Ext/T", 1.0)))
    (frame,) = frames
    assert {"Head.yaw", "A", "jawOpen"} < set(values(frame))


def test_vrm_names_are_also_arkit_names() -> None:
    named = {"A": 0.8, "O": 1.0, "Blink": 0.5, "Blink_R": 1.0, "Joy": 0.25}
    frame = decode(bundle(*(shape(n, v) for n, v in named.items()), APPLY))[0]
    found = values(frame)
    assert named.items() <= {name: round(value, 6) for name, value in found.items()}.items()
    assert found["jawOpen"] == pytest.approx(0.8)
    assert (found["eyeBlinkLeft"], found["eyeBlinkRight"]) == (0.5, 1.0)
    assert found["mouthSmileLeft"] == 0.25


def test_shape_that_a_sender_sends_itself_is_not_replaced() -> None:
    frame = decode(bundle(shape("A", 1.0), shape("jawOpen", 0.25), APPLY))[0]
    assert values(frame)["jawOpen"] == 0.25


def test_an_avatar_that_is_not_tracked_has_no_values() -> None:
    decoder = make_decoder("vmc")
    (frame,) = decoder(bundle(bone("Head"), message("/VMC/Ext/OK", 1, 3, 0, 1)), "a")
    assert values(frame)
    (frame,) = decoder(bundle(bone("Head"), message("/VMC/Ext/OK", 1, 3, 0, 0)), "a")
    assert isinstance(frame, Frame) and not frame.is_tracked
    (frame,) = decoder(message("/VMC/Ext/OK", 1), "a")
    assert values(frame)


def test_devices_are_subjects_of_their_own() -> None:
    frames = decode(
        message("/VMC/Ext/Con/Pos", "VR_Controller_L", 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0),
        message("/VMC/Ext/Con/Pos/Local", "VR_Controller_L", *[0.0] * 6, 1.0),
        message("/VMC/Ext/Cam", "Camera", 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 60.0),
    )
    hand, camera = frames
    assert isinstance(hand, Frame) and isinstance(camera, Frame)
    assert (hand.subject, hand.type) == ("VR_Controller_L", "transform")
    assert hand.transform is not None and hand.transform.position == (3.0, -1.0, 2.0)
    assert values(hand) == {"x": 3, "y": -1, "z": 2, "yaw": 0, "pitch": 0, "roll": 0}
    assert camera.type == "camera" and values(camera)["fov"] == 60.0


@pytest.mark.parametrize(
    ("packet", "reason"),
    [
        (b"", "the datagram is empty"),
        (b"/VMC", "the datagram has no message of VMC"),
        (b"/VMC/Ext/OK!", CUT),
        (b"hello...", "the datagram is not an OSC packet"),
        (b"/foo\0\0\0\0,\0\0\0", "the datagram has no message of VMC"),
        (b"#bundle\0", "the datagram is not an OSC packet"),
        (bundle(), "the datagram has no message of VMC"),
        (b"/VMC/Ext/Blend/Val\0\0,sf\0A\0\0\0\x3f\0", "the length is not that of an OSC packet"),
        (message("/VMC/Ext/Blend/Val", "A"), "a VMC message lacks arguments"),
        (message("/VMC/Ext/Blend/Val", "A", "x"), "an argument of a VMC message is not a number"),
        (message("/VMC/Ext/Blend/Val", 1, 1.0), "a VMC message names nothing that is valid"),
        (message("/VMC/Ext/Blend/Val", "", 1.0), "a VMC message names nothing that is valid"),
        (message("/VMC/Ext/Blend/Val", "A", float("nan")), "a value is not finite"),
        (message("/VMC/Ext/Blend/Val", "A", float("inf")), "a value is not finite"),
        (message("/VMC/Ext/Blend/Val", "A", 1e30), "a value is out of range"),
        (message("/VMC/Ext/Bone/Pos", "Head", *[0.0] * 6), "a VMC message lacks arguments"),
        (bone("Head", w=0.0), "a bone's Rotation is not a quaternion"),
        (message("/VMC/Ext/OK", "x"), "an argument of a VMC message is not a number"),
        (text("/VMC/Ext/T") + text(",b") + b"\xff\xff\xff\xf0",
         "an OSC message has an argument of an unknown type"),
        (text("/VMC/Ext/T") + text("," + "T" * 40), "an OSC message has too many arguments"),
        (text("/VMC/Ext/T") + text(",s") + b"\xff\xfe\0\0",
         "an OSC message has a text that is not UTF-8"),
        (text("/VMC/Ext/T") + text(",f"), CUT),
        (text("/VMC/Ext/T") + text(",ff") + b"\0" * 4, CUT),
        (text("/VMC/Ext/T") + text(",s") + b"abcd", CUT),
        (text("/VMC/Ext/T") + text(",f") + b"\0" * 8, CUT),
        (shape("A", 1.0)[:-4], CUT),
        (text("/VMC/Ext/T") + text("f") + b"\0\0\0\0", "an OSC message is not valid"),
        (bundle(*[bone(f"b{i}") for i in range(257)]), "a subject has too many bones"),
        (bundle(*[shape(f"b{i}", 0.0) for i in range(257)]), "a subject has too many parameters"),
        (bundle(*[b"/x\0\0,\0\0\0"] * (MAX_MESSAGES + 1)), "the datagram has too many messages"),
    ],
)  # fmt: skip
def test_wrong_packets_are_refused(packet: bytes, reason: str) -> None:
    assert decode(packet) == [Refused(reason)]


@pytest.mark.parametrize("size", [-4, -2_000_000_000, 0, 1, 3, 64, 2_000_000_000])
def test_a_bundle_with_a_wrong_size_is_refused(size: int) -> None:
    """A negative one makes python-osc's own reader of bundles loop endlessly."""
    packet = b"#bundle\0" + struct.pack(">Qi", 1, size) + APPLY
    (outcome,) = decode(packet)
    assert isinstance(outcome, Refused)


def test_bundles_in_bundles_are_read_so_far() -> None:
    packet = bundle(shape("A", 1.0), APPLY)
    for _ in range(3):
        packet = bundle(packet)
    assert isinstance(decode(packet)[0], Frame)
    for _ in range(2000):
        packet = bundle(packet)
    assert decode(packet) == [Refused("bundles are nested too deep")]


def test_a_wrong_message_spoils_its_datagram_and_no_more() -> None:
    decoder = make_decoder("vmc")
    decoder(bundle(shape("A", 0.5), APPLY), "a")
    decoder(bundle(shape("A", 1.0), shape("B", float("nan")), APPLY), "a")
    (frame,) = decoder(bundle(APPLY), "a")
    assert values(frame)["A"] == 0.5


@pytest.mark.parametrize("whole", [bone("Head"), shape("JawOpen", 1.0), bundle(bone("Head"))])
def test_every_cut_of_a_packet_is_refused(whole: bytes) -> None:
    for length in range(len(whole)):
        (outcome,) = decode(whole[:length])
        assert isinstance(outcome, Refused), length


def test_any_number_of_senders_is_remembered_only_so_far() -> None:
    decoder = make_decoder("vmc")
    for i in range(1000):
        decoder(bone("Head"), f"10.0.{i // 256}.{i % 256}")
    assert len(decoder._avatars) == 16  # type: ignore[attr-defined]
