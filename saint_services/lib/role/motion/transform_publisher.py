"""Opens the publisher of a base's transform. Not here: the message (odometry_messages.py)."""

from ... import log
from ...errors import SaintError
from ...generated.tf2_msgs import TFMessage
from ...generated.topics import TF
from ..bus_resources import RolePublisher
from ..session import RoleSession

_log = log.get("role")


def transform_publisher(role: RoleSession, *, is_wanted: bool) -> RolePublisher[TFMessage] | None:
    """Return the publisher; None if it is not wanted, or if tf2's messages are not installed, as
    on a small ROS 2: the base drives all the same.
    """
    if not is_wanted:
        return None
    try:
        return role.publisher(TF)
    except SaintError as err:
        _log.warning("transforms are not published", reason=err.message)
        return None
