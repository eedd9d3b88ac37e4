"""Which routes a measured face becomes, and which step is refused."""

from functools import cache

import pytest

from saint_services.lib.api.faces import ProposedFace, ProposeFace
from saint_services.lib.api.measurement import MeasuredValue, Measurement
from saint_services.lib.api.routing import Route, RouteFile
from saint_services.lib.errors import SaintError
from saint_services.routerd import adapters
from saint_services.routerd.faces.proposal import listed, propose
from saint_services.routerd.faces.templates import REST
from saint_services.routerd.fields.targets import RobotTargets
from saint_services.routerd.routes.checks import check_file
from saint_services.routerd.routes.preview import preview
from tests.unit.routerd.rig import SHARE


@cache
def face_robot() -> RobotTargets:
    """Load the shipped face of twelve servos."""
    return adapters.load_robot(SHARE, "face")


def seen(**values: tuple[float, float, float]) -> Measurement:
    found = {
        name: MeasuredValue(low=low, middle=middle, high=high, noise=0.001)
        for name, (low, middle, high) in values.items()
    }
    return Measurement(frames=120, tracked=120, rate_hz=60, values=found)


def session(template: str) -> dict[str, Measurement]:
    """A person who does each step well."""
    entry = next(each for each in listed(face_robot()).templates if each.name == template)
    rest, *moved = entry.steps
    steps = {rest.name: seen(**dict.fromkeys(rest.inputs, (0.0, 0.05, 0.1)))}
    for step in moved:
        shape = (-0.3, 0.05, 0.6)
        steps[step.name] = seen(**dict.fromkeys(step.inputs, shape))
    return steps


def proposed(
    template: str, steps: dict[str, Measurement], *routes: Route, **more: object
) -> ProposedFace:
    request = ProposeFace.model_validate({"template": template, "steps": steps, **more})
    return propose(face_robot(), request, routes)


def test_twelve_servos_get_a_route_each_named_like_the_part() -> None:
    found = proposed("face12", session("face12"))
    routes = [each.route for each in found.parts if each.route]
    assert len(routes) == 12 and found.refusals == {} and found.notes == []
    assert all(each.output == f"parts.face.{each.part}" for each in found.parts)
    assert {each.id for each in routes} == {each.part for each in found.parts}
    check_file(RouteFile(routes=routes), face_robot())


def test_routes_drive_from_rest_to_the_limits() -> None:
    found = {each.part: each.route for each in proposed("face12", session("face12")).parts}

    def value(part: str, **inputs: float) -> float:
        route = found[part]
        assert route is not None and route.mapping != "passthrough"
        given = {each.from_: 0.05 for each in route.mapping} | inputs
        return preview(face_robot(), route, given).fields[0].value

    assert (value("jaw"), value("jaw", jawOpen=0.6), value("jaw", jawOpen=1.0)) == (0, 1, 1)
    assert (value("lid_upper_left"), value("lid_upper_left", eyeBlinkLeft=0.6)) == (1, 0)
    assert value("eye_pan", eyeLookOutLeft=0.6, eyeLookInRight=0.6) == 35
    assert value("eye_pan", eyeLookInLeft=0.6) == -17.5
    assert value("brow_left", browDownLeft=0.6) == -30
    assert value("neck_tilt", headPitch=-0.3) == -20
    assert value("neck_tilt", headPitch=0.6) == 20


def test_step_that_hardly_moves_is_refused_and_skipping_it_leaves_that_way_out() -> None:
    steps = session("face12")
    steps["smile"] = seen(mouthSmileLeft=(0, 0.05, 0.6), mouthSmileRight=(0, 0.05, 0.12))
    found = proposed("face12", steps)
    assert list(found.refusals) == ["smile"]
    assert found.refusals["smile"] == (
        "That hardly moves lip_right: mouthSmileRight went from 0.05 to 0.12. "
        "Do it again, more strongly, or skip this step."
    )
    part = next(each for each in found.parts if each.part == "lip_right")
    assert part.route is not None and len(part.route.mapping) == 1


def test_one_of_two_shapes_that_moves_alone_has_the_whole_way() -> None:
    steps = session("jaw_eyes")
    steps["up"] = seen(eyeLookUpLeft=(0, 0.05, 0.6), eyeLookUpRight=(0, 0.05, 0.06))
    found = proposed("jaw_eyes", steps)
    assert found.refusals == {}
    route = next(each.route for each in found.parts if each.part == "eye_tilt")
    assert route is not None and route.mapping[0].scale == 25  # type: ignore[union-attr]


def test_unseen_face_is_refused_and_makes_no_routes() -> None:
    steps = {REST: Measurement(frames=100, tracked=10, rate_hz=60)}
    found = proposed("jaw", steps)
    assert "does not see your face" in found.refusals[REST]
    assert [each.route for each in found.parts] == [None]
    assert found.parts[0].missing == ["open"]


def test_value_that_the_phone_does_not_send_is_named() -> None:
    steps = session("jaw")
    steps["open"] = seen(mouthClose=(0, 0, 1))
    assert "does not send jawOpen" in proposed("jaw", steps).refusals["open"]


def test_other_output_is_used_or_none() -> None:
    found = proposed("jaw", session("jaw"), outputs={"jaw": "parts.face.lip_left"})
    route = found.parts[0].route
    assert route is not None and route.id == "lip_left"
    assert route.mapping[0].to == "lip_left"  # type: ignore[union-attr]
    assert proposed("jaw", session("jaw"), outputs={"jaw": ""}).parts[0].route is None
    with pytest.raises(SaintError, match="no position of this robot"):
        proposed("jaw", session("jaw"), outputs={"jaw": "parts.face.tail"})
    with pytest.raises(SaintError, match="template 'jaws' is not known"):
        proposed("jaws", {})


def test_route_of_another_input_keeps_its_name_and_one_of_a_face_is_named() -> None:
    def other(name: str, source: str) -> Route:
        return Route.model_validate(
            {"id": name, "input": {"source": source}, "output": {"target": "parts.face"},
             "mapping": [{"from": "x", "to": "jaw"}]}
        )  # fmt: skip

    found = proposed("jaw", session("jaw"), other("jaw", "rc"), other("mouth", "livelink"))
    assert found.parts[0].route is not None and found.parts[0].route.id == "face_jaw"
    assert found.notes == [
        "Route mouth drives some of these outputs from a face too. Turn one of them off."
    ]
    again = proposed("jaw", session("jaw"), other("jaw", "livelink"))
    assert again.parts[0].route is not None and again.parts[0].route.id == "jaw"
    assert again.notes == []


def test_robot_without_such_parts_says_so() -> None:
    request = ProposeFace(template="jaw", steps={})
    found = propose(RobotTargets({}, ()), request, ())
    assert (found.parts[0].output, found.parts[0].text) == ("", "This robot has no such output.")
