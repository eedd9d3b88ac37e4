"""Samples: which are refused and counted, and what one that is too old may do."""

import pytest

from saint_services.lib.api.routing import Blending
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.routerd.inputs.writers import AdmittedSource
from saint_services.routerd.logic import Router
from tests.unit.routerd.rig import DIRECT, DRIVE, STOP, Rig, robot, route

OLD = "old after a stall"
PROGRAM = AdmittedSource("autonomous:program", is_known=False)


def sample(name: str, *, failsafe: bool = False, **values: float) -> InputSample:
    names = tuple(values)
    return InputSample(
        source=name, sequence=1, failsafe=failsafe, names=names, values=tuple(values.values())
    )


@pytest.mark.parametrize(
    ("name", "waited_s", "is_old"),
    [("rc", 0.12, False), ("rc", 0.121, True), ("websocket:a", 0.3, False),
     ("websocket:a", 0.301, True), ("livelink:a", 0.499, False), ("livelink:a", 0.501, True)],
)  # fmt: skip
def test_sample_is_too_old_beyond_the_time_out_of_its_source(
    name: str, waited_s: float, is_old: bool
) -> None:
    rig = Rig(DIRECT, STOP)
    rig.send(name, stick=0.0)
    assert rig.router.is_too_old(name, waited_s) is is_old
    assert rig.router.is_too_old("websocket:unknown", waited_s)


@pytest.mark.parametrize(
    ("message", "stops"),
    [
        (sample("rc", switch=1.0), True),
        (sample("rc", switch=0.0), False),
        (sample("rc", failsafe=True, estop=1.0), True),
        (sample("rc", failsafe=True), False),
        (sample("safety:mat", failsafe=True), True),
        (sample("nonsense", switch=1.0), False),
    ],
)
def test_old_sample_may_stop_and_nothing_else(message: InputSample, stops: bool) -> None:
    rig = Rig(DIRECT, STOP)
    rig.router.refuse_old(message, rig.now)
    assert rig.router.latch.active is stops
    assert rig.router.refused[OLD] == 1
    assert not rig.router.dirty


def test_old_sample_leaves_the_sequence_to_the_next() -> None:
    rig = Rig(DIRECT, STOP)
    rig.router.refuse_old(sample("rc", switch=0.0), rig.now)
    assert rig.send("rc", sequence=1, switch=0.0)


def test_old_sample_counts_for_whom_it_was_admitted() -> None:
    rig = Rig(STOP)
    rig.router.refuse_old(sample("rc", switch=1.0), rig.now, PROGRAM)
    assert not rig.router.latch.active
    assert [*rig.router.sources] == ["autonomous:program"]


def test_old_switch_of_a_source_that_is_there_stops() -> None:
    rig = Rig(STOP)
    rig.send("rc", switch=0.0)
    rig.router.refuse_old(sample("rc", switch=1.0), rig.now)
    latch = rig.router.latch
    assert (latch.source, latch.reason) == ("rc", "switch (route rc_stop)")


def test_old_failsafe_says_that_the_signal_is_lost() -> None:
    rig = Rig(STOP)
    rig.router.refuse_old(sample("safety:mat", failsafe=True, x=1.0), rig.now)
    assert (rig.router.latch.source, rig.router.latch.reason) == (
        "safety:mat",
        "its signal is lost",
    )


def test_old_values_are_forgotten() -> None:
    rig = Rig(DRIVE, STOP)
    rig.send("rc", stick=0.25, switch=-1.0)
    rig.router.refuse_old(sample("rc", stick=1.0, switch=-1.0), rig.now)
    assert rig.status().sources[0].values == {"stick": 0.25, "switch": -1.0}


@pytest.mark.parametrize("values", [(), (1.0, 1.0)])
def test_old_sample_with_another_number_of_values_does_nothing(values: tuple[float, ...]) -> None:
    rig = Rig(STOP)
    message = InputSample(source="rc", sequence=1, names=("switch",), values=values)
    rig.router.refuse_old(message, rig.now)
    assert not rig.router.latch.active


def test_old_sample_for_an_unknown_target_does_nothing() -> None:
    rig = Rig(STOP)
    message = sample("rc", switch=1.0)
    message.target = "legs"
    rig.router.refuse_old(message, rig.now)
    assert not rig.router.latch.active


@pytest.mark.parametrize(
    ("names", "values", "reason"),
    [
        (("stick",), (1.0, 0.0), "names and values differ in number"),
        (("stick",), (float("nan"),), "value not finite"),
        (("stick",), (float("inf"),), "value not finite"),
    ],
)
def test_refused_sample_is_counted_once(
    names: tuple[str, ...], values: tuple[float, ...], reason: str
) -> None:
    rig = Rig(DRIVE)
    message = InputSample(source="rc", sequence=1, names=names, values=values)
    assert not rig.router.sample(message, "a", rig.now)
    assert dict(rig.router.refused) == {reason: 1}
    assert rig.router.samples == 0


def test_sequence_that_repeats_is_counted_once() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", sequence=7, stick=0.0)
    assert not rig.send("rc", sequence=7, stick=1.0)
    assert dict(rig.router.refused) == {"repeated sequence": 1}


def test_good_sample_is_counted_and_nothing_is_refused() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", origin="a", stick=0.0)
    rig.send("rc", origin="b", stick=0.01)
    source = rig.router.sources["rc"]
    assert (source.is_known, source.samples, source.origin) == (True, 2, "b")
    assert rig.router.samples == 2
    assert dict(rig.router.refused) == {}


def test_sample_that_drives_nothing_is_not_refused_for_a_stop() -> None:
    rig = Rig(DRIVE)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.send("rc", wheel=0.0)
    assert dict(rig.router.refused) == {}


def test_name_of_a_registered_writer_is_refused_to_another() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.0)
    message = sample("rc", stick=1.0)
    message.sequence = 2
    assert not rig.router.sample(message, "b", rig.now, AdmittedSource("rc", is_known=False))
    assert dict(rig.router.refused) == {"name of a registered writer": 1}


def test_new_router_has_its_own_time_outs_and_stops_nothing() -> None:
    router = Router(robot(), [DRIVE], None, Blending(source_timeout_ms=250))
    router.sample(sample("rc", stick=0.0), "a", 0.0)
    assert router.sources["rc"].timeout_s == 0.25
    assert {each.policy for each in router.outputs} == {"live", "hold"}


def test_same_values_of_several_inputs_send_nothing_again() -> None:
    both = [{"from": "stick", "to": "linear"}, {"from": "trim", "to": "linear"}]
    rig = Rig(route("sum", "rc", "tracks", both))
    rig.send("rc", stick=0.02, trim=0.01, wheel=0.0)
    rig.router.dirty.clear()
    rig.send("rc", stick=0.02, trim=0.01, wheel=1.0)
    assert rig.router.dirty == set()
    rig.send("rc", stick=0.02, trim=0.0, wheel=1.0)
    assert rig.router.dirty != set()


def test_only_a_safety_input_is_watched() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", wheel=0.0)
    assert rig.router.wake_at == float("inf")
    rig.send("safety:mat", x=0.0)
    assert rig.router.wake_at == rig.now + 0.3


def test_failsafe_during_a_stop_changes_no_output() -> None:
    rig = Rig(DRIVE)
    rig.send("rc", stick=0.02)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.send("rc", failsafe=True)
    output = rig.router.by_name["tracks", "linear"]
    assert (output.policy, rig.router.dirty) == ("estop", set())


def test_safety_input_that_falls_silent_again_is_the_same_press() -> None:
    rig = Rig(DRIVE)
    for _ in range(2):
        rig.send("safety:mat", x=0.0)
        rig.wait(0.4)
    assert [each.reason for each in rig.router.latch.presses] == ["its signal timed out"]


def test_presses_are_stamped() -> None:
    rig = Rig(DRIVE)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.router.stamp_presses("2026-11-23T10:00:00Z")
    assert [each.since for each in rig.router.latch.presses] == ["2026-11-23T10:00:00Z"]


def test_edit_of_a_route_that_two_sets_of_names_feed() -> None:
    both = [{"from": "stick", "to": "linear"}, {"from": "trim", "to": "linear"}]
    rig = Rig(route("r", "rc", "tracks", both))
    rig.send("rc", stick=0.5)
    rig.send("rc", stick=0.5, trim=0.0)
    rig.router.set_routes([route("r", "rc", "tracks", both[:1])], rig.now)
    (claim,) = rig.router.claims
    assert not claim.is_armed  # a stick that stands still drives nothing new
    rig.send("rc", stick=0.6, trim=0.0)
    assert claim.is_armed


def test_stick_stands_where_its_newest_sample_says_and_not_where_a_refused_one_was() -> None:
    rig = Rig(route("pan", "rc", "head", [{"from": "stick", "to": "pan", "scale": 90.0}]))
    rig.send("rc", stick=0.0)
    rig.send("rc", stick=0.5, trim=0.0)
    rig.send("rc", stick=float("nan"))
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.clear("web", rig.now)
    rig.send("rc", stick=0.52, trim=0.0)  # that is jitter
    assert not rig.is_driven("head.pan")
    rig.send("rc", stick=0.6, trim=0.0)
    assert rig.is_driven("head.pan")
