"""The checks around every action, over HTTP and WebSocket alike, and its audit entry: role of the
caller, e-stop, age of the command. Not here: who the caller is (accounts/gate.py).
"""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from pydantic import BaseModel

from ...lib.access import audit
from ...lib.access.levels import Level
from ...lib.api.endpoint import Nothing
from ...lib.clock import monotonic_s
from ...lib.errors import Code, SaintError
from ..accounts.access import RefusedError, level_of, not_enough
from ..actions.act import Act, Caller
from ..audit.record import Outcome, entry, watched
from ..robot import latch
from ..robot.context import RobotContext

OLD = "webd was stalled before it read this, so the command may be too old"
_NOTHING = Nothing()


@contextlib.contextmanager
def admitted(
    robot: RobotContext, caller: Caller, act: Act, params: BaseModel, *, is_old: bool
) -> Iterator[Outcome]:
    """Check whether the caller may have this action now, run the block that carries it out, and
    write the audit entry of the outcome: done, refused or unfinished. The block puts the reply
    into the outcome.
    """
    if act.row.is_reading:
        check_level(caller, act, params)
        yield Outcome()
        return

    def write(outcome: Outcome) -> None:
        _record(robot, caller, act, params, outcome)

    with watched(write) as outcome:
        check_level(caller, act, params)
        check_moving(robot, act, params, is_old=is_old)
        yield outcome


def check_level(caller: Caller, act: Act, params: BaseModel) -> None:
    """Raise forbidden when the caller's role is not enough for these parameters."""
    needs = act.row.level_for(params)
    if (refusal := _refusal(caller, needs, act)) is not None:
        raise refusal


def check_role(robot: RobotContext, caller: Caller, act: Act) -> None:
    """Raise forbidden, with an audit entry, when the caller's role is not enough for the action
    whatever its parameters are.
    """
    if (refusal := _refusal(caller, act.level, act)) is not None:
        if not act.row.is_reading:
            _record(robot, caller, act, _NOTHING, Outcome(refusal=refusal.message))
        raise refusal


def _refusal(caller: Caller, needs: Level, act: Act) -> RefusedError | None:
    """Return why the caller may not; None for one who has the level, or moves the robot as a
    program that may.
    """
    who, is_personal = caller.identity, act.row.is_personal
    needs = level_of(who, needs, is_personal=is_personal)
    if who.level >= needs or (act.is_repeated and needs <= Level.OPERATOR and who.may_drive):
        return None
    return not_enough(who, needs, act.row.name, is_personal=is_personal)


def check_moving(robot: RobotContext, act: Act, params: BaseModel, *, is_old: bool) -> None:
    """Raise refused for a command that must not move the robot now: one that waited while webd was
    stalled (`is_old`), any while the robot is stopped or its e-stop unknown, and what the router
    would not accept from webd.
    """
    is_clear = act.action == "estop" and not getattr(params, "enable", True)
    if is_old and (is_clear or act.is_motion):
        raise RefusedError("old", Code.REFUSED, OLD, fix="Send it again.")
    if act.is_motion and (problem := latch.problem(robot.newest, monotonic_s())):
        raise problem
    if act.is_repeated:
        _check_registered(robot)


@contextlib.contextmanager
def reading_admitted(
    robot: RobotContext, caller: Caller, target: str, *, is_old: bool
) -> Iterator[None]:
    """Check whether the caller may move a target by a stream of readings, and run the block that
    sends one. The audit log has the begin of the motion, or of its refusals.
    """

    def write(outcome: Outcome) -> None:
        if outcome.refusal:
            refused = outcome.refusal
            _record_begin(robot, caller, f"move {target or 'by routes'}", refused, target)
        else:
            _record_motion(robot, caller, target)

    with watched(write):
        if not caller.identity.may_move:
            raise not_enough(caller.identity, Level.OPERATOR, "moving the robot")
        if is_old:
            raise RefusedError("old", Code.REFUSED, OLD, fix="Send a new one.")
        if problem := latch.problem(robot.newest, monotonic_s()):
            raise problem
        _check_registered(robot)
        yield


def _check_registered(robot: RobotContext) -> None:
    """Raise refused while webd's samples are dropped: an "ok" would promise a motion."""
    if not robot.samples.is_registered:
        text = "webd is not registered at the router, so nothing was moved"
        fix = "Try again in a few seconds; look at webd's log if this stays. The e-stop works."
        raise RefusedError("unregistered", Code.REFUSED, text, fix=fix)


def _record(
    robot: RobotContext, caller: Caller, act: Act, params: BaseModel, outcome: Outcome
) -> None:
    if outcome.is_logged:
        return
    row, person = act.row, caller.person
    if outcome.refusal:
        error = SaintError(Code.REFUSED, outcome.refusal)
        if not act.is_repeated or _begins(robot, caller, row.name, "refused"):
            refused = audit.refused(row, person, params, error)
            robot.record(replace(refused, daemon="webd"))
    elif act.is_repeated and isinstance(row.log, str) and row.log:
        _record_begin(robot, caller, row.log, "", row.name)
    elif act.is_motion:
        _record_motion(robot, caller, row.group)
    elif act.is_repeated:
        _record_begin(robot, caller, row.name, "", row.name)
    elif act.is_logged_here:
        robot.record(audit.done(row, person, params, outcome.reply))


def _record_motion(robot: RobotContext, caller: Caller, target: str) -> None:
    what = f"began to move {target or 'what its routes map'}"
    _record_begin(robot, caller, what, "", target)


def _record_begin(
    robot: RobotContext, caller: Caller, what: str, refused: str, target: str
) -> None:
    if _begins(robot, caller, target, "refused" if refused else "done"):
        robot.record(entry(caller.person, what, refused=refused))


def _begins(robot: RobotContext, caller: Caller, *key: str) -> bool:
    return robot.repeats.begins((caller.source, *key), monotonic_s())
