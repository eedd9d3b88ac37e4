"""Validates routes, and decides which samples a route is for. Pure."""

from collections.abc import Collection, Iterable
from itertools import pairwise

from ...lib.api.mapping import CURVES_BY_POINTS, MOST_POINTS, Mapping, MappingCondition
from ...lib.api.routing import Route, RouteFile
from ...lib.config.spelling import hint_or_all
from ...lib.errors import Code, SaintError
from ..fields.targets import RobotTargets
from ..inputs.source_classes import PRIORITIES, kind_of
from ..inputs.sources import InputSource, may_be_type

ANY = "*"
ESTOP = "estop"
MAX_ROUTES = 128
MAX_MAPPINGS = 128
LEAST_STEP = 0.001  # of the input between two points of a curve
SUBJECT_TYPES = ("face", "animation", "transform", "camera")
# The kind of fields that a browser's command drives: samples carry fields, not the command's name.
COMMAND_TYPES = {
    "move": "position",
    "home": "position",
    "gripper": "gripper",
    "drive": "velocity",
    "stop": "velocity",
}


def check_file(file: RouteFile, robot: RobotTargets) -> None:
    """Check routes and their blending; raise SaintError request_invalid for the first fault."""
    check_all(file.routes, robot)
    names = [f"{target}.{field}" for target, fields in robot.fields.items() for field in fields]
    for name in file.blending.fields:
        _check_known("blending.fields", name, names)


def missing_targets(file: RouteFile, robot: RobotTargets) -> set[str]:
    """Return the targets that routes and blending name and the robot does not have."""
    named = {route.output.target for route in file.routes}
    named |= {name.rpartition(".")[0] for name in file.blending.fields}
    return named - {ANY, *robot.fields}


def fitting(file: RouteFile, robot: RobotTargets, known: Collection[str]) -> RouteFile:
    """Return a shipped preset without routes for roles that only other robots have. Names that no
    role has are kept, so that they are refused.
    """
    left_out = missing_targets(file, robot) & set(known)
    routes = [route for route in file.routes if route.output.target not in left_out]
    fields = {
        name: how
        for name, how in file.blending.fields.items()
        if name.rpartition(".")[0] not in left_out
    }
    blending = file.blending.model_copy(update={"fields": fields})
    return file.model_copy(update={"routes": routes, "blending": blending})


def check_all(routes: Iterable[Route], robot: RobotTargets) -> None:
    """Check a set of routes; raise SaintError request_invalid for the first fault."""
    known: set[str] = set()
    for route in routes:
        if route.id in known:
            raise _invalid(f"there are two routes {route.id!r}")
        known.add(route.id)
        check(route, robot)
    if len(known) > MAX_ROUTES:
        raise _invalid(f"{len(known)} routes are more than the {MAX_ROUTES} that are possible")


def check(route: Route, robot: RobotTargets) -> None:
    """Check one route; raise SaintError request_invalid with the place and the nearest name."""
    place = f"route {route.id}"
    _check_source(place, route)
    _check_known(f"{place}: input.type", route.input.type, ("", *SUBJECT_TYPES))
    for kind in route.input.command_types:
        _check_known(f"{place}: input.command_types", kind, COMMAND_TYPES)
    target = route.output.target
    _check_known(f"{place}: output.target", target, (*robot.fields, ANY))
    if route.mapping == "passthrough":
        return
    if len(route.mapping) > MAX_MAPPINGS:
        raise _invalid(f"{place}: more than {MAX_MAPPINGS} mappings")
    for index, mapping in enumerate(route.mapping):
        _check_mapping(f"{place}: mapping[{index}]", mapping, target, robot)


def _check_source(place: str, route: Route) -> None:
    kind, subject = route.input.source, route.input.subject
    if kind != "rc" and subject != ANY and kind_of(f"{kind}:{subject}") is None:
        raise _invalid(f"{place}: input.subject must be 1 to 100 characters long, or '*' for any")


def _check_mapping(place: str, mapping: Mapping, target: str, robot: RobotTargets) -> None:
    if mapping.clamp is not None and mapping.clamp[0] > mapping.clamp[1]:
        raise _invalid(f"{place}.clamp must rise, not {list(mapping.clamp)}")
    _check_points(place, mapping)
    if mapping.to == ESTOP:
        _check_stop(place, mapping)
        return
    _check_input(f"{place}.from", mapping.from_, robot)
    for index, condition in enumerate(mapping.only_while):
        _check_condition(f"{place}.only_while[{index}]", condition, robot)
    if target == ANY:
        names = [f"{each}.{field}" for each, fields in robot.fields.items() for field in fields]
        if "." not in mapping.to:
            raise _invalid(
                f"{place}.to: {mapping.to!r} needs one target: name it in output.target, or write "
                f"it as target and field, such as {names[0] if names else 'head.pan'!r}"
            )
        _check_known(f"{place}.to", mapping.to, (*names, ESTOP))
        return
    _check_known(f"{place}.to", mapping.to, (*robot.fields[target], ESTOP), f" of {target}")


def _check_points(place: str, mapping: Mapping) -> None:
    inputs = [point[0] for point in mapping.points]
    if any(after < before + LEAST_STEP for before, after in pairwise(inputs)):
        raise _invalid(
            f"{place}.points: the inputs must rise by at least {LEAST_STEP}, not {inputs}"
        )
    if mapping.curve in CURVES_BY_POINTS and len(inputs) < 2:
        raise _invalid(
            f"{place}.points: the curve {mapping.curve} needs 2 to {MOST_POINTS}, not {len(inputs)}"
        )


def _check_stop(place: str, mapping: Mapping) -> None:
    """Refuse whatever could delay or switch off a stop."""
    if mapping.mode != "switch":
        raise _invalid(f"{place}: the e-stop is a switch; write mode: switch")
    if mapping.filter != "none":
        raise _invalid(f"{place}.filter: the e-stop is never filtered; write filter: none")
    if mapping.rate_limit is not None:
        raise _invalid(f"{place}.rate_limit: the e-stop has no rate; leave it out")
    if mapping.only_while:
        raise _invalid(f"{place}.only_while: the e-stop has no condition; leave it out")


def _check_condition(place: str, condition: MappingCondition, robot: RobotTargets) -> None:
    if kind_of(condition.source) is None:
        kind = condition.source.partition(":")[0]
        _check_known(f"{place}.source", kind, PRIORITIES)
        raise _invalid(f"{place}.source {condition.source!r} must be like rc or livelink:Face")
    given = [each for each in (condition.above, condition.below) if each is not None]
    if condition.input and len(given) != 1:
        raise _invalid(f"{place}.input {condition.input!r} needs one of above and below")
    if given and not condition.input:
        raise _invalid(f"{place}.input: above and below need an input, such as channel_7")
    _check_input(f"{place}.input", condition.input, robot)


def _check_input(place: str, name: str, robot: RobotTargets) -> None:
    """Refuse an output as an input: the router would follow itself."""
    target, _, field = name.rpartition(".")
    if field in robot.fields.get(target, ()):
        raise _invalid(
            f"{place} {name!r} is an output of the robot: routes from outputs to outputs "
            "make a cycle; name an input, such as 'channel_1'"
        )


def _check_known(place: str, word: str, known: Collection[str], owner: str = "") -> None:
    if word not in known:
        raise _invalid(f"{place} {word!r} is not known{owner}{hint_or_all(word, known)}")


def _invalid(sentence: str) -> SaintError:
    return SaintError(Code.REQUEST_INVALID, sentence)


def priority(route: Route) -> int:
    """Return the route's own priority, else that of its source class."""
    return PRIORITIES[route.input.source] if route.priority is None else route.priority


def place(route: Route, mapping: Mapping) -> tuple[str, str]:
    """Return the target and the field that a mapping drives."""
    if route.output.target != ANY:
        return route.output.target, mapping.to
    target, _, field = mapping.to.rpartition(".")
    return target, field


def applies(route: Route, source: InputSource, target: str, names: Collection[str]) -> bool:
    """Return whether a route is for samples of this source with this target and these names."""
    wanted = route.input
    if not route.enabled or wanted.source != source.kind:
        return False
    if source.kind != "rc" and wanted.subject not in (ANY, source.subject):
        return False
    if not may_be_type(names, wanted.type):
        return False
    if target:
        return route.output.target in (ANY, target)
    return route.mapping != "passthrough" or route.output.target != ANY


def lets_through(route: Route, field: str, is_velocity: bool) -> bool:
    """Return whether the route's list of command types, if it has one, allows this field."""
    if not route.input.command_types:
        return True
    kind = "velocity" if is_velocity else "gripper" if field == "gripper" else "position"
    return kind in {COMMAND_TYPES[word] for word in route.input.command_types}
