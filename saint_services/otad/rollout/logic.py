"""The rules of a roll-out: which machine is next, when a machine counts as updated, when the
roll-out halts. Pure: `step(rollout, event)` returns the next state and the update requests. `saved`
outlives a restart, so every decision rests on it and on the machines' reports. Not here: beginning,
pausing, rolling back (requests.py); what a machine's report says (readings.py).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...lib.api.firmware import (
    MachineFirmware,
    RolloutState,
    RolloutStep,
    UpdateVerdict,
)
from ..state import SavedFirmware, SavedPlan, SavedStep
from . import readings
from .readings import LONGEST_REASON

MOST_REFUSALS = 3
ASK_AGAIN_AFTER_S = 10.0

Machines = Mapping[str, MachineFirmware]


@dataclass(frozen=True, slots=True)
class RolloutLimits:
    """As configured."""

    parallel: int = 1
    machine_limit_s: float = 1800.0
    away_after_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Rollout:
    """The saved state, and what counts only in this process."""

    saved: SavedFirmware = field(default_factory=SavedFirmware)
    requested: frozenset[str] = frozenset()  # a request is on its way
    since_s: Mapping[str, float] = field(default_factory=dict)  # beginning of the step
    away_s: Mapping[str, float] = field(
        default_factory=dict
    )  # offline, or without an installer, since
    not_before_s: Mapping[str, float] = field(default_factory=dict)  # earliest next request
    cut: frozenset[str] = frozenset()  # away, or this process was, since the machine's step began

    @property
    def plan(self) -> SavedPlan | None:
        """The roll-out that runs, or ran last."""
        return self.saved.plan


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """Have a machine install a release, or roll back to its other slot."""

    node_id: str
    version: str
    is_rollback: bool
    is_forced: bool


@dataclass(frozen=True, slots=True)
class Advanced:
    """Machines reported, or time passed."""

    machines: Machines
    now_s: float
    limits: RolloutLimits
    clock_s: float  # since 1970
    is_closed: bool  # no machine may update without a user's request


@dataclass(frozen=True, slots=True)
class Requested:
    """A user requests a change of the roll-out (requests.py); the change raises a refusal."""

    change: Callable[[Rollout], Rollout]


@dataclass(frozen=True, slots=True)
class MachineAnswered:
    """A machine accepted or refused a request to update."""

    node_id: str
    is_accepted: bool
    message: str
    now_s: float


@dataclass(frozen=True, slots=True)
class MachineSilent:
    """A machine did not answer a request to update in time."""

    node_id: str
    now_s: float


Event = Advanced | Requested | MachineAnswered | MachineSilent


def step(rollout: Rollout, event: Event) -> tuple[Rollout, tuple[UpdateRequest, ...]]:
    """Return the next state of the roll-out and the machines to request an update of."""
    match event:
        case Advanced(machines, now_s, limits, clock_s, is_closed):
            after, update_requests = advance(rollout, machines, now_s, limits, is_closed=is_closed)
            return _dated(rollout, after, clock_s), update_requests
        case Requested(change):
            return change(rollout), ()
        case MachineAnswered(node_id, is_accepted, message, now_s):
            return answered(rollout, node_id, is_accepted, message, now_s), ()
        case MachineSilent(node_id, now_s):
            return unanswered(rollout, node_id, now_s), ()


def advance(
    rollout: Rollout,
    machines: Machines,
    now_s: float,
    limits: RolloutLimits,
    *,
    is_closed: bool = False,
) -> tuple[Rollout, tuple[UpdateRequest, ...]]:
    """Judge all machines; begin with the next ones, unless an automatic roll-out must wait."""
    if rollout.plan is None:
        return rollout, ()
    rollout = _watch_absence(rollout, machines, now_s)
    rollout = _judge_all(rollout, machines, now_s, limits)
    if _state(rollout) is not RolloutState.RUNNING:
        return rollout, ()
    update_requests: list[UpdateRequest] = []
    if rollout.plan and rollout.plan.is_automatic and is_closed:
        return _finish(rollout), ()
    while (request := _next(rollout, machines, now_s, limits)) is not None:
        rollout = _begin(rollout, machines, request, now_s)
        update_requests.append(request)
    return _finish(rollout), tuple(update_requests)


def _dated(before: Rollout, after: Rollout, clock_s: float) -> Rollout:
    """Note when a roll-out was done."""
    if _state(after) is not RolloutState.DONE or _state(before) is RolloutState.DONE:
        return after
    return replace(after, saved=after.saved.model_copy(update={"updated_s": clock_s}))


def answered(
    rollout: Rollout, node_id: str, is_agreed: bool, message: str, now_s: float
) -> Rollout:
    """Apply a machine's answer to an update request."""
    step = find(rollout, node_id)
    rollout = replace(rollout, requested=rollout.requested - {node_id})
    if step is None or step.step is not RolloutStep.UPDATING or step.is_accepted:
        return rollout
    if is_agreed:
        return _changed(rollout, node_id, is_accepted=True)
    return _refused(_later(rollout, node_id, now_s), step, message)


def unanswered(rollout: Rollout, node_id: str, now_s: float) -> Rollout:
    """Apply a timeout. The machine may have begun all the same: its reports of the next seconds
    count."""
    return _later(replace(rollout, requested=rollout.requested - {node_id}), node_id, now_s)


def _later(rollout: Rollout, node_id: str, now_s: float) -> Rollout:
    times = {**rollout.not_before_s, node_id: now_s + ASK_AGAIN_AFTER_S}
    return replace(rollout, not_before_s=times)


def _refused(rollout: Rollout, step: SavedStep, message: str) -> Rollout:
    text = message[:LONGEST_REASON] or "the machine gave no reason"
    if step.refusals + 1 >= MOST_REFUSALS:
        return _fail(rollout, step.node_id, text)
    return _changed(
        rollout, step.node_id, step=RolloutStep.WAITING, reason=text, refusals=step.refusals + 1
    )


def find(rollout: Rollout, node_id: str) -> SavedStep | None:
    """Return a machine's step."""
    steps = rollout.plan.steps if rollout.plan else ()
    return next((step for step in steps if step.node_id == node_id), None)


def _watch_absence(rollout: Rollout, machines: Machines, now_s: float) -> Rollout:
    steps = rollout.plan.steps if rollout.plan else ()
    away = [s.node_id for s in steps if not _is_reachable(machines, s.node_id)]
    known = {node_id: rollout.away_s.get(node_id, now_s) for node_id in away}
    return rollout if known == rollout.away_s else replace(rollout, away_s=known)


def _is_reachable(machines: Machines, node_id: str) -> bool:
    """Whether the machine can accept a request. A late installer counts like a short absence."""
    machine = machines.get(node_id)
    return machine is not None and machine.is_online and not machine.takes_none


def _judge_all(
    rollout: Rollout, machines: Machines, now_s: float, limits: RolloutLimits
) -> Rollout:
    for step in rollout.plan.steps if rollout.plan else ():
        machine = machines.get(step.node_id)
        if step.step is RolloutStep.UPDATING:
            rollout = _judge_updating(rollout, step, machine, now_s, limits)
            step = find(rollout, step.node_id) or step
        if step.step in (RolloutStep.WAITING, RolloutStep.SKIPPED):
            rollout = _judge_waiting(rollout, step, machine, now_s, limits)
        elif step.step is RolloutStep.HEALTHY and machine is not None:
            rollout = _judge_healthy(rollout, step, machine)
    return rollout


def _judge_healthy(rollout: Rollout, step: SavedStep, machine: MachineFirmware) -> Rollout:
    """In the hour after its trial a machine may still reject the release. That halts the roll-out
    like a failed trial; one that was done is so no longer, and its release is not offered."""
    plan, saved = rollout.plan, rollout.saved
    if plan is None or plan.is_rollback or not readings.has_rejected(machine, plan.version):
        return rollout
    if plan.state is RolloutState.DONE:
        if saved.current == plan.version:
            offer = {"current": saved.previous, "previous": ""}
            rollout = replace(rollout, saved=saved.model_copy(update=offer))
        rollout = with_plan(rollout, state=RolloutState.RUNNING)
    return _fail(rollout, step.node_id, machine.reason or "the machine led the release back")


def _judge_updating(
    rollout: Rollout,
    step: SavedStep,
    machine: MachineFirmware | None,
    now_s: float,
    limits: RolloutLimits,
) -> Rollout:
    """A restarting machine looks offline, and after a start its installer may be late: only time
    ends that. Nor may one that is online update without limit; live outputs may delay its restart.
    """
    node_id = step.node_id
    is_there = machine is not None and machine.is_online and not readings.is_unread(machine)
    there = machine if is_there else None
    # Not known: this process has restarted meanwhile.
    is_first = node_id not in rollout.since_s
    if is_first or (there and readings.waits_for_driver(there)):
        rollout = replace(rollout, since_s={**rollout.since_s, node_id: now_s})
    if is_first or there is None:
        rollout = replace(rollout, cut=rollout.cut | {node_id})
    if there and readings.is_busy(there):
        rollout = _changed(rollout, node_id, is_accepted=True, has_begun=True)
    elif there:
        is_open = node_id in rollout.requested or now_s < rollout.not_before_s.get(node_id, now_s)
        if step.is_leftover and is_open:
            return rollout  # it may still begin with the request before
        if step.has_begun or readings.mark(there) != step.before or _is_well(rollout, there):
            return _close(rollout, step, there)
        if not step.is_accepted and not is_open:
            return _refused(rollout, step, "the machine did not answer")
    if now_s - rollout.since_s[node_id] <= limits.machine_limit_s:
        return rollout
    return _fail(
        rollout, node_id, f"{readings.overdue(machine)} after {limits.machine_limit_s:g} s"
    )


def _is_well(rollout: Rollout, machine: MachineFirmware) -> bool:
    return rollout.plan is not None and readings.is_well(machine, rollout.plan.version)


def _close(rollout: Rollout, step: SavedStep, machine: MachineFirmware) -> Rollout:
    """Close the step of a machine that is idle again: it runs the release and is healthy, or its
    outputs went live before it began, or its power was cut, or the plan has failed there."""
    if step.is_leftover:
        return _changed(rollout, step.node_id, step=RolloutStep.WAITING, is_leftover=False)
    if _is_well(rollout, machine):
        return _changed(rollout, step.node_id, step=RolloutStep.HEALTHY, reason="")
    if machine.verdict is UpdateVerdict.REFUSED and machine.blocked_by:
        # Its outputs went live since it accepted; nothing was written: wait as for any other.
        return _changed(rollout, step.node_id, step=RolloutStep.WAITING, reason=machine.blocked_by)
    reported = machine.reason or machine.verdict.value.replace("_", " ")
    if machine.verdict is UpdateVerdict.FAILED and step.node_id in rollout.cut:
        # Robots have power switches; the running slot was not touched.
        return _refused(rollout, step, reported)
    return _fail(
        rollout, step.node_id, reported or f"the machine runs {machine.version} and gives no reason"
    )


def _judge_waiting(
    rollout: Rollout,
    step: SavedStep,
    machine: MachineFirmware | None,
    now_s: float,
    limits: RolloutLimits,
) -> Rollout:
    plan, node_id = rollout.plan, step.node_id
    if plan is None:
        return rollout
    if machine is not None and machine.unfit and machine.version != plan.version:
        unfit = machine.unfit[:LONGEST_REASON]
        return _changed(rollout, node_id, step=RolloutStep.SKIPPED, reason=unfit)
    if machine is not None and machine.is_online:
        if machine.version == plan.version and not readings.is_busy(machine):
            return _changed(
                rollout, node_id, step=RolloutStep.HEALTHY, reason="already runs this release"
            )
        if (
            readings.is_busy(machine)
            and machine.target_version == plan.version
            and not plan.is_rollback
        ):
            rollout = replace(rollout, since_s={**rollout.since_s, node_id: now_s})
            return _changed(
                rollout,
                node_id,
                step=RolloutStep.UPDATING,
                is_accepted=True,
                has_begun=True,
                reason="",
            )
        if not machine.takes_none:
            if step.step is RolloutStep.SKIPPED and plan.state is RolloutState.RUNNING:
                return _changed(rollout, node_id, step=RolloutStep.WAITING, reason="")
            return rollout
    is_gone = now_s - rollout.away_s.get(node_id, now_s) > limits.away_after_s
    if step.step is RolloutStep.WAITING and plan.state is RolloutState.RUNNING and is_gone:
        return _changed(
            rollout, node_id, step=RolloutStep.SKIPPED, reason=readings.left_out(machine)
        )
    return rollout


def _next(
    rollout: Rollout, machines: Machines, now_s: float, limits: RolloutLimits
) -> UpdateRequest | None:
    """Return the request for the next machine, if there is one."""
    plan = rollout.plan
    if plan is None or plan.state is not RolloutState.RUNNING:
        return None
    busy = {node_id for node_id, machine in machines.items() if readings.is_busy(machine)}
    busy |= {
        step.node_id for step in plan.steps if step.step is RolloutStep.UPDATING
    } | rollout.requested
    if len(busy) >= _allowed(plan, limits):
        return None
    for step in _candidates(plan):
        machine = machines.get(step.node_id)
        if machine is None or not machine.is_online or machine.blocked_by:
            continue
        if step.node_id in busy:
            continue
        if now_s < rollout.not_before_s.get(step.node_id, now_s):
            continue
        if step.node_id == plan.server and busy:
            continue  # the server serves the bundles that the others read
        is_back = plan.is_rollback and machine.spare_version == plan.version
        is_forced = plan.is_forced or plan.is_rollback
        return UpdateRequest(step.node_id, plan.version, is_back, is_forced)
    return None


def _allowed(plan: SavedPlan, limits: RolloutLimits) -> int:
    """Return how many machines may update at once: one until a node is healthy with the release."""
    is_shown = plan.is_rollback or any(
        s.step is RolloutStep.HEALTHY and s.is_accepted and s.node_id != plan.server
        for s in plan.steps
    )
    return limits.parallel if is_shown else 1


def _candidates(plan: SavedPlan) -> Iterator[SavedStep]:
    """Return the waiting machines in their order; empty while another one goes first."""
    waiting = [step for step in plan.steps if step.step is RolloutStep.WAITING]
    open_nodes = [
        s
        for s in plan.steps
        if s.node_id != plan.server and s.step in (RolloutStep.WAITING, RolloutStep.UPDATING)
    ]
    server = next((step for step in plan.steps if step.node_id == plan.server), None)
    is_server_open = server is not None and server.step in (
        RolloutStep.WAITING,
        RolloutStep.UPDATING,
    )
    if is_server_open and not plan.is_server_last:
        return (step for step in waiting if step.node_id == plan.server)
    if plan.canary and any(step.node_id == plan.canary for step in open_nodes):
        return (step for step in waiting if step.node_id == plan.canary)
    if open_nodes:
        return (step for step in waiting if step.node_id != plan.server)
    return iter(waiting)


def _begin(rollout: Rollout, machines: Machines, request: UpdateRequest, now_s: float) -> Rollout:
    node_id = request.node_id
    rollout = replace(
        rollout,
        requested=rollout.requested | {node_id},
        since_s={**rollout.since_s, node_id: now_s},
        cut=rollout.cut - {node_id},
    )
    return _changed(
        rollout, node_id, step=RolloutStep.UPDATING, reason="", is_accepted=False, has_begun=False,
        before=readings.mark(machines[node_id]),
    )  # fmt: skip


def _fail(rollout: Rollout, node_id: str, reason: str) -> Rollout:
    """Halt the roll-out at the first machine that is not healthy. A rollback is never halted: the
    other machines should not stay with the rejected release."""
    rollout = _changed(rollout, node_id, step=RolloutStep.FAILED, reason=reason[:LONGEST_REASON])
    plan = rollout.plan
    if (
        plan is None
        or plan.is_rollback
        or plan.state not in (RolloutState.RUNNING, RolloutState.PAUSED)
    ):
        return rollout
    halted = f"{node_id}: {reason}"[:LONGEST_REASON]
    return with_plan(rollout, state=RolloutState.HALTED, reason=halted)


def _finish(rollout: Rollout) -> Rollout:
    """End a plan whose machines are all done: its release is now offered to booting nodes."""
    plan = rollout.plan
    if plan is None or plan.state is not RolloutState.RUNNING:
        return rollout
    if any(step.step in (RolloutStep.WAITING, RolloutStep.UPDATING) for step in plan.steps):
        return rollout
    if failed := [step.node_id for step in plan.steps if step.step is RolloutStep.FAILED]:
        reason = f"{', '.join(failed)} did not roll back"[:LONGEST_REASON]
        return with_plan(rollout, state=RolloutState.HALTED, reason=reason)
    if not any(step.step is RolloutStep.HEALTHY for step in plan.steps):
        reason = "; ".join(
            dict.fromkeys(f"{s.node_id}: {s.reason}" for s in plan.steps if s.reason)
        )
        text = f"no machine could be updated: {reason}"[:LONGEST_REASON]
        return with_plan(rollout, state=RolloutState.HALTED, reason=text)
    rollout = with_plan(rollout, state=RolloutState.DONE, reason="")
    if plan.is_partial or plan.version == rollout.saved.current:
        return rollout
    saved = rollout.saved
    return replace(
        rollout,
        saved=saved.model_copy(update={"current": plan.version, "previous": saved.current}),
    )


def _state(rollout: Rollout) -> RolloutState | None:
    return rollout.plan.state if rollout.plan else None


def with_plan(rollout: Rollout, **changes: object) -> Rollout:
    """Return the roll-out with a changed plan."""
    if rollout.plan is None:
        return rollout
    plan = rollout.plan.model_copy(update=changes)
    return replace(rollout, saved=rollout.saved.model_copy(update={"plan": plan}))


def _changed(rollout: Rollout, node_id: str, **changes: object) -> Rollout:
    if rollout.plan is None:
        return rollout
    steps = tuple(
        step.model_copy(update=changes) if step.node_id == node_id else step
        for step in rollout.plan.steps
    )
    return with_plan(rollout, steps=steps)
