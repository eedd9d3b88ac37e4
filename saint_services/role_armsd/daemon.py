"""Wires one arm: joint and gripper commands to servos, their positions to states. Not here: how
joints move (lib/role/motion), when a gripper has gripped (force.py).
"""

import math

from saint_services.lib.daemon import Context
from saint_services.lib.errors import Code, SaintError
from saint_services.lib.generated.saint_msgs import (
    ArmCommand,
    ArmState,
    GripperCommand,
    GripperState,
)
from saint_services.lib.generated.topics import (
    ARM_CMD,
    ARM_JOINT_STATES,
    ARM_STATE,
    GRIPPER_CMD,
    GRIPPER_STATE,
)
from saint_services.lib.role.host import RoleHost
from saint_services.lib.role.motion.joints import Joint, speeds
from saint_services.lib.role.motion.positions import PositionSession

from .config import Config
from .force import GripControl, JointEfforts

_STATE_S = 0.05
_FEEL_S = 0.02


class ArmRole(PositionSession):
    """The role."""

    role = "arms"
    does_fault_stop_robot = True  # an arm whose chip is dead may fall

    def start(self) -> None:
        """Obey commands and publish states."""
        instance = self.config.instance
        if not instance:
            raise SaintError(Code.CONFIG_INVALID, "the role arms needs an instance, e.g. left")
        count = sum(field.command == "cmd" for field in self.config.fields.values())
        self._arm = [self.joint("cmd", f"target_positions[{index}]") for index in range(count)]
        self._gripper = self.joint("gripper", "position")
        self._gripping = GripControl(self.config.grip)
        self._efforts = JointEfforts(self.config, self.current_a)
        self._before: dict[str, float] = {}
        self.command(ARM_CMD.at(instance=instance), self._on_command)
        self.command(GRIPPER_CMD.at(instance=instance), self._on_gripper)
        self._publish_arm = self.publisher(ARM_STATE.at(instance=instance))
        self._publish_gripper = self.publisher(GRIPPER_STATE.at(instance=instance))
        self.every(_STATE_S, self._send_state)
        if self.config.grip and self.config.grip.current_device:
            self.every(_FEEL_S, self._feel)
        self.publish_joints(ARM_JOINT_STATES.at(instance=instance), self._efforts.of)
        self.see_others()
        self.go_home()

    def _on_command(self, message: ArmCommand, now_s: float) -> bool:
        targets = message.target_positions
        if len(targets) > len(self._arm):
            return False
        wanted = zip(self._arm, targets, strict=False)
        return self.move(wanted, now_s, message.speed_factor, is_immediate=message.immediate)

    def _on_gripper(self, message: GripperCommand, now_s: float) -> bool:
        if not math.isfinite(message.force) or math.isinf(message.position):
            return False
        if math.isnan(message.position):
            return True
        gripping, applied = self._gripping, self._gripper.axis.applied
        goal = gripping.command(message.position, message.force, applied)
        return self.move(((self._gripper, goal),), now_s, gripping.share(applied))

    def _feel(self) -> None:
        """End the closing of the gripper at the commanded force."""
        gripping, gripper = self._gripping, self._gripper
        meter = gripping.grip.current_device if gripping.grip else ""
        goal = gripping.feel(self.current_a(meter), gripper.axis.applied)
        if goal is not None and self.may_move:
            now_s = self.clock.time()
            self.move(((gripper, goal),), now_s, gripping.share(gripper.axis.applied))

    def _send_state(self) -> None:
        self._publish_arm(
            ArmState(
                joint_positions=tuple(joint.place for joint in self._arm),
                joint_velocities=speeds(self._arm, self._before, _STATE_S),
                joint_efforts=self._efforts.of(self._arm),
                in_motion=any(_is_moving(joint) for joint in self._arm),
                error_state=bool(self.fault),
                error_message=self.fault or self.waiting,
            )
        )
        if not self._publish_gripper.has_readers:
            return
        gripper, gripping = self._gripper, self._gripping
        self._publish_gripper(
            GripperState(
                gripper.axis.applied, gripping.force_n, _is_moving(gripper), gripping.is_holding
            )
        )


def _is_moving(joint: Joint) -> bool:
    return not joint.is_still


async def run(ctx: Context[Config]) -> None:
    """Serve assignments until stopped."""
    await RoleHost(ctx, "arms", ArmRole).serve()
