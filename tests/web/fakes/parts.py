"""The fake robot's parts: adoptiond's own service of the robot on a folder of the test, with the
nodes of the fake robot as holders of its roles.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from saint_services.adoptiond.adapters import load_catalog
from saint_services.adoptiond.calibration_store import CalibrationStore
from saint_services.adoptiond.registry import Node, Registry, RoleKey
from saint_services.adoptiond.robots.api import answer_robot
from saint_services.adoptiond.robots.figure_api import answer_figure
from saint_services.adoptiond.robots.figures import FigureService
from saint_services.adoptiond.robots.service import RobotService
from saint_services.adoptiond.state import SavedNode
from saint_services.lib.api.adoption import NodeInfo
from saint_services.lib.health import Health
from saint_services.lib.ipc import Api, ChangeSignal
from saint_services.lib.robot.source import RobotPlaces


class FakeParts:
    """Holds the roles as the fake nodes do; counts what follows from a change."""

    def __init__(
        self,
        manifests: Path,
        state: Path,
        nodes: Callable[[], Mapping[str, NodeInfo]],
        template: str = "saint",
    ) -> None:
        self.registry = Registry()
        health = Health("adoptiond")
        self.service = RobotService(
            RobotPlaces(manifests, state.parent / "robot", template), health
        )
        self._calibrations = CalibrationStore(state, health, load_catalog(manifests, template))
        self._infos = nodes
        self.refreshed: list[str] = []
        self.restarts = 0
        self.changed = ChangeSignal()

    async def open(self, api: Api) -> None:
        """Answer for adoptiond."""
        await self.service.load()
        self.service.attach(self, self._calibrations)
        answer_robot(api, self.service)
        answer_figure(api, FigureService(self.service))

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The fake nodes as the registry has them."""
        return tuple(_node(each) for each in self._infos().values())

    async def refresh_role(self, key: RoleKey) -> str:
        """Count a role whose node is notified."""
        self.refreshed.append(str(key))
        return "its node applies it as soon as its outputs are safe"

    def robot_changed(self) -> None:
        """Count a change that others are notified of."""
        self.restarts += 1


def _node(info: NodeInfo) -> Node:
    kept = SavedNode(display_name=info.display_name, role=info.role, instance=info.instance)
    return Node(info.node_id, kept)
