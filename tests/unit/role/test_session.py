"""A role reports why nothing moves when all routers are unproven."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.role.role_rig import ROUTER, UNKNOWN, Rig

TEXT = "a router is there that this node's server has not signed for"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path, "tracks")
    yield made
    made.close()


def beats(rig: Rig, seconds: float, *origins: str) -> None:
    for _ in range(round(seconds / 0.05)):
        for origin in origins:
            rig.beat(origin)
        rig.clock.advance(0.05)


def reason(rig: Rig) -> str:
    return rig.session.report().reason


def test_reason_is_empty_in_the_first_three_seconds(rig: Rig) -> None:
    beats(rig, 2.9, UNKNOWN)
    assert reason(rig) == ""


def test_reason_names_the_unproven_router_after_three_seconds(rig: Rig) -> None:
    beats(rig, 3.2, UNKNOWN)
    assert TEXT in reason(rig)
    assert "adopt the node" in reason(rig)


def test_reason_ends_when_the_proven_router_is_there(rig: Rig) -> None:
    beats(rig, 3.2, UNKNOWN)
    beats(rig, 3.2, UNKNOWN, ROUTER)
    assert reason(rig) == ""


def test_reason_ends_when_the_unproven_router_is_gone(rig: Rig) -> None:
    beats(rig, 3.2, UNKNOWN)
    beats(rig, 6.2)
    assert reason(rig) == ""


def test_reason_is_empty_while_no_router_is_there(rig: Rig) -> None:
    beats(rig, 9.0)
    assert reason(rig) == ""
