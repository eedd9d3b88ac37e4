"""What the role daemons share: who may command (gate), how outputs follow (axis, trajectory,
joints, collisions), the
topics and the deadline of one assignment (session), the assignment stream (host).
"""

from .host import Host
from .motion.axis import Axis, Glide, Throttle
from .motion.joints import Joint, Joints
from .session import Session

__all__ = ["Axis", "Glide", "Host", "Joint", "Joints", "Session", "Throttle"]
