"""The stop drill on routerd's socket: every way to stop the robot is tried by a person, one after
the other, and measured. Nothing in it moves the robot.
"""

from typing import Final, Literal, get_args

from pydantic import Field

from ..access.levels import Level
from . import Reply, Request
from .endpoint import Nothing, Rows, Severity
from .routing import Target

Way = Literal["page", "rc", "console", "ros", "kill"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
LIMIT_MS: Final = 250.0  # from the press to the confirmation of each target


class DrillTarget(Reply):
    """What one target did."""

    target: str
    state: str  # as of StopOutcome
    after_ms: float | None = None
    detail: str = ""


class DrillStep(Reply):
    """One way to stop. Open: not tried. Waiting: for the press."""

    way: Way
    state: Literal["open", "waiting", "passed", "failed", "skipped"] = "open"
    reason: str = ""  # why it was skipped, or what failed
    source: str = ""  # of the press
    targets: list[DrillTarget] = []


class DrillReport(Reply):
    """One drill. `began` and `ended` are ISO 8601, UTC; it is under way while `ended` is empty."""

    began: str
    ended: str = ""
    by: str = ""
    versions: dict[str, str] = {}  # release of the server and of each node
    steps: list[DrillStep] = []

    @property
    def is_passed(self) -> bool:
        """Every way was tried and stopped the robot in time."""
        return bool(self.steps) and all(each.state == "passed" for each in self.steps)


class DrillInfo(Reply):
    """The one under way, and the stored ones, newest first."""

    running: DrillReport | None = None
    reports: list[DrillReport] = []
    limit_ms: float = LIMIT_MS


class DrillWait(Request):
    """The next press of this way is measured. Refused while already stopped."""

    way: Literal["page", "rc", "console", "ros"]


class DrillSkip(Request):
    """This way is not tried, and why."""

    way: Way
    reason: str = Field(min_length=1, max_length=200)


class DrillKill(Request):
    """End the process of the role that drives this target."""

    target: Target


def _failed(reply: DrillInfo) -> list[str]:
    return [each.way for each in reply.reports[0].steps if each.state == "failed"]


def _finished(_: Nothing, reply: DrillInfo) -> str:
    ways = ", ".join(_failed(reply))
    return f"The stop test failed by {ways}" if ways else "The stop was tested"


def _severity(_: Nothing, reply: DrillInfo) -> Severity:
    return "ERROR" if _failed(reply) else "INFO"


ROWS = Rows("drill", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
STATUS = _row(
    "status", "GET", "/drill", Nothing, DrillInfo, "The drill under way, and the newest reports."
)
BEGIN = _row(
    "begin", "POST", "/drill/begin", Nothing, DrillInfo,
    "Every way is open; a drill under way is dropped.",
    level=_OPERATOR, log="A test of the stop was begun",
)
WAIT = _row(
    "wait", "POST", "/drill/wait", DrillWait, DrillInfo,
    "The next press of this way is measured; refused while the robot is stopped.",
    level=_OPERATOR, log=lambda *_: "",
)
SKIP = _row(
    "skip", "POST", "/drill/skip", DrillSkip, DrillInfo,
    "This way is not tried, for this reason.",
    level=_OPERATOR, log=lambda *_: "",
)
KILL = _row(
    "kill", "POST", "/drill/kill", DrillKill, DrillInfo,
    "Ends the process of the role that drives this target; its guard has to stop the outputs.",
    level=Level.ADMIN, log="The process of {target} was killed for a test", severity="WARNING",
    limit_s=20.0,  # the node waits for the role's guard
)
FINISH = _row(
    "finish", "POST", "/drill/finish", Nothing, DrillInfo, "Stores the report.",
    level=_OPERATOR, log=_finished, severity=_severity,
)
