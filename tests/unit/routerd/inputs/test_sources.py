"""Which samples are new, and what is refused."""

import pytest

from saint_services.lib.api.routing import Blending
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd.inputs.source_classes import (
    PRIORITIES,
    SAFETY,
    TIMEOUTS_S,
    kind_of,
    timeouts,
)
from saint_services.routerd.inputs.sources import (
    MAX_NAMES,
    MAX_SOURCES,
    MAX_STREAMS,
    InputSource,
    is_restart,
    may_be_type,
    measure,
)
from tests.unit.routerd.rig import DIRECT, DRIVE, Rig


def test_repeated_sequence_is_refused_and_does_not_keep_alive() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    for _ in range(30):
        assert not rig.send("rc", sequence=40, stick=1.0)
        rig.wait(0.01)
    assert rig.value("tracks.linear") == 0.0
    assert rig.router.refused["repeated sequence"] == 30


def test_lower_sequence_of_the_same_writer_is_refused() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=10, stick=0.01)
    assert not rig.send("rc", sequence=9, stick=0.01)


def test_lower_sequence_of_a_new_writer_is_a_restart() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=10, stick=0.0)
    assert rig.send("rc", sequence=1, origin="b", stick=0.01)
    assert rig.send("rc", sequence=2, origin="b", stick=0.01)


def test_unknown_writer_restarts_only_after_silence() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=10, origin="", stick=0.0)
    assert not rig.send("rc", sequence=1, origin="", stick=0.0)
    rig.wait(1.1)
    assert rig.send("rc", sequence=2, origin="", stick=0.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_value_that_is_not_finite_refuses_the_sample(bad: float) -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.02)
    assert not rig.send("rc", stick=bad)
    assert rig.value("tracks.linear") == pytest.approx(0.03)
    assert rig.router.refused["value not finite"] == 1


def test_names_and_values_of_different_length_are_refused() -> None:
    rig = Rig(DRIVE)
    message = InputSample(source="rc", sequence=1, names=("stick", "b"), values=(1.0,))
    assert not rig.router.sample(message, "a", rig.now)
    assert rig.router.refused["names and values differ in number"] == 1


def test_name_twice_is_refused() -> None:
    rig = Rig(DRIVE)
    message = InputSample(source="rc", sequence=1, names=("stick", "stick"), values=(1.0, 0.0))
    assert not rig.router.sample(message, "a", rig.now)


def test_unknown_names_are_ignored_and_counted() -> None:
    rig = Rig(DIRECT)
    assert rig.send("websocket:1", "head", pan=3.0, pam=4.0)
    assert rig.value("head.pan") == 3.0
    assert rig.router.refused["unknown field"] == 1


def test_unknown_target_is_refused() -> None:
    rig = Rig(DIRECT)
    assert not rig.send("websocket:1", "legs", pan=3.0)
    assert rig.router.refused["unknown target"] == 1


def test_failsafe_sample_counts_as_lost_at_once() -> None:
    rig = Rig(DRIVE)
    rig.stream(0.4, "rc", stick=1.0)
    rig.send("rc", failsafe=True, stick=1.0)
    assert rig.output("tracks.linear").policy == "ramp_to_zero"
    assert rig.output("tracks.linear").rivals[0].reason == "failsafe"
    rig.wait(0.06)
    assert rig.value("tracks.linear") == 0.0
    rig.send("rc", stick=0.01)
    assert rig.output("tracks.linear").winner == "rc_drive"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("rc", "rc"),
        ("rc:2", None),
        ("livelink:Ann", "livelink"),
        ("livelink", "livelink"),
        ("livelink:", None),
        ("autonomous:a:b", "autonomous"),
        ("safety:x", "safety"),
        ("leader:left", "leader"),
        ("joystick:x", None),
        ("", None),
        ("websocket:" + "x" * 200, None),
    ],
)
def test_kind_of_source_names(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_too_many_sources_forget_the_oldest_idle_one() -> None:
    rig = Rig(DRIVE, DIRECT)
    rig.send("rc", stick=0.01)
    for number in range(MAX_SOURCES + 10):
        rig.wait(0.001)
        assert rig.send(f"websocket:{number}", "head", pan=0.0)
    assert len(rig.router.sources) == MAX_SOURCES
    assert "rc" in rig.router.sources
    assert "websocket:0" in rig.router.sources  # in control of the head
    assert "websocket:1" not in rig.router.sources
    assert len(list(rig.router.claims)) == MAX_SOURCES


def test_source_is_reported_with_values_and_rate() -> None:
    rig = Rig(DRIVE)
    rig.router.measure(rig.now)
    rig.stream(1.5, "rc", stick=0.25)
    rig.router.measure(rig.now)
    rig.stream(1.5, "rc", stick=0.25)
    rig.router.measure(rig.now)
    (source,) = rig.status().sources
    assert source.values == {"stick": 0.25}
    assert source.rate_hz == pytest.approx(100.0, rel=0.05)
    assert source.alive


def test_failsafe_reaches_claims_of_forgotten_sets_of_names() -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", "tracks", linear=0.05)
    for number in range(20):
        rig.send("websocket:1", "head", **{f"x{number}": 1.0})
    assert rig.output("tracks.linear").winner == "web"
    rig.send("websocket:1", failsafe=True)
    assert rig.output("tracks.linear").policy == "ramp_to_zero"


def test_numbers_of_the_classes_are_these() -> None:
    assert PRIORITIES == {
        "safety": 1000, "rc": 300, "websocket": 200, "leader": 150, "livelink": 100,
        "autonomous": 50,
    }  # fmt: skip
    assert TIMEOUTS_S == {
        "safety": 0.3, "rc": 0.12, "websocket": 0.3, "leader": 0.3, "livelink": 0.5,
        "autonomous": 0.3,
    }  # fmt: skip
    assert (SAFETY, MAX_SOURCES, MAX_STREAMS, MAX_NAMES) == (1000, 64, 16, 256)


def test_longest_name_of_a_source() -> None:
    assert kind_of("livelink:" + "x" * 119) == "livelink"
    assert kind_of("livelink:" + "x" * 120) is None


def test_most_names_of_a_sample() -> None:
    rig = Rig(DRIVE)
    assert rig.send("rc", **{f"n{number}": 0.0 for number in range(256)})
    assert not rig.send("rc", **{f"n{number}": 0.0 for number in range(257)})
    assert rig.router.refused == {"names too many or twice": 1}


def test_most_sets_of_names_and_the_oldest_goes_first() -> None:
    rig = Rig(DRIVE)
    for number in range(16):
        rig.send("rc", **{f"n{number}": 0.0})
    rig.send("rc", n0=0.0)  # used again
    rig.send("rc", n16=0.0)
    streams = [names for _, names in rig.router.sources["rc"].streams]
    assert len(streams) == 16
    assert ("n0",) in streams
    assert ("n1",) not in streams


def test_known_writer_that_becomes_unknown_is_another_one() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=10, origin="a", stick=0.0)
    assert rig.send("rc", sequence=1, origin="", stick=0.0)


def test_same_sequence_is_never_new() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=10, origin="a", stick=0.0)
    assert not rig.send("rc", sequence=10, origin="b", stick=0.0)


def test_rate_after_a_long_pause_is_0() -> None:
    rig = Rig(DRIVE)
    rig.router.measure(rig.now)
    rig.stream(1.0, "rc", stick=0.0)
    rig.wait(8.9)
    rig.router.measure(rig.now)
    assert rig.router.sources["rc"].rate_hz == 0.0  # the first time is the beginning
    rig.stream(1.0, "rc", stick=0.0)
    rig.router.measure(rig.now - 0.01)
    assert rig.router.sources["rc"].rate_hz == 0.0  # too early
    rig.router.measure(rig.now + 0.1)
    assert rig.router.sources["rc"].rate_hz == pytest.approx(91, abs=2)
    rig.router.measure(rig.now + 11.0)
    assert rig.router.sources["rc"].rate_hz == 0.0


@pytest.mark.parametrize(
    ("names", "face", "animation"),
    [
        (("headYaw",), True, False),
        (("eyeBlinkLeft",), True, False),
        (("tongueOut",), True, False),
        (("leftEyePitch",), True, False),
        (("LeftArm.elbow",), False, True),
        (("headYaw", "LeftArm.elbow"), True, True),
        (("Head",), True, True),
        (("channel_1",), True, True),
        (("eyes",), True, True),
        ((), True, True),
    ],
)
def test_type_of_a_subject_follows_from_its_names(
    names: tuple[str, ...], face: bool, animation: bool
) -> None:
    assert may_be_type(names, "face") is face
    assert may_be_type(names, "animation") is animation
    assert may_be_type(names, "transform") is animation
    assert may_be_type(names, "")


def test_safety_source_is_never_forgotten() -> None:
    rig = Rig(DIRECT)
    rig.send("safety:a", x=0.0)
    for number in range(64):
        rig.wait(0.001)
        rig.send(f"websocket:{number}", "head", pan=0.0)
    assert "safety:a" in rig.router.sources


def test_source_that_is_mixed_or_keeps_a_field_is_never_forgotten() -> None:
    rig = Rig(DIRECT, mode="additive")
    rig.send("websocket:a", "head", pan=0.0)
    rig.wait(0.001)
    rig.send("websocket:b", "head", pan=0.0)
    for number in range(64):
        rig.wait(0.0001)
        rig.send(f"websocket:{number}", "tracks", x=0.0)
    assert {"websocket:a", "websocket:b"} <= set(rig.router.sources)
    kept = Rig(DIRECT)
    kept.send("websocket:a", "head", pan=0.0)
    kept.send("websocket:a", failsafe=True, pan=0.0)
    for number in range(64):
        kept.wait(0.0001)
        kept.send(f"websocket:{number}", "tracks", x=0.0)
    assert "websocket:a" in kept.router.sources


def test_sample_of_no_known_class_is_refused() -> None:
    rig = Rig(DRIVE)
    assert not rig.send("joystick:a", stick=1.0)
    assert rig.router.refused == {"unknown source": 1}


def test_same_names_for_another_target_are_another_stream() -> None:
    rig = Rig(DIRECT)
    names = ("joint_0",)
    for sequence, target in enumerate(("arms.left", "arms.right"), start=1):
        message = InputSample(
            source="websocket:1", sequence=sequence, target=target, names=names, values=(5.0,)
        )
        assert rig.router.sample(message, "a", rig.now)
        assert rig.value(f"{target}.joint_0") == 5.0


def test_values_are_kept_as_they_came() -> None:
    rig = Rig(DRIVE)
    values = [0.25]
    message = InputSample(source="rc", sequence=1, names=["stick"], values=values)
    assert rig.router.sample(message, "a", rig.now)
    values[0] = 0.75
    assert rig.status().sources[0].values == {"stick": 0.25}


def test_no_source_is_forgotten_for_another_while_all_are_needed() -> None:
    rig = Rig(DIRECT, mode="additive")
    for number in range(64):
        assert rig.send(f"websocket:{number}", "head", pan=0.0)
    assert not rig.send("websocket:64", "head", pan=0.0)
    assert rig.router.refused == {"too many sources": 1}
    assert len(rig.router.sources) == 64


@pytest.mark.parametrize(
    ("wanted", "rc_s", "websocket_s"),
    [(None, 0.12, 0.3), (250, 0.25, 0.25), ({"rc": 250}, 0.25, 0.3), ({}, 0.12, 0.3)],
)
def test_time_outs_for_all_or_by_class(wanted: object, rc_s: float, websocket_s: float) -> None:
    timeout_of = timeouts(Blending.model_validate({"source_timeout_ms": wanted}))
    assert (timeout_of("rc"), timeout_of("websocket")) == (rc_s, websocket_s)


@pytest.mark.parametrize(("silent_s", "restarted"), [(1.0, False), (1.0625, True)])
def test_unknown_writer_restarts_after_more_than_a_second(silent_s: float, restarted: bool) -> None:
    source = InputSource("rc", "rc", 0.12, sequence=9, received=8.0)
    assert is_restart(source, 8, "", 8.0 + silent_s) is restarted
    assert not is_restart(source, 9, "", 99.0)
    assert is_restart(source, 8, "other", 8.0)


@pytest.mark.parametrize(
    ("elapsed_s", "rate_hz", "samples"),
    [(0.9375, 5.0, 0), (1.0, 100.0, 100), (8.0, 12.5, 100), (10.0, 0.0, 100), (16.0, 0.0, 100)],
)
def test_rate_is_measured_once_a_second(elapsed_s: float, rate_hz: float, samples: int) -> None:
    source = InputSource("rc", "rc", 0.12, samples=100, rate_hz=5.0, rate_at=8.0)
    measure(source, 8.0 + elapsed_s)
    assert (source.rate_hz, source.rate_samples) == (rate_hz, samples)
