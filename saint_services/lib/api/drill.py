"""The stop drill on routerd's socket: every way to stop the robot is tried by a person, one after
the other, and measured. Nothing in it moves the robot.
"""

from typing import Final, Literal, get_args

from pydantic import Field

from . import Reply, Request
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
    """GET /drill: the one under way, and the stored ones, newest first."""

    running: DrillReport | None = None
    reports: list[DrillReport] = []
    limit_ms: float = LIMIT_MS


class DrillBegin(Request):
    """POST /drill/begin; one under way is dropped."""

    by: str = Field(default="", max_length=128)


class DrillWait(Request):
    """POST /drill/wait: the next press of this way is measured. Refused while already stopped."""

    way: Literal["page", "rc", "console", "ros"]


class DrillSkip(Request):
    """POST /drill/skip"""

    way: Way
    reason: str = Field(min_length=1, max_length=200)


class DrillKill(Request):
    """POST /drill/kill: end the process of the role that drives this target."""

    target: Target
