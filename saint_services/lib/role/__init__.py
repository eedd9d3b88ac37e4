"""What the role daemons share: which commands are obeyed and when outputs stop (gate, proof, latch,
session), the connection to the guard, the stream of an assignment (host), how outputs move
(motion).
"""

from .host import RoleHost
from .motion.axis import Axis, Glide, Throttle
from .motion.joints import Joint, Joints
from .session import RoleSession

__all__ = ["Axis", "Glide", "Joint", "Joints", "RoleHost", "RoleSession", "Throttle"]
