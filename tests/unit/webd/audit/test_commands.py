"""Commands among a node's events: who commands it, never each sample."""

import math

from saint_services.lib.generated.saint_msgs import FieldStatus
from saint_services.webd.audit.activity import Event
from saint_services.webd.audit.commands import PAUSE_S, CommandWatch

HOLDERS = {"head": "pi_1", "tracks": "pi_2"}


def pan(value: float, source: str = "rc") -> list[FieldStatus]:
    winner = "rc_head" if source else ""
    tilt = FieldStatus("head", "tilt", "deg", math.nan, "", "", 0, "hold")
    return [FieldStatus("head", "pan", "deg", value, winner, source, 12, "live"), tilt]


def test_command_is_an_event_of_the_node_that_holds_the_role_once_and_not_per_sample() -> None:
    watch = CommandWatch()
    first = watch.events(pan(45.04), HOLDERS, 0.0)
    assert first == [Event("INFO", "pi_1", "head receives commands from RC: pan=45.04")]
    assert [watch.events(pan(n), HOLDERS, n) for n in range(1, 100)] == [[]] * 99


def test_another_source_another_node_and_silence_are_events() -> None:
    watch = CommandWatch()
    watch.events(pan(1), HOLDERS, 0.0)
    (other,) = watch.events(pan(2, "livelink:Anna"), HOLDERS, PAUSE_S)
    assert other.text == "head receives commands from LiveLink Anna: pan=2"
    (moved,) = watch.events(pan(2, "livelink:Anna"), {"head": "pi_9"}, 2 * PAUSE_S)
    assert moved.source == "pi_9"
    (none,) = watch.events(pan(2, ""), HOLDERS, 3 * PAUSE_S)
    assert none.text == "head receives no commands any more"
    assert watch.events(pan(2, ""), HOLDERS, 4 * PAUSE_S) == []


def test_sources_that_alternate_are_reported_at_most_once_in_ten_seconds() -> None:
    watch = CommandWatch()
    found = [
        event
        for at in range(0, 100)
        for event in watch.events(pan(1, ("rc", "livelink:Anna")[at % 2]), HOLDERS, float(at))
    ]
    assert len(found) <= 10


def test_output_that_nobody_drives_is_no_event_at_the_start() -> None:
    assert CommandWatch().events(pan(0, ""), HOLDERS, 0.0) == []


def test_role_without_a_node_is_an_event_of_the_router_and_many_values_are_cut() -> None:
    many = [FieldStatus("head", f"f{n}", "deg", n, "r", "rc", 1, "live") for n in range(6)]
    (event,) = CommandWatch().events(many, {}, 0.0)
    assert event.source == "router"
    assert event.text.endswith("f0=0, f1=1, f2=2, ...")
