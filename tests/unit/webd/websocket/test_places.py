"""Limits of the WebSockets of each user. Numbers are typed by hand."""

from typing import Any

import pytest

from saint_services.lib.access.levels import Level
from saint_services.webd.accounts.access import Identity
from saint_services.webd.websocket.places import refusal

VIEWER = Identity("eve", Level.VIEWER, "token", "1")
OPERATOR = Identity("ann", Level.OPERATOR, "token", "2")
ADMIN = Identity("bob", Level.ADMIN, "token", "3")


def test_eight_of_one_viewer() -> None:
    assert refusal(VIEWER, [VIEWER] * 7, 64) == ""
    assert refusal(VIEWER, [VIEWER] * 8, 64) == (
        "eve already has 8 connections, which is the limit"
    )


def test_those_of_the_same_name_and_way_count() -> None:
    page = Identity("eve", Level.VIEWER, "session", "9")
    namesake = Identity("eva", Level.VIEWER, "token", "9")
    assert refusal(VIEWER, [page] * 8 + [namesake] * 8, 64) == ""


def test_viewers_leave_a_quarter() -> None:
    crowd = [Identity(f"v{n}", Level.VIEWER, "session", str(n)) for n in range(48)]
    assert refusal(VIEWER, [*crowd[:47], OPERATOR], 64) == ""
    assert refusal(VIEWER, crowd, 64) == (
        "48 viewers are connected, the other 16 connections are for operators"
    )


def test_half_of_one_operator_and_eight_at_least() -> None:
    for who in (OPERATOR, ADMIN):
        assert refusal(who, [who] * 31, 64) == ""
        assert refusal(who, [who] * 32, 64)
        assert refusal(who, [who] * 7, 2) == ""
        assert refusal(who, [who] * 8, 2)


@pytest.mark.parametrize("via", ["open", "socket"])
def test_anonymous_users_are_not_counted(via: Any) -> None:
    anyone = Identity("anyone", Level.VIEWER, via)
    assert refusal(anyone, [anyone] * 64, 64) == ""
