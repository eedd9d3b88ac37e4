"""Nothing of before or during a stop drives after it, whatever is done to the routes meanwhile: an
input moves nothing until it has itself been moved since the clear.
"""

from collections.abc import Callable

import pytest

from saint_services.lib.api.routing import Blending
from tests.unit.routerd.rig import DIRECT, FACE, Rig, route

PANEL = route("panel", "rc", "head", [{"from": "knob", "to": "pan", "scale": 100.0}])
OFF = {"enabled": False}
Edit = Callable[[Rig], None]


def off_and_on(rig: Rig) -> None:
    routes = rig.router.routes
    off = [each.model_copy(update=OFF) for each in routes]
    rig.router.set_routes(off, rig.now)
    rig.router.set_routes(routes, rig.now)


def removed_and_added(rig: Rig) -> None:
    routes = rig.router.routes
    rig.router.set_routes([], rig.now)
    rig.router.set_routes(routes, rig.now)


def other_preset(rig: Rig) -> None:
    renamed = [each.model_copy(update={"id": f"{each.id}_2"}) for each in rig.router.routes]
    rig.router.set_routes(renamed, rig.now)


def blending(rig: Rig) -> None:
    rig.router.set_routes(rig.router.routes, rig.now, Blending(mode="blend"))


def additive_and_back(rig: Rig) -> None:
    rig.router.set_routes(rig.router.routes, rig.now, Blending(mode="additive"))
    rig.router.set_routes(rig.router.routes, rig.now, Blending())


EDITS: list[Edit] = [off_and_on, removed_and_added, other_preset, blending, additive_and_back]
INPUTS: list[tuple[str, str, str, float]] = [
    ("websocket:desk", "head", "pan", 40.0),
    ("rc", "", "knob", 0.4),
    ("livelink:face", "", "headYaw", 0.5),
]


def stopped_and_cleared(rig: Rig, send: Callable[[], object]) -> None:
    rig.router.raise_estop("test", "pressed", rig.now)
    for _ in range(10):
        send()
        rig.wait(0.02)
    rig.clear("test", rig.now)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("source", "target", "name", "value"), INPUTS)
def test_position_of_during_a_stop_stays_away_after_an_edit(
    edit: Edit, source: str, target: str, name: str, value: float
) -> None:
    rig = Rig(DIRECT, PANEL, FACE)
    stopped_and_cleared(rig, lambda: rig.send(source, target, **{name: value}))
    edit(rig)
    for _ in range(50):  # what the sender goes on sending is the same as during the stop
        rig.send(source, target, **{name: value})
        rig.wait(0.02)
        assert not rig.is_driven("head.pan")


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("source", "target", "name", "value"), INPUTS)
def test_position_of_before_a_stop_stays_away_after_an_edit(
    edit: Edit, source: str, target: str, name: str, value: float
) -> None:
    rig = Rig(DIRECT, PANEL, FACE)
    rig.stream(0.3, source, target, **{name: value})
    assert rig.is_driven("head.pan")
    stopped_and_cleared(rig, lambda: rig.send(source, target, **{name: value}))
    edit(rig)
    rig.stream(1.0, source, target, **{name: value})
    assert not rig.is_driven("head.pan")


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("source", "target", "name", "value"), INPUTS)
def test_route_made_during_a_stop_brings_nothing_old(
    edit: Edit, source: str, target: str, name: str, value: float
) -> None:
    rig = Rig(DIRECT, PANEL, FACE)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.stream(0.3, source, target, **{name: value})
    edit(rig)
    rig.stream(0.3, source, target, **{name: value})
    rig.clear("test", rig.now)
    rig.stream(1.0, source, target, **{name: value})
    assert not rig.is_driven("head.pan")


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(("source", "target", "name", "value"), INPUTS)
def test_position_that_was_moved_since_drives_after_an_edit(
    edit: Edit, source: str, target: str, name: str, value: float
) -> None:
    rig = Rig(DIRECT, PANEL, FACE)
    stopped_and_cleared(rig, lambda: rig.send(source, target, **{name: value}))
    edit(rig)
    rig.stream(0.1, source, target, **{name: value})
    rig.stream(1.0, source, target, **{name: value * 0.5})
    assert rig.is_driven("head.pan")


def test_velocity_of_during_a_stop_stays_away_after_its_route_is_switched_on() -> None:
    drive = route("web_drive", "websocket", "tracks")
    rig = Rig(drive.model_copy(update=OFF))
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.stream(0.3, "websocket:desk", "tracks", linear=0.5)
    rig.clear("test", rig.now)
    rig.router.set_routes([drive], rig.now)
    rig.stream(1.0, "websocket:desk", "tracks", linear=0.5)
    assert rig.value("tracks.linear") == 0.0


def test_route_that_is_turned_to_another_input_waits_for_that_input() -> None:
    """The input that was moved since the clear does not count for the one that was not."""
    rig = Rig(PANEL)
    stopped_and_cleared(rig, lambda: rig.send("rc", knob=0.0, lever=0.8))
    rig.stream(0.2, "rc", knob=0.3, lever=0.8)
    assert rig.is_driven("head.pan")
    before = rig.value("head.pan")
    lever = route("panel", "rc", "head", [{"from": "lever", "to": "pan", "scale": 100.0}])
    rig.router.set_routes([lever], rig.now)
    rig.stream(1.0, "rc", knob=0.3, lever=0.8)
    assert rig.value("head.pan") == before
    rig.stream(1.0, "rc", knob=0.3, lever=0.5)
    assert rig.value("head.pan") == pytest.approx(50.0)


def test_route_turned_to_another_input_during_a_stop_waits_for_that_input() -> None:
    rig = Rig(PANEL)
    rig.stream(0.2, "rc", knob=0.0, lever=0.8)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.clear("test", rig.now)
    lever = route("panel", "rc", "head", [{"from": "lever", "to": "pan", "scale": 100.0}])
    rig.router.set_routes([lever], rig.now)
    rig.stream(1.0, "rc", knob=0.0, lever=0.8)
    assert not rig.is_driven("head.pan")


def test_stick_that_was_moved_while_its_receiver_was_off_waits() -> None:
    """It was moved during the stop, not since the clear."""
    rig = Rig(PANEL)
    rig.stream(0.2, "rc", knob=0.0)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.wait(1.0)
    rig.clear("test", rig.now)
    rig.stream(1.0, "rc", knob=0.9)
    assert not rig.is_driven("head.pan")
    rig.stream(1.0, "rc", knob=0.5)
    assert rig.value("head.pan") == pytest.approx(50.0)


def test_command_of_a_client_that_was_quiet_counts_after_the_clear() -> None:
    """Request it now, from a new source."""
    rig = Rig(DIRECT)
    rig.stream(0.2, "websocket:desk", "head", pan=10.0)
    rig.wait(1.0)
    rig.router.raise_estop("test", "pressed", rig.now)
    rig.clear("test", rig.now)
    rig.stream(1.0, "websocket:desk", "head", pan=40.0)
    assert rig.value("head.pan") == pytest.approx(40.0)
