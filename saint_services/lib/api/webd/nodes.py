"""Nodes as the specification lists them, their hardware and history, releases, the activity log."""

from typing import Literal

from pydantic import Field

from ...access.levels import Level
from .. import Reply, Request
from ..adoption import NodeId, NodeList, NodeParams
from ..endpoint import Nothing
from ..firmware import FirmwareCheck, RolloutPlan
from ..hardware import GpioStatus, NodeFit
from ..states import LogEntry
from . import WebRows

NODE_HISTORY_POINTS = 120  # ten minutes


class NodeHistory(Reply):
    """Load of a node, oldest first, one number a period; null while the node was offline."""

    node_id: str
    period_s: float
    cpu: list[float | None] = Field(max_length=NODE_HISTORY_POINTS)  # percent
    memory: list[float | None] = Field(max_length=NODE_HISTORY_POINTS)  # percent
    temp: list[float | None] = Field(max_length=NODE_HISTORY_POINTS)  # degrees Celsius


class TriggerUpdate(Request):
    """The newest release, for one node or for all machines."""

    node_id: NodeId | None = None


class GetActivityLog(Request):
    """A part of the activity log, newest first."""

    limit: int = Field(default=100, ge=1, le=500)
    offset: int = Field(default=0, ge=0, le=10_000)
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"  # this level and above
    source: str | None = Field(default=None, max_length=64)
    about: str | None = Field(default=None, max_length=64)  # a node: its own entries and about it


class ActivityReply(Reply):
    """List entries of the activity log, newest first."""

    entries: list[LogEntry]


MANAGEMENT = WebRows("management")

# fmt: off
LIST_UNADOPTED = MANAGEMENT.read("list_unadopted", Nothing, NodeList, "List nodes without a role.")
LIST_ADOPTED = MANAGEMENT.read(
    "list_adopted", Nothing, NodeList, "List nodes with a role, including offline nodes."
)
GET_GPIO_STATUS = MANAGEMENT.read(
    "get_gpio_status", NodeParams, GpioStatus,
    "Read all pins of a node's header and the devices on its buses from the node.",
)
CHECK_NODE = MANAGEMENT.read(
    "check_node", NodeParams, NodeFit,
    "Check a node's hardware: for each role of the robot what is missing on it.",
)
GET_NODE_HISTORY = MANAGEMENT.read(
    "get_node_history", NodeParams, NodeHistory,
    "Get load and temperature of a node in the last ten minutes.",
)
FIRMWARE_CHECK = MANAGEMENT.read(
    "firmware_check", Nothing, FirmwareCheck,
    "List machines that do not run the newest release on the server.",
)
TRIGGER_UPDATE = MANAGEMENT.change(
    "trigger_update", TriggerUpdate, RolloutPlan,
    "Roll the newest release out, to one node or to all machines.",
    level=Level.ADMIN, logged_by="otad",
)
GET_ACTIVITY_LOG = MANAGEMENT.read(
    "get_activity_log", GetActivityLog, ActivityReply,
    "List entries of the activity log, newest first.",
)
