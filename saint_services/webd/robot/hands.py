"""Finds the joint angles that bring a hand to a place, from where the robot's joints are now, and
says in words why there are none. Not here: the search (lib/kinematics/inverse.py), how the arm gets
there (the role, which keeps clear of everything on the way).
"""

import asyncio
from collections.abc import Mapping
from math import degrees, isfinite, radians

from ...lib.api.webd.motion import HandMove
from ...lib.bus import Bus
from ...lib.errors import Code, SaintError
from ...lib.generated.sensor_msgs import JointState
from ...lib.kinematics.chain import Chain
from ...lib.kinematics.clearance import Clearance
from ...lib.kinematics.inverse import Goal, HandAngles, NoSolution, solve
from ...lib.kinematics.poses import origin
from ...lib.role.motion.body_room import states_of
from ...lib.role.motion.collisions import Fences
from ...lib.role_config.body import Body
from ...lib.role_config.model import RoleConfig

_STATE_S = 0.5  # roles publish their joints every 50 ms
_MOST_SEARCHES = 2  # at once; each may take 0.1 s of a processor
_DECIMALS = 4  # of an angle in degrees: 1 mm needs two


class Hands:
    """The hands of a robot's arms."""

    def __init__(self, body: Body | None) -> None:
        self._body = body
        self._searches = asyncio.Semaphore(_MOST_SEARCHES)

    async def angles(self, bus: Bus, role: RoleConfig, move: HandMove) -> dict[str, float]:
        """Return angles in degrees, by joint. Raises SaintError without any."""
        body = self._body
        known = body.roles.get(role.target) if body else None
        if body is None or known is None or known.hand is None:
            text = f"the robot's manifest names no hand of {role.target}"
            raise SaintError(Code.NOT_FOUND, text, fix="Add `hand` to the role, and a model.")
        async with self._searches:
            at = await _joints(bus, body)
            if not at.keys() >= set(known.angles.values()):
                text = f"{role.target} does not report where its joints are"
                fix = "Check that its node runs: saintctl node list."
                raise SaintError(Code.REFUSED, text, fix=fix)
            found = await asyncio.to_thread(_search, body, role, move, at)
        return {name: round(degrees(value), _DECIMALS) for name, value in found.items()}


async def _joints(bus: Bus, body: Body) -> dict[str, float]:
    """Return where the joints of all roles are that report them, in radians."""
    found: dict[str, float] = {}
    missing = {target for target, role in body.roles.items() if role.angles}
    is_complete = asyncio.Event()

    def store(target: str, state: JointState) -> None:
        prefix = target.replace(".", "_")
        given = dict(zip(state.name, state.position, strict=False))
        for name, joint in body.roles[target].angles.items():
            value = given.get(f"{prefix}_{name}")
            if value is not None and isfinite(value):
                found[joint] = value
        missing.discard(target)
        if not missing:
            is_complete.set()

    subscriptions = [
        bus.subscribe(states_of(target), lambda sample, t=target: store(t, sample.message))  # type: ignore[misc]
        for target in tuple(missing)
    ]
    try:
        async with asyncio.timeout(_STATE_S):
            await is_complete.wait()
    except TimeoutError:
        pass  # a role that is not there counts as being at neutral
    finally:
        for each in subscriptions:
            each.close()
    return found


def _search(
    body: Body, role: RoleConfig, move: HandMove, at: Mapping[str, float]
) -> dict[str, float]:
    limits = {name: _radians(role.fields[name].limits) for name in body.roles[role.target].angles}
    chain = Chain(body, role.target, limits)
    clearance = Clearance(body, role.target)
    names = {joint: name for name, joint in body.roles[role.target].angles.items()}
    clearance.put({name: at[joint] for joint, name in names.items()})
    for target in body.roles:
        clearance.see(target, at, 0.0)
    fences = Fences(role.collision_limits)

    def contact(angles: object) -> tuple[str, ...]:
        values = dict(zip(chain.fields, angles, strict=True))  # type: ignore[call-overload]
        if not _are_kept(fences, role, values):
            return ("collision_limits",)
        return clearance.contact(values)

    rotation = None
    if move.roll is not None or move.pitch is not None or move.yaw is not None:
        turns = (radians(each or 0.0) for each in (move.roll, move.pitch, move.yaw))
        rotation = origin((0.0, 0.0, 0.0), tuple(turns))  # type: ignore[arg-type]
    goal = Goal((move.x, move.y, move.z), rotation)
    answer = solve(chain, goal, [at[joint] for joint in chain.joints], contact)
    if answer.angles is None:
        raise SaintError(Code.REFUSED, f"the {move.arm} hand cannot go there: {_why(answer)}")
    return dict(zip(chain.fields, answer.angles, strict=True))


def _are_kept(fences: Fences, role: RoleConfig, values: Mapping[str, float]) -> bool:
    places = {name: degrees(values[name]) for name in fences.joints & values.keys()}
    rest = {name: role.fields[name].neutral for name in fences.joints - values.keys()}
    return fences.are_kept({**rest, **places})


def _why(answer: HandAngles) -> str:
    parts = [name.replace("_", " ") for name in answer.parts]
    if answer.refusal is NoSolution.TOO_FAR:
        return f"the place is {answer.distance_m:.2f} m beyond its reach"
    if answer.refusal is NoSolution.BLOCKED and len(parts) == 2:
        return f"{parts[0]} would be too close to {parts[1]}"
    if answer.refusal is NoSolution.BLOCKED:
        return "the collision limits of the arm forbid it"
    near = f"the nearest pose found is {answer.distance_m * 1000.0:.0f} mm away"
    if answer.refusal is NoSolution.LIMITS:
        return f"{', '.join(answer.parts)} would leave the limits; {near}"
    return f"no pose of the joints reaches it; {near}"


def _radians(limits: tuple[float, float]) -> tuple[float, float]:
    return radians(limits[0]), radians(limits[1])
