"""What happens around every action, whichever way it was asked for: is the caller allowed to, and
does the audit log tell of it. Not here: who the caller is (adapters/gate.py).
"""

import contextlib
from collections.abc import Iterator

from pydantic import BaseModel

from ...lib.access.audit import AuditRecord
from ...lib.access.levels import Level
from ...lib.clock import monotonic_s, wall_s
from ...lib.errors import Code, SaintError
from ..accounts.access import RefusedError
from ..actions import ACTIONS
from ..actions.caller import Caller
from ..audit import entries as audit
from ..robot import latch
from ..robot.context import Robot

# What moves something; sent many times a second, so that only the beginning is told.
MOTION = {
    ("head", "move"), ("head", "home"), ("arms", "move"), ("arms", "home"), ("arms", "gripper"),
    ("tracks", "drive"),
}  # fmt: skip

# What becomes an input sample: the motions, and the velocity zero, which moves nothing.
_SAMPLED = MOTION | {("tracks", "stop")}

OLD = "webd stood still before it could read this, so it may be too old to obey"


def check(robot: Robot, caller: Caller, group: str, action: str, params: BaseModel) -> None:
    """Raises forbidden, and notes it, when the caller's role is not enough for these params."""
    needs = ACTIONS[group][action].level_for(params)
    who = caller.identity
    if who.level < needs:
        text = f"{who.name} is {who.level.word} here, {group} {action} needs {needs.word}"
        fix = "Ask an admin of this robot for that role."
        if ACTIONS[group][action].is_logged:
            tell(robot, caller, group, action, params, refusal=text)
        raise SaintError(Code.FORBIDDEN, text, fix=fix)


def check_moving(robot: Robot, group: str, action: str, params: BaseModel, is_old: bool) -> None:
    """Raises refused for what must not move the robot now: a command that waited while webd stood
    still (`is_old`), any command while the robot is stopped or nobody knows whether it is, and what
    the router would not count as this client's.
    """
    is_release = action == "estop" and not getattr(params, "enable", True)
    if is_old and (is_release or (group, action) in MOTION):
        raise RefusedError("old", Code.REFUSED, OLD, fix="Send it again.")
    if (group, action) in MOTION and (problem := latch.problem(robot.newest, monotonic_s())):
        raise problem
    if (group, action) in _SAMPLED:
        _check_registered(robot)


def check_reading(robot: Robot, is_old: bool) -> None:
    """The same for a stream of readings."""
    if is_old:
        raise RefusedError("old", Code.REFUSED, OLD, fix="Send a new one.")
    if problem := latch.problem(robot.newest, monotonic_s()):
        raise problem
    _check_registered(robot)


def _check_registered(robot: Robot) -> None:
    """Raise refused while webd's samples are dropped: an "ok" would promise a motion."""
    if not robot.samples.is_registered:
        text = "webd is not registered at the router, so nothing was moved"
        fix = "Try again in a few seconds; look at webd's log if this stays. The e-stop works."
        raise RefusedError("unregistered", Code.REFUSED, text, fix=fix)


def check_motion(caller: Caller) -> None:
    """Raise forbidden when the caller may not move anything."""
    if caller.identity.level < Level.OPERATOR:
        text = f"{caller.identity.name} is {caller.identity.level.word} here and may not move it"
        fix = "Ask an admin of this robot for the role operator."
        raise SaintError(Code.FORBIDDEN, text, fix=fix)


@contextlib.contextmanager
def noted(
    robot: Robot, caller: Caller, group: str, action: str, params: BaseModel
) -> Iterator[None]:
    """Around what webd itself carries out: the log has an entry of it, also of a refusal. What it
    passes on is logged by the other daemon.
    """
    entry = ACTIONS[group][action]
    is_ours = bool(entry.log)
    try:
        yield
    except SaintError as err:
        if is_ours:
            tell(robot, caller, group, action, params, refusal=err.message)
        raise
    if is_ours:
        tell(robot, caller, group, action, params)


def tell(
    robot: Robot, caller: Caller, group: str, action: str, params: BaseModel, refusal: str = ""
) -> None:
    """An entry of the audit log, and its sentence in the activity log."""
    act, what = ACTIONS[group][action], f"{group} {action}"
    text = act.sentence(params) if act.log and not refusal else ""
    robot.heard(audit.entry_of(caller.person, what, params, text, act.severity, refusal))


def tell_motion(robot: Robot, caller: Caller, target: str) -> None:
    """A client that was at rest begins to move something."""
    who, what = caller.person, f"began to move {target or 'what its routes say'}"
    robot.audit.add(AuditRecord(wall_s(), who.name, who.level, who.address, what, daemon="webd"))
