"""A stop by a route is not removed without a confirmation that names it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saint_services.lib.api.routing import Blending, Route, RouteFile
from saint_services.lib.errors import Code, SaintError
from saint_services.routerd.fields.claims import InputStream
from saint_services.routerd.inputs.sources import InputSource
from saint_services.routerd.routes import stops
from saint_services.routerd.routes.plan import Planner

SWITCH: dict[str, Any] = {"from": "channel_6", "to": "estop", "mode": "switch", "threshold": 0.5}


def route(**changes: Any) -> Route:
    """Change the shipped route of the transmitter's stop switch."""
    plain: dict[str, Any] = {
        "id": "rc_estop",
        "priority": 1000,
        "input": {"source": "rc"},
        "output": {"target": "*"},
        "mapping": [SWITCH],
    }
    return Route.model_validate(plain | changes)


def file(*routes: Route, **blending: Any) -> RouteFile:
    return RouteFile(routes=list(routes), blending=Blending.model_validate(blending))


STOP = file(route())
SAFETY = route(
    id="edge", input={"source": "safety", "subject": "edge"}, output={"target": "tracks"},
    mapping=[{"from": "linear", "to": "linear"}], priority=None,
)  # fmt: skip


@pytest.mark.parametrize(
    "after",
    [
        file(),
        file(route(enabled=False)),
        file(route(mapping=[])),
        file(route(mapping=[SWITCH | {"from": "channel_7"}])),
        file(route(mapping=[SWITCH | {"inverted": True}])),
        file(route(mapping=[SWITCH | {"threshold": 0.9}])),
        file(route(mapping=[SWITCH | {"to": "tracks.linear", "mode": "axis"}])),
        file(route(input={"source": "websocket"})),
        file(route(output={"target": "head"})),
        file(route(input={"source": "rc", "type": "face"})),
    ],
)
def test_stop_that_would_be_lost_is_named(after: RouteFile) -> None:
    change = stops.change(STOP, after)
    assert "rc_estop:channel_6" in change.lost
    with pytest.raises(SaintError, match="no longer stop the robot: rc_estop:channel_6") as caught:
        change.check([])
    assert caught.value.code is Code.STOP_CHANGED
    assert "rc_estop:channel_6" in caught.value.names
    with pytest.raises(SaintError):
        change.check(["rc_estop:channel_5"])
    change.check(change.names)


@pytest.mark.parametrize(
    "after",
    [
        STOP,
        file(route(id="renamed")),
        file(route(priority=300)),  # of a stop it counts nothing
        file(route(mapping=[SWITCH | {"threshold": 0.2}])),
        file(route(mapping=[{"from": "channel_5", "to": "estop", "mode": "switch"}, SWITCH])),
        file(route(id="other", mapping=[SWITCH]), route(enabled=False)),
    ],
)
def test_change_that_stops_as_before_needs_no_confirmation(after: RouteFile) -> None:
    assert stops.change(STOP, after).lost == ()


def test_one_of_two_switches_is_named_alone() -> None:
    both = file(route(mapping=[SWITCH, SWITCH | {"from": "channel_7"}]))
    assert stops.change(both, STOP).names == ("rc_estop:channel_7",)


def test_stop_of_one_sender_is_kept_by_a_route_for_all_and_not_the_other_way() -> None:
    one = file(route(input={"source": "websocket", "subject": "panel"}))
    every = file(route(input={"source": "websocket", "subject": "*"}))
    assert stops.change(one, every).names == ()
    assert stops.change(every, one).names == ("rc_estop:channel_6",)


@pytest.mark.parametrize(
    "after",
    [
        file(),
        file(SAFETY.model_copy(update={"enabled": False})),
        file(SAFETY.model_copy(update={"priority": 300})),
        file(SAFETY.model_copy(update={"timeout_ms": 1000})),
        file(SAFETY, source_timeout_ms=1000),
        file(SAFETY, source_timeout_ms={"safety": 301}),
        file(SAFETY.model_copy(update={"mapping": []})),
    ],
)
def test_route_of_the_safety_class_that_would_be_lost_is_named(after: RouteFile) -> None:
    assert stops.change(file(SAFETY), after).lost == ("edge",)


def test_safety_route_with_a_shorter_time_out_needs_no_confirmation() -> None:
    sooner = file(SAFETY.model_copy(update={"timeout_ms": 100}))
    assert stops.change(file(SAFETY), sooner).names == ()


@pytest.mark.parametrize(
    ("threshold", "lost"),
    [(0.5, False), (0.6, False), (0.4, True)],  # it stops below the threshold
)
def test_inverted_stop_is_kept_by_a_threshold_that_is_not_lower(
    threshold: float, lost: bool
) -> None:
    before = file(route(mapping=[SWITCH | {"inverted": True}]))
    after = file(route(mapping=[SWITCH | {"inverted": True, "threshold": threshold}]))
    assert bool(stops.change(before, after).lost) is lost


@pytest.mark.parametrize(("timeout_ms", "lost"), [(300, ()), (301, ("edge",))])
def test_safety_route_without_a_timeout_has_that_of_its_class(
    timeout_ms: int, lost: tuple[str, ...]
) -> None:
    after = file(SAFETY.model_copy(update={"timeout_ms": timeout_ms}))
    before = file(SAFETY, source_timeout_ms={"safety": 300})
    assert stops.change(before, after).lost == lost
    assert stops.change(after, before).lost == ()


PASSING = SAFETY.model_copy(update={"mapping": "passthrough"})
BOTH = route(
    id="edge", input={"source": "safety", "subject": "edge"}, output={"target": "tracks"},
    mapping=[
        {"from": "linear", "to": "linear"}, {"from": "angular", "to": "angular"},
        SWITCH | {"from": "stop"},
    ],
    priority=None,
)  # fmt: skip
TWO = BOTH.model_copy(update={"mapping": BOTH.mapping[:2]})
STOP_ALONE = BOTH.model_copy(update={"mapping": BOTH.mapping[2:]})


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (PASSING, PASSING, ()),
        (PASSING, SAFETY, ("edge",)),
        (SAFETY, PASSING, ("edge",)),
        (BOTH, SAFETY, ("edge:stop", "edge")),  # only one of the two that it drove
        (SAFETY, BOTH, ()),
        (TWO, SAFETY, ("edge",)),
        (BOTH, STOP_ALONE, ("edge",)),
        (STOP_ALONE, BOTH, ()),
    ],
)
def test_safety_route_that_drives_less_is_named(
    before: Route, after: Route, lost: tuple[str, ...]
) -> None:
    assert stops.change(file(before), file(after)).lost == lost


def test_confirmation_speaks_of_what_changes_alone() -> None:
    with pytest.raises(SaintError) as caught:
        stops.StopChange(lost=("a",)).check([])
    assert "every lock" not in caught.value.message
    with pytest.raises(SaintError) as caught:
        stops.StopChange(gained=("b",)).check([])
    assert "no longer stop" not in caught.value.message


def test_new_route_of_the_safety_class_is_named() -> None:
    strong = Route.model_validate(
        {"id": "mine", "input": {"source": "websocket"}, "output": {"target": "*"},
         "mapping": "passthrough", "priority": 1000}
    )  # fmt: skip
    change = stops.change(STOP, file(route(), strong))
    assert (change.lost, change.gained) == ((), ("mine",))
    with pytest.raises(SaintError, match="override every other input and every lock: mine"):
        change.check([])
    weak = strong.model_copy(update={"priority": 999})
    assert stops.change(STOP, file(route(), weak)).names == ()


def test_name_of_an_input_with_a_comma_is_one_name() -> None:
    odd = file(route(mapping=[SWITCH | {"from": "a,b"}]))
    assert stops.change(odd, file()).names == ("rc_estop:a%2Cb",)


def test_switches_are_those_of_a_device_of_its_own() -> None:
    page = route(id="page", input={"source": "websocket"})
    off = route(id="off", enabled=False)
    assert stops.switches([route(), page, off, SAFETY]) == ("rc_estop:channel_6",)
    assert stops.switches([page]) == ()


# What the pure function says is what the router does: a value that stopped before stops afterwards,
# or the change was named.

THRESHOLDS = st.sampled_from([-0.5, 0.0, 0.5, 1.0])
MAPPINGS = st.builds(
    lambda name, threshold, inverted: SWITCH
    | {"from": name, "threshold": threshold, "inverted": inverted},
    st.sampled_from(["channel_5", "channel_6"]), THRESHOLDS, st.booleans(),
)  # fmt: skip
ROUTES = st.lists(
    st.builds(
        lambda number, enabled, mapping, target: route(
            id=f"r{number}", enabled=enabled, mapping=mapping, output={"target": target}
        ),
        st.integers(0, 3), st.booleans(), st.lists(MAPPINGS, max_size=2),
        st.sampled_from(["*", "head"]),
    ),
    max_size=3,
)  # fmt: skip


def stopping(routes: list[Route], target: str, value: float) -> set[str]:
    """Return the inputs that stop the robot at that value, by the router's own plan."""
    planner = Planner({}, routes=tuple(routes))
    stream = InputStream("rc", target, ("channel_5", "channel_6"), (value, value))
    planner.compile(InputSource("rc", "rc", ""), stream)
    return {stream.names[index] for index, is_on, _ in stream.stops if is_on(value)}


@given(ROUTES, ROUTES, st.sampled_from(["", "head", "arms"]), st.sampled_from([-1.0, 0.2, 0.7]))
def test_any_change_without_a_name_stops_wherever_it_stopped(
    before: list[Route], after: list[Route], target: str, value: float
) -> None:
    if stops.change(file(*before), file(*after)).lost:
        return
    assert stopping(before, target, value) <= stopping(after, target, value)
