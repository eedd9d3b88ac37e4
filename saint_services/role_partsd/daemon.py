"""Wires the role parts, which has nothing beside its parts: lib/role obeys their command, publishes
their state and drives them. This adds what joints need: the states by the names of the robot's
model, room between the robot's shapes, and the way home after the start.
"""

from saint_services.lib.daemon import Context
from saint_services.lib.generated.topics import PARTS_JOINT_STATES
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion.positions import PositionSession

from .config import Config


class PartsRole(PositionSession):
    """The role."""

    role = "parts"

    def start(self) -> None:
        """Publish joints, keep clear of the robot's other shapes, go home."""
        if any(joint.unit == "deg" for joint in self.joints.by_name.values()):
            self.publish_joints(PARTS_JOINT_STATES.at(instance=self.config.instance))
        self.see_others()
        self.go_home()


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "parts", PartsRole).serve()
