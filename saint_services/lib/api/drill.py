"""The stop drill on routerd's socket: a person tries every way to stop the robot, one after the
other, and each is measured. The drill never moves the robot.
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
    """The measured stop of one target."""

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
    """One drill. `began` and `ended` are ISO 8601, UTC; `ended` is empty while the drill runs."""

    began: str
    ended: str = ""
    by: str = ""
    versions: dict[str, str] = {}  # release of the server and of each node
    steps: list[DrillStep] = []

    @property
    def is_passed(self) -> bool:
        """True if every way was tried and stopped the robot in time."""
        return bool(self.steps) and all(each.state == "passed" for each in self.steps)


class DrillInfo(Reply):
    """The running drill and the stored reports, newest first."""

    running: DrillReport | None = None
    reports: list[DrillReport] = []
    limit_ms: float = LIMIT_MS


class DrillWait(Request):
    """Measure the next press of this way. Refused while the robot is stopped."""

    way: Literal["page", "rc", "console", "ros"]


class DrillSkip(Request):
    """Skip this way for a reason."""

    way: Way
    reason: str = Field(min_length=1, max_length=200)


class DrillKill(Request):
    """End the process of the role that drives this target."""

    target: Target = Field(description="Target whose role's process is killed.")


def _failed(reply: DrillInfo) -> list[str]:
    return [each.way for each in reply.reports[0].steps if each.state == "failed"]


def _finished(_: Nothing, reply: DrillInfo) -> str:
    ways = ", ".join(_failed(reply))
    return f"Stop drill failed: {ways}" if ways else "Stop drill passed"


def _severity(_: Nothing, reply: DrillInfo) -> Severity:
    return "ERROR" if _failed(reply) else "INFO"


ROWS = Rows("drill", "routerd")
_row = ROWS.row
_OPERATOR = Level.OPERATOR

# fmt: off
STATUS = _row(
    "status", "GET", "/drill", Nothing, DrillInfo, "Get the running drill and the newest reports."
)
BEGIN = _row(
    "begin", "POST", "/drill/begin", Nothing, DrillInfo,
    "Start a drill; a running drill is dropped.",
    level=_OPERATOR, log="Stop drill started",
)
WAIT = _row(
    "wait", "POST", "/drill/wait", DrillWait, DrillInfo,
    "Measure the next press of this way; refused while the robot is stopped.",
    level=_OPERATOR, log=lambda *_: "",
)
SKIP = _row(
    "skip", "POST", "/drill/skip", DrillSkip, DrillInfo,
    "Skip this way for a reason.",
    level=_OPERATOR, log=lambda *_: "",
)
KILL = _row(
    "kill", "POST", "/drill/kill", DrillKill, DrillInfo,
    "End the process of the role that drives this target; its guard must stop the outputs.",
    level=Level.ADMIN, log="The process of {target} was ended for a stop drill", severity="WARNING",
    limit_s=20.0,  # the node waits for the role's guard
)
FINISH = _row(
    "finish", "POST", "/drill/finish", Nothing, DrillInfo, "Finish the drill and store its report.",
    level=_OPERATOR, log=_finished, severity=_severity,
)
