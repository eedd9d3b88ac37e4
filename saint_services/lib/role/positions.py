"""Base of the roles that only hold positions: commands name joints, every joint is a servo."""

from collections import Counter
from collections.abc import Iterable
from math import isfinite, isinf, isnan

from ..errors import Code, SaintError
from ..hw.ports import Board
from ..roles import RoleConfig
from .joints import Joint, Joints
from .session import Session
from .timers import Clock


class PositionSession(Session):
    """A role of joints. NaN in a command means: leave this joint where it is."""

    def __init__(
        self, config: RoleConfig, node_id: str, clock: Clock, counters: Counter[str]
    ) -> None:
        super().__init__(config, node_id, clock, counters)
        self.joints = Joints(config, clock, self.attempt, self.changed.set)

    def open_drivers(self, board: Board) -> None:
        """Servos keep the pulse that they have, or none."""
        self.joints.open(board)

    def stop(self) -> None:
        """Everything stays where it is."""
        self.joints.hold()

    def close_drivers(self) -> None:
        """Give the outputs back; pulses stay, so that nothing falls."""
        self.joints.close()

    @property
    def is_safe(self) -> bool:
        """Nothing moves."""
        return self.joints.are_still

    def joint(self, command: str, path: str) -> Joint:
        """The joint that a field of a command message drives."""
        try:
            return self.joints.of(command)[path]
        except KeyError:
            message = f"no field of the manifest drives {path} of {command}"
            raise SaintError(Code.CONFIG_INVALID, message) from None

    def move(self, wanted: Iterable[tuple[Joint, float]], now_s: float, share: float = 1.0) -> bool:
        """Obey a command: all of it, or nothing when a number in it is infinite."""
        aims = [(joint, value) for joint, value in wanted if not isnan(value)]
        if not isfinite(share) or any(isinf(value) for _, value in aims):
            return False
        for joint, value in aims:
            self.joints.aim(joint, value, min(max(share, 0.0), 1.0))
        self.joints.step(now_s)
        return True
