"""What the role daemons share: who may command (gate), how outputs follow (axis, joints), the
topics and the deadline of one assignment (session), the assignment stream (host).
"""

from .axis import Axis, Throttle
from .host import Host
from .joints import Joint, Joints
from .session import Session

__all__ = ["Axis", "Host", "Joint", "Joints", "Session", "Throttle"]
