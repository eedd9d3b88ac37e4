"""The owner's policy and maintenance window."""

from datetime import datetime, time

import pytest

from saint_services.lib.api.update_policy import OfferPolicy
from saint_services.noded import config as noded
from saint_services.otad.rollout.offers import REST_S, RobotRest, Window, closed, is_open

NIGHT = datetime(2026, 1, 1, 3, 0)
NOON = datetime(2026, 1, 1, 12, 0)


@pytest.mark.parametrize(
    ("text", "at", "is_open"),
    [
        ("02:00-05:00", time(1, 59), False),
        ("02:00-05:00", time(2, 0), True),
        ("02:00-05:00", time(4, 59), True),
        ("02:00-05:00", time(5, 0), False),
        ("22:30-06:00", time(23, 0), True),
        ("22:30-06:00", time(0, 0), True),
        ("22:30-06:00", time(12, 0), False),
    ],
)
def test_window_is_open_from_its_begin_to_its_end(text: str, at: time, is_open: bool) -> None:
    window = Window.parse(text)
    assert window
    assert window.is_open(at) is is_open


@pytest.mark.parametrize(
    "text", ["2:00-5:00", "02:00", "24:00-05:00", "02:00-02:00", "02:00-02:59", "night"]
)
def test_text_that_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"window|shorter"):
        Window.parse(text)


def test_offers_are_closed_by_the_policy_and_outside_the_window() -> None:
    text = "02:00-05:00"
    assert closed(OfferPolicy.AUTOMATIC, "", NOON) == ""
    assert closed(OfferPolicy.AUTOMATIC, text, NIGHT) == ""
    assert "02:00 to 05:00 UTC" in closed(OfferPolicy.AUTOMATIC, text, NOON)
    assert "roll-out" in closed(OfferPolicy.ASK, "", NIGHT)


def test_window_stays_closed_while_nobody_set_the_clock() -> None:
    assert "no time server" in closed(OfferPolicy.AUTOMATIC, "02:00-05:00", None)
    assert not is_open("02:00-05:00", None)
    assert is_open("02:00-05:00", NIGHT)
    assert closed(OfferPolicy.AUTOMATIC, "", None) == ""
    assert is_open("", None)


def test_robot_rests_when_no_node_had_live_outputs_for_a_while() -> None:
    rest = RobotRest()
    assert "not known" in rest.missing(0.0)  # the registry has not answered yet
    rest = rest.reported("", 1.0)
    assert rest.missing(1.0) == ""  # the machines boot: nothing was live since
    rest = rest.reported("outputs are live on t1", 2.0)
    assert "live on t1" in rest.missing(2.0)
    rest = rest.reported("", 10.0)
    assert "within the last" in rest.missing(10.0)  # a released stick is no rest
    rest = rest.reported("", 11.0)
    assert rest.missing(10.0 + REST_S - 0.1)
    assert rest.missing(10.0 + REST_S) == ""


def test_unknown_outputs_count_as_live() -> None:
    rest = RobotRest().reported(None, 1.0)
    assert "not known" in rest.missing(1.0)
    rest = rest.reported("", 2.0)
    assert rest.missing(2.0) == ""  # a registry that starts
    rest = rest.reported(None, 3.0)
    assert "not known" in rest.missing(3.0)
    rest = rest.reported("", 4.0)
    assert rest.missing(4.0)
    assert rest.missing(4.0 + REST_S) == ""


def test_node_that_has_rested_is_not_refused_because_the_server_saw_it_later() -> None:
    assert noded.Config().offer_rest_s - REST_S >= 30.0
