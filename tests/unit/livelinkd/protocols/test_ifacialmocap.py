"""iFacialMocap: both separators, the minus that is none, angles, refusals."""

import math

import pytest

from saint_services.livelinkd.protocols import Frame, Refused, make_decoder
from saint_services.livelinkd.protocols.names import FACE

SHAPES = b"mouthSmile_R-12|eyeLookOut_L-0|jawOpen-100|browInnerUp-7|"
TURNS = b"=head#-21.488958,-6.038993,-6.6019735,-0.030653415,-0.10287084,-0.6584072|"
EYES = b"rightEye#6.0297494,2.4403017,0.25649446|leftEye#6.034903,-1.6660284,-0.17520553|"


def outcome(data: bytes) -> Frame | Refused:
    (found,) = make_decoder("ifacialmocap")(data, "10.0.0.1")
    return found


def values(data: bytes) -> dict[str, float]:
    frame = outcome(data)
    assert isinstance(frame, Frame), frame
    return dict(zip(frame.names, frame.values, strict=True))


def test_a_frame_has_shapes_head_and_eyes() -> None:
    found = values(SHAPES + TURNS + EYES)
    assert {name: found[name] for name in list(found)[:4]} == {
        "mouthSmileRight": 0.12, "eyeLookOutLeft": 0.0, "jawOpen": 1.0, "browInnerUp": 0.07,
    }  # fmt: skip
    assert found["headPitch"] == pytest.approx(math.radians(-21.488958))
    assert found["headYaw"] == pytest.approx(math.radians(-6.038993))
    assert found["headZ"] == pytest.approx(-0.6584072)
    assert found["leftEyeYaw"] == pytest.approx(math.radians(-1.6660284))
    assert found["rightEyeRoll"] == pytest.approx(math.radians(0.25649446))


def test_version_2_has_another_separator() -> None:
    found = values(b"trackingStatus&1|mouthSmile_R&12|cheekPuff&-5|" + TURNS + EYES)
    assert (found["mouthSmileRight"], found["cheekPuff"]) == (0.12, -0.05)
    assert "trackingStatus" not in found


# The sample frame of ifacialmocap.com, "for developer", shortened by nothing.
DOCUMENTED = (
    b"mouthSmile_R-0|eyeLookOut_L-0|mouthUpperUp_L-11|eyeWide_R-0|mouthClose-8|mouthPucker-4|"
    b"mouthRollLower-9|eyeBlink_R-7|eyeLookDown_L-17|cheekSquint_R-11|eyeBlink_L-7|tongueOut-0|"
    b"jawRight-0|eyeLookIn_R-6|cheekSquint_L-11|mouthDimple_L-10|mouthPress_L-4|eyeSquint_L-11|"
    b"mouthRight-0|mouthShrugLower-9|eyeLookUp_R-0|eyeLookOut_R-0|mouthPress_R-5|cheekPuff-2|"
    b"jawForward-11|mouthLowerDown_L-9|mouthFrown_L-6|mouthShrugUpper-26|browOuterUp_L-4|"
    b"browInnerUp-20|mouthDimple_R-10|browDown_R-0|mouthUpperUp_R-10|mouthRollUpper-8|"
    b"mouthFunnel-12|mouthStretch_R-21|mouthFrown_R-13|eyeLookDown_R-17|jawOpen-12|jawLeft-0|"
    b"browDown_L-0|mouthSmile_L-0|noseSneer_R-18|mouthLowerDown_R-8|noseSneer_L-21|eyeWide_L-0|"
    b"mouthStretch_L-21|browOuterUp_R-4|eyeLookIn_L-4|eyeSquint_R-11|eyeLookUp_L-0|mouthLeft-1|"
)


def test_sample_of_the_maker_is_a_whole_face() -> None:
    found = values(DOCUMENTED + TURNS + EYES)
    shapes = set(FACE[:52])
    assert shapes <= set(found)
    assert (found["browInnerUp"], found["noseSneerLeft"], found["jawOpen"]) == (0.2, 0.21, 0.12)


def test_android_s_meowface_is_a_face_without_cheek_squint() -> None:
    """No capture is public: the form is the one that two public receivers of MeowFace read, version
    2 with spaces around the separator; the values are those of the sample above.
    """
    items = [item for item in DOCUMENTED.split(b"|") if item and b"cheekSquint" not in item]
    data = b"|".join(item.replace(b"-", b" & ") for item in items) + b"|" + TURNS + EYES
    found, whole = values(data), values(DOCUMENTED + TURNS + EYES)
    assert found == {name: value for name, value in whole.items() if "cheekSquint" not in name}


def test_a_lost_face_is_alive() -> None:
    frame = outcome(b"trackingStatus-0|mouthSmile_R-12|" + TURNS + EYES)
    assert isinstance(frame, Frame) and not frame.is_tracked


def test_a_face_that_is_frozen_to_the_last_digit_is_lost() -> None:
    decoder = make_decoder("ifacialmocap")
    same, other = SHAPES + TURNS + EYES, SHAPES + TURNS
    tracked = [decoder(same, "a")[0].is_tracked for _ in range(35)]  # type: ignore[union-attr]
    assert tracked == [True] * 29 + [False] * 6
    for data, sender in ((same, "b"), (other, "a"), (same, "a")):
        (frame,) = decoder(data, sender)
        assert isinstance(frame, Frame) and frame.is_tracked


@pytest.mark.parametrize("end", [b"", b"|", b"___iFacialMocap", b"|___iFacialMocap", b"\0\n"])
def test_versions_end_in_their_own_way(end: bytes) -> None:
    whole = SHAPES + TURNS + EYES
    data = whole + end if b"___" in end else whole.removesuffix(b"|") + end
    assert values(data) == values(whole)


def test_a_number_may_have_an_exponent() -> None:
    assert values(b"jawOpen-1.5E-05|" + TURNS)["jawOpen"] == pytest.approx(1.5e-7)
    assert values(b"=head#1E-05,-2.5e-3,0,0,0,0|")["headYaw"] == pytest.approx(
        math.radians(-2.5e-3)
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the datagram is empty"),
        (b"x" * 9000, "the datagram is too long"),
        (b"\xff\xff", "the datagram is not UTF-8"),
        (SHAPES, "the datagram does not have a face and a head"),
        (SHAPES + b"=|", "the datagram does not have a face and a head"),
        (SHAPES + b"=" + EYES, "the datagram does not have a face and a head"),
        (SHAPES + TURNS[:-1], "the datagram is cut off"),
        (b"jawOpen-x|" + TURNS, "a value is not a number"),
        (b"jawOpen-5\x1c|" + TURNS, "a value is not a number"),
        (b"jawOpen-5\xc2\x85|" + TURNS, "a value is not a number"),
        (b"jawOpen-nan|" + TURNS, "a value is not a number"),
        (b"jawOpen-inf|" + TURNS, "a value is not a number"),
        (b"jawOpen-|" + TURNS, "a value is not a number"),
        (b"jawOpen-1e300|" + TURNS, "a value is out of range"),
        (b"jawOpen|" + TURNS, "a shape's name is not valid"),
        (b"-5|" + TURNS, "a shape's name is not valid"),
        (b"a\x01-5|" + TURNS, "a shape's name is not valid"),
        (b"jawOpen-1|jawOpen-2|" + TURNS, "a name is given twice"),
        (b"x-1|" * 300 + TURNS, "the datagram has too many values"),
        (b"=head#1,2,3|", "head does not have 6 numbers"),
        (b"=head#1,2,3,4,5,6,7|", "head does not have 6 numbers"),
        (b"=head#1,2,3,4,5,nan|", "a value is not a number"),
        (b"=head|", "an angle's name is not valid"),
        (TURNS + b"head#1,2,3,4,5,6|", "a name is given twice"),
    ],
)
def test_what_is_not_exact_is_refused(data: bytes, reason: str) -> None:
    assert outcome(data) == Refused(reason)


def test_no_cut_gives_a_wrong_value() -> None:
    whole = SHAPES + TURNS + EYES
    true = values(whole)
    for length in range(len(whole)):
        found = outcome(whole[:length])
        if isinstance(found, Frame):
            read = dict(zip(found.names, found.values, strict=True))
            last = read.pop("leftEyeRoll", 0.0)  # nothing says where the last number ends
            assert abs(last) <= abs(true["leftEyeRoll"]) and read.items() <= true.items()
