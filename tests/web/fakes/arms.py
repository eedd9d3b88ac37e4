"""An arm of bus servos behind the fake robot: a real router drives it, it is where it is commanded
at once, and a hand may turn a joint that nothing has commanded.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from saint_services.lib.api.adoption import NodeRoleInfo, NodeState
from saint_services.lib.bus import Sample
from saint_services.lib.clock import monotonic_s, stamp
from saint_services.lib.generated import topics
from saint_services.lib.generated.saint_msgs import InputSample, PartState
from saint_services.routerd import report
from tests.waiting import every

if TYPE_CHECKING:
    from tests.web.fakes.robot import FakeRobot

TARGET, _NODE = "parts.follower", "sim_parts_follower"
LEADER = "leader.hand"
_CELSIUS, _LOAD = 31.0, 0.12


class FakeArm:
    """Publishes the state of the arm, and what the router commands."""

    def __init__(self, robot: "FakeRobot") -> None:
        self._robot = robot
        self._router = robot.router.real
        self._router.masters.places_of = lambda _: self.places
        self.places: dict[str, float] = dict.fromkeys(self._router.robot.fields[TARGET], 0.0)
        self.leader: dict[str, float] = dict.fromkeys(self.places, 0.0)
        self._state = robot.bus.publisher(topics.PARTS_STATE.at(instance="follower"))
        self._leader_state = robot.bus.publisher(topics.ROLE_PARTS_STATE.at(role="leader/hand"))
        self._status = robot.bus.publisher(topics.ROUTER_STATUS)
        robot.bus.subscribe(topics.INPUT_WEBSOCKET, self._receive)

    def turn(self, places: Mapping[str, float]) -> None:
        """Turn joints by hand."""
        self.places.update(places)

    def start_role(self, target: str = TARGET, version: str = "") -> None:
        """Have its node report that the role runs with the robot's present configuration, or with
        this version of one."""
        name, _, instance = target.partition(".")
        role = NodeRoleInfo(
            role=name,
            instance=instance,
            state=NodeState.ACTIVE,
            config_version=version or self._robot.parts.service.configurations()[target],
            role_alive=True,
        )
        nodes = self._robot.nodes
        nodes[_NODE] = nodes[_NODE].model_copy(update={"roles": [role]})

    async def play(self) -> None:
        """Live until cancelled."""
        async for _ in every(0.02):
            self._step()

    def _receive(self, sample: Sample[InputSample]) -> None:
        self._router.sample(sample.message, sample.origin, monotonic_s())

    def _step(self) -> None:
        router = self._router
        router.advance(monotonic_s())
        for output in router.outputs:
            if output.target == TARGET and output.is_driven and output.value is not None:
                self.places[output.field] = output.value
        status = report.message(router, monotonic_s())
        status.stamp = stamp()
        self._status.publish(status)
        self._state.publish(self._measured(self.places))
        led = self._measured(self.leader)
        led.names, led.values, led.units = (), (), ()
        self._leader_state.publish(led)

    def _measured(self, places: Mapping[str, float]) -> PartState:
        names = tuple(places)
        values = tuple(places.values())
        units = tuple(self._router.robot.fields[TARGET][name].unit for name in names)
        sensors: dict[str, tuple[float, str]] = {}
        for name, value, unit in zip(names, values, units, strict=True):
            sensors[f"{name}_position"] = value, unit
            sensors[f"{name}_load"] = _LOAD, ""
            sensors[f"{name}_temperature"] = _CELSIUS, "°C"
        readings = tuple(value for value, _ in sensors.values())
        kinds = tuple(unit for _, unit in sensors.values())
        return PartState(stamp(), names, values, units, tuple(sensors), readings, kinds)
