"""The requests of users: begin, pause, resume, cancel, roll back. Pure; each raises SaintError with
the reason when it is refused. What follows: logic.py.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...lib.api.firmware import RolloutRequest, RolloutState, RolloutStep
from ...lib.config.spelling import hint
from ...lib.errors import Code, SaintError
from ..releases.hardware import unfit
from ..releases.versions import is_newer, version_key
from ..state import SavedPlan, SavedStep
from .logic import Machines, Rollout, with_plan

_OPEN = (RolloutState.RUNNING, RolloutState.PAUSED)


@dataclass(frozen=True, slots=True)
class RolloutTargets:
    """What a request is checked against."""

    machines: Machines
    versions: Mapping[str, str]  # releases in the repository: the oldest hardware that each runs on
    server: str  # the machine that serves them; empty when otad does not update it
    is_server_last: bool


def begin(
    rollout: Rollout,
    request: RolloutRequest,
    robot: RolloutTargets,
    *,
    is_automatic: bool = False,
) -> Rollout:
    """Begin a roll-out."""
    _check_free(rollout)
    version = _wanted_version(request.version, robot)
    names = _wanted_machines(request, robot)
    _check_hardware(version, {*request.nodes, *filter(None, (request.canary,))}, robot)
    if not request.force:
        _check_no_downgrade(version, names, robot)
    for name in names if request.force else ():
        if is_newer(robot.machines[name].version, version):
            rollout = _left(rollout, robot.machines[name].version)
    if not request.nodes and not is_newer(rollout.saved.rejected, version):
        rollout = _with_rejected(rollout, "")  # the user wants it again
    is_last = robot.is_server_last if request.server_last is None else request.server_last
    server = robot.server if robot.server in names else ""
    plan = SavedPlan(
        version=version,
        is_partial=bool(request.nodes),
        is_forced=request.force,
        is_automatic=is_automatic,
        canary=request.canary,
        server=server,
        is_server_last=is_last,
        steps=_steps(_ordered(names, request.canary, server, is_last)),
    )
    return _fresh(rollout, plan)


def offer_own(rollout: Rollout, running: str, robot: RolloutTargets) -> Rollout:
    """Offer the release that the server itself runs, while no other was ever offered: the server
    shows that it works, and a fresh robot's older nodes get it."""
    if rollout.saved.current or rollout.plan or running not in robot.versions:
        return rollout
    return replace(rollout, saved=rollout.saved.model_copy(update={"current": running}))


def due_by_itself(rollout: Rollout, robot: RolloutTargets) -> str:
    """Return the release that a robot without a user's request would roll out now: the newest,
    when a machine runs an older one; empty: none. A release that had its roll-out gets no other,
    nor does one that is not newer than what a user left."""
    newest = max(robot.versions, key=version_key, default="")
    plan, rejected = rollout.plan, rollout.saved.rejected
    if rejected and not is_newer(newest, rejected):
        return ""
    if not newest or (plan and (plan.state in _OPEN or plan.version == newest)):
        return ""
    if plan and is_newer(plan.version, newest):
        return ""  # a newer one was rolled out, and removed since
    online = [machine for machine in robot.machines.values() if machine.is_online]
    is_behind = any(is_newer(newest, machine.version) for machine in online)
    is_ahead = any(is_newer(machine.version, newest) for machine in online)
    return newest if is_behind and not is_ahead else ""


def pause(rollout: Rollout) -> Rollout:
    """Begin with no further machine; one that is updating continues."""
    _expect(rollout, (RolloutState.RUNNING,), "runs")
    return with_plan(rollout, state=RolloutState.PAUSED)


def resume(rollout: Rollout) -> Rollout:
    """Continue. After a halt the failed machines are tried again, since a user requests it; for the
    same reason an automatic roll-out is bound by no limits any more."""
    plan = _expect(rollout, (RolloutState.PAUSED, RolloutState.HALTED), "is paused or halted")
    steps = tuple(
        SavedStep(node_id=step.node_id) if step.step is RolloutStep.FAILED else step
        for step in plan.steps
    )
    rollout = replace(rollout, not_before_s={}, away_s={})
    return with_plan(
        rollout, state=RolloutState.RUNNING, is_automatic=False, reason="", steps=steps
    )


def cancel(rollout: Rollout) -> Rollout:
    """End the roll-out; updated machines stay updated."""
    _expect(rollout, (*_OPEN, RolloutState.HALTED), "is open")
    return with_plan(rollout, state=RolloutState.CANCELLED)


def roll_back(rollout: Rollout, robot: RolloutTargets) -> Rollout:
    """Roll all machines that got the last release back to the one before, the server in its turn.
    Nodes that boot meanwhile are not offered the rejected release."""
    plan = rollout.plan
    if plan is None or plan.is_rollback:
        raise SaintError(Code.CONFLICT, "there is no roll-out to roll back")
    touched = [
        step.node_id
        for step in plan.steps
        if step.step is RolloutStep.UPDATING or _runs(robot, step.node_id, plan.version)
    ]
    if not touched:
        raise SaintError(Code.CONFLICT, f"no machine runs {plan.version}")
    version = _version_before(rollout, plan, touched, robot)
    at_work = {step.node_id for step in plan.steps if step.step is RolloutStep.UPDATING}
    back = SavedPlan(
        version=version,
        is_rollback=True,
        is_partial=plan.is_partial,
        is_forced=True,
        server=plan.server if plan.server in touched else "",
        is_server_last=plan.is_server_last,
        steps=tuple(_rollback_step(node_id, node_id in at_work) for node_id in touched),
    )
    saved = rollout.saved
    if saved.current == plan.version and not plan.is_partial:
        current = version if version in robot.versions else ""
        saved = saved.model_copy(update={"current": current, "previous": ""})
    return _fresh(_left(replace(rollout, saved=saved), plan.version), back)


def _left(rollout: Rollout, version: str) -> Rollout:
    """Note a release that no machine gets again without a user's request."""
    is_newest = is_newer(version, rollout.saved.rejected)
    return _with_rejected(rollout, version) if is_newest else rollout


def _with_rejected(rollout: Rollout, version: str) -> Rollout:
    return replace(rollout, saved=rollout.saved.model_copy(update={"rejected": version}))


def _rollback_step(node_id: str, is_at_work: bool) -> SavedStep:
    """Return a step; a machine that is updating finishes first."""
    if not is_at_work:
        return SavedStep(node_id=node_id)
    return SavedStep(
        node_id=node_id,
        step=RolloutStep.UPDATING,
        is_accepted=True,
        has_begun=True,
        is_leftover=True,
    )


def _check_free(rollout: Rollout) -> None:
    plan = rollout.plan
    if plan is None:
        return
    if plan.state in _OPEN:
        message = f"the roll-out of {plan.version} is {plan.state.value}"
        raise SaintError(Code.CONFLICT, message, fix="Wait for its end, or cancel it first.")
    for step in plan.steps:
        if step.step is RolloutStep.UPDATING:
            message = f"{step.node_id} is still updating to {plan.version}"
            raise SaintError(Code.CONFLICT, message, fix="Wait until that machine is done.")


def _wanted_version(version: str, robot: RolloutTargets) -> str:
    if not robot.versions:
        raise SaintError(Code.NOT_FOUND, "there is no release yet", fix="Upload one first.")
    if not version:
        return max(robot.versions, key=version_key)
    if version not in robot.versions:
        known = ", ".join(sorted(robot.versions, key=version_key, reverse=True))
        raise SaintError(Code.NOT_FOUND, f"there is no release {version[:40]!r}; known: {known}")
    return version


def _wanted_machines(request: RolloutRequest, robot: RolloutTargets) -> list[str]:
    for name in (*request.nodes, *filter(None, (request.canary,))):
        if name not in robot.machines:
            near = hint(name, robot.machines)
            raise SaintError(Code.NOT_FOUND, f"machine {name[:64]!r} is not known{near}")
    names = sorted(set(request.nodes) or robot.machines)
    if request.canary and request.canary not in names:
        raise SaintError(Code.REQUEST_INVALID, f"{request.canary} is not among the named machines")
    if request.canary and request.canary == robot.server:
        message = f"{request.canary} is the server; a node goes first"
        raise SaintError(Code.REQUEST_INVALID, message)
    online = [name for name in names if robot.machines[name].is_online]
    if not online:
        raise SaintError(Code.REFUSED, "none of these machines is online")
    if request.canary and request.canary not in online:
        raise SaintError(Code.REFUSED, f"{request.canary}, which should go first, is offline")
    return names


def _check_hardware(version: str, named: set[str], robot: RolloutTargets) -> None:
    """Refuse a machine that was named and must not get the release; of all, it is skipped."""
    minimum = robot.versions[version]
    for name in sorted(named):
        if reason := unfit(version, minimum, robot.machines[name].hardware_rev):
            raise SaintError(Code.REFUSED, f"{name}: {reason}")


def _check_no_downgrade(version: str, names: list[str], robot: RolloutTargets) -> None:
    for name in names:
        machine = robot.machines[name]
        if machine.is_online and is_newer(machine.version, version):
            raise SaintError(
                Code.REFUSED,
                f"{version} is older than {machine.version}, which {name} runs",
                fix="Use force to install the older release.",
            )


def _ordered(names: list[str], canary: str, server: str, is_server_last: bool) -> list[str]:
    nodes = [name for name in names if name not in (canary, server)]
    first = [canary] if canary and canary != server else []
    own = [server] if server else []
    return [*first, *nodes, *own] if is_server_last else [*own, *first, *nodes]


def _steps(names: list[str]) -> tuple[SavedStep, ...]:
    return tuple(SavedStep(node_id=name) for name in names)


def _fresh(rollout: Rollout, plan: SavedPlan) -> Rollout:
    """Return a roll-out with this plan; requests of the one before may still be on their way."""
    return Rollout(
        saved=rollout.saved.model_copy(update={"plan": plan}), requested=rollout.requested
    )


def _expect(rollout: Rollout, states: tuple[RolloutState, ...], what: str) -> SavedPlan:
    plan = rollout.plan
    if plan is None or plan.state not in states:
        now = f"the last one is {plan.state.value}" if plan else "there was none yet"
        raise SaintError(Code.CONFLICT, f"no roll-out {what}; {now}")
    return plan


def _runs(robot: RolloutTargets, node_id: str, version: str) -> bool:
    machine = robot.machines.get(node_id)
    return machine is not None and machine.version == version


def _version_before(
    rollout: Rollout, plan: SavedPlan, touched: list[str], robot: RolloutTargets
) -> str:
    """Return the release that was offered before, else the one that most machines have in their
    other slot."""
    saved = rollout.saved
    before = saved.previous if saved.current == plan.version else saved.current
    if before and before != plan.version:
        return before
    spares = Counter(
        spare
        for node_id in touched
        if (machine := robot.machines.get(node_id)) is not None
        and (spare := machine.spare_version)
        and spare != plan.version
    )
    if not spares:
        raise SaintError(Code.REFUSED, "no machine has an older release to roll back to")
    return spares.most_common(1)[0][0]
