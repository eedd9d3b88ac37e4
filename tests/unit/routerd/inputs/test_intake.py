"""How many sources there may be: of registered writers, and far fewer of unknown ones.
Numbers are typed by hand.
"""

from collections import Counter

import pytest

from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd.inputs.writers import AdmittedSource
from tests.unit.routerd.rig import DIRECT, DRIVE, STOP, Rig, route

AUTO = route("auto", "autonomous", "*")
MAT = route("mat", "safety", "*")


def program(rig: Rig, name: str, *, is_known: bool = False, **values: float) -> bool:
    """Send a sample of a program under this name."""
    rig.sequences[name] = rig.sequences.get(name, 0) + 1
    message = InputSample(
        source=name,
        sequence=rig.sequences[name],
        target="head",
        names=tuple(values),
        values=tuple(values.values()),
    )
    return rig.router.sample(message, "b", rig.now, AdmittedSource(name, is_known))


def many(rig: Rig, count: int, *, is_known: bool = False, **values: float) -> list[bool]:
    admitted = []
    for number in range(count):
        rig.wait(0.0001)
        admitted.append(program(rig, f"autonomous:{number}", is_known=is_known, **values))
    return admitted


def test_source_stays_the_same_from_sample_to_sample() -> None:
    rig = Rig(AUTO)
    program(rig, "autonomous:a", pan=0.0)
    first = rig.router.sources["autonomous:a"]
    program(rig, "autonomous:a", pan=0.0)
    assert rig.router.sources["autonomous:a"] is first
    assert first.samples == 2


def test_registered_writer_takes_its_name_from_an_unknown_one() -> None:
    rig = Rig(MAT)
    program(rig, "safety:mat", pan=0.0)
    assert not list(rig.router.claims)  # it may stop, and drives nothing
    assert program(rig, "safety:mat", is_known=True, pan=1.0)
    source = rig.router.sources["safety:mat"]
    assert (source.is_known, source.samples) == (True, 1)
    assert [each.source for each in rig.router.claims] == ["safety:mat"]


def test_registered_writer_takes_the_very_place_of_an_unknown_one() -> None:
    rig = Rig(AUTO, mode="additive")
    program(rig, "safety:mat", x=0.0)
    assert all(many(rig, 63, is_known=True, pan=0.0))
    assert program(rig, "safety:mat", is_known=True, x=0.0)
    assert dict(rig.router.refused) == {}


def test_unknown_writer_does_not_get_the_name_of_a_registered_one() -> None:
    rig = Rig(AUTO)
    program(rig, "autonomous:a", is_known=True, pan=0.0)
    assert not program(rig, "autonomous:a", pan=1.0)
    assert dict(rig.router.refused) == {"name of a registered writer": 1}
    assert rig.router.sources["autonomous:a"].samples == 1


def test_sixteen_unknown_sources_that_are_all_needed_are_the_most() -> None:
    rig = Rig(AUTO, mode="additive")
    assert many(rig, 17, pan=0.0) == [True] * 16 + [False]
    assert dict(rig.router.refused) == {"too many unknown sources": 1}
    assert program(rig, "autonomous:known", is_known=True, pan=0.0)


def test_unknown_source_makes_room_for_another_and_registered_ones_stay() -> None:
    rig = Rig(AUTO)
    program(rig, "autonomous:known", is_known=True, other=0.0)
    assert all(many(rig, 20, other=0.0))
    kept = [*rig.router.sources]
    assert kept == ["autonomous:known", *(f"autonomous:{number}" for number in range(4, 20))]
    assert Counter(each.is_known for each in rig.router.sources.values()) == {True: 1, False: 16}


def test_registered_sources_are_not_counted_among_the_unknown() -> None:
    rig = Rig(AUTO, mode="additive")
    assert all(many(rig, 20, is_known=True, pan=0.0))
    assert program(rig, "autonomous:unknown", pan=0.0)


def test_oldest_idle_source_goes_first_and_takes_its_claims_along() -> None:
    rig = Rig(DRIVE, DIRECT)
    for number in (1, 0, *range(2, 65)):
        rig.wait(0.001)
        rig.send(f"websocket:{number}", "head", x=0.0)
    assert "websocket:1" not in rig.router.sources
    assert "websocket:0" in rig.router.sources


def test_name_of_no_class_is_refused_and_counted_once() -> None:
    rig = Rig(DRIVE)
    assert not rig.send("joystick:a", stick=1.0)
    assert dict(rig.router.refused) == {"unknown source": 1}
    assert rig.router.sources == {}


def test_source_of_the_same_writer_is_found_again() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    source = rig.router._intake.source("rc", is_known=True)
    assert source is rig.router.sources["rc"]
    assert dict(rig.router.refused) == {}


@pytest.mark.parametrize("target", ["head", ""])
def test_stream_is_compiled_once(target: str) -> None:
    rig = Rig(DIRECT)
    rig.send("websocket:1", target, pan=0.0)
    (first,) = rig.router.sources["websocket:1"].streams.values()
    rig.send("websocket:1", target, pan=0.5)
    assert [*rig.router.sources["websocket:1"].streams.values()] == [first]


def test_unknown_target_is_counted_once() -> None:
    rig = Rig(DIRECT)
    assert not rig.send("websocket:1", "legs", pan=0.0)
    assert dict(rig.router.refused) == {"unknown target": 1}
    assert not rig.router.sources["websocket:1"].streams


def test_new_claim_of_a_locked_target_is_locked_at_once() -> None:
    rig = Rig(DIRECT)
    rig.router.take_control("head", "websocket:1", 5.0, rig.now)
    rig.send("websocket:2", "head", pan=1.0)
    assert [each.is_locked for each in rig.router.claims] == [True]


def test_silent_safety_source_is_no_room_for_others() -> None:
    rig = Rig(STOP)
    rig.send("safety:mat", x=0.0)
    for number in range(64):
        rig.wait(0.001)
        assert rig.send(f"websocket:{number}", "head", x=0.0)
    assert "safety:mat" in rig.router.sources
    assert "websocket:0" not in rig.router.sources


@pytest.mark.parametrize(("is_known", "drives"), [(False, 0), (True, 1)])
def test_unknown_safety_input_may_stop_and_drives_by_no_route(is_known: bool, drives: int) -> None:
    mappings = [
        {"from": "pan", "to": "pan"},
        {"from": "mat", "to": "estop", "mode": "switch"},
    ]
    rig = Rig(route("mat", "safety", "head", mappings))
    program(rig, "safety:mat", is_known=is_known, pan=0.0, mat=0.0)
    assert len(list(rig.router.claims)) == drives
    assert not rig.router.latch.active
    program(rig, "safety:mat", is_known=is_known, pan=0.0, mat=1.0)
    assert rig.router.latch.active
