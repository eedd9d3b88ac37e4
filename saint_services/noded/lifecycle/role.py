"""The state machine of a role on this node. Pure: `step(life, event)` returns the next state and
the actions in their order. Not here: several roles on one node (node.py), carrying actions out.
"""

from dataclasses import replace

from ...lib.api.adoption import NodeState
from ...lib.api.node import RoleReport
from ...lib.generated.roles import ROLES as ROLES
from .model import (
    Action,
    AdoptRequested,
    Announce,
    AnswerRequest,
    Assignment,
    ConfigArrived,
    ConfigChecked,
    ConfigFailed,
    Event,
    FetchConfig,
    ForgetRole,
    Forgotten,
    MadeSafe,
    MakeSafe,
    ResetRequested,
    RoleBroken,
    RoleKilled,
    RoleLifecycle,
    RoleLoaded,
    RoleReported,
    ServerChanged,
    StartRole,
    StopRole,
    StoreResult,
    StoreRole,
    UpdateBegan,
    UpdateEnded,
)

Outcome = tuple[RoleLifecycle, tuple[Action, ...]]

RECONNECT_FIRST_S = 0.05
RECONNECT_LONGEST_S = 2.0
REFETCH_FIRST_S = 0.5
NOBODY = 0  # a request without a reply: a person held the button
REFETCH_LONGEST_S = 5.0


def step(life: RoleLifecycle, event: Event) -> Outcome:
    """Return the next state and the actions, in their order."""
    match event:
        case RoleLoaded():
            return _started(life, event)
        case AdoptRequested():
            return _adopt_requested(life, event)
        case ResetRequested():
            return _reset_requested(life, event)
        case ConfigArrived() if event.attempt == life.attempt:
            return _config_arrived(life, event.assignment)
        case ConfigFailed() if event.attempt == life.attempt:
            return _config_failed(life, event.reason)
        case ConfigChecked():
            return _config_checked(life, event)
        case RoleReported() if event.attempt == life.attempt:
            return _role_reported(life, event.report)
        case RoleBroken() if event.attempt == life.attempt:
            return _role_broken(life, event.reason)
        case RoleKilled() if life.role_alive:
            return replace(life, is_killed=True), ()
        case ServerChanged() if life.state is NodeState.ACTIVE and life.held:
            return _server_changed(life, life.held)
        case MadeSafe():
            return _made_safe(life, event.reason)
        case UpdateBegan() if life.request is None and life.state is not NodeState.UPDATING:
            return _update_began(life)
        case UpdateEnded() if life.state is NodeState.UPDATING:
            return resumed(replace(life, state=NodeState.BOOT))
        case StoreResult() if event.attempt == life.attempt:
            return _stored(life, event.reason)
        case Forgotten() if event.attempt == life.attempt:
            return _forgotten(life, event.reason)
    return life, ()  # late: an event of an attempt that has ended


def pause_s(failures: int, first_s: float, longest_s: float) -> float:
    """Return the pause before a retry: it doubles with every failure in a row, up to a limit."""
    doublings = min(max(failures - 1, 0), 16)
    return min(first_s * (1 << doublings), longest_s)


def _started(life: RoleLifecycle, event: RoleLoaded) -> Outcome:
    if life.is_started or life.state not in (NodeState.BOOT, NodeState.UPDATING):
        return life, ()
    wanted = event.held.wanted if event.held else event.wanted
    life = replace(life, is_started=True, held=event.held, wanted=wanted, fault=event.problem)
    if life.state is NodeState.BOOT:
        return resumed(life)
    # The server had a newer release for us: the role waits until that has ended.
    safe = (MakeSafe(event.held.config),) if event.held else ()
    return life, (*safe, Announce())


def resumed(life: RoleLifecycle) -> Outcome:
    """Start the stored role, or fetch its configuration."""
    if not life.is_started:
        return life, ()
    life = replace(life, attempt=life.attempt + 1, failures=0)
    held, wanted = life.held, life.wanted
    if held:
        life = replace(life, state=NodeState.ACTIVE)
        # A role process that died while noded did not run may have left motors running.
        return life, (MakeSafe(held.config), StartRole(life.attempt, held.config), Announce())
    if wanted:
        life = replace(life, state=NodeState.ADOPTING)
        return life, (FetchConfig(life.attempt, wanted), Announce())
    return replace(life, state=NodeState.UNADOPTED), (Announce(),)


def _update_began(life: RoleLifecycle) -> Outcome:
    """Stop the role before an update; role and configuration stay stored."""
    actions: list[Action] = [StopRole()]
    if life.config_in_use:
        actions.append(MakeSafe(life.config_in_use))
    life = replace(
        life,
        state=NodeState.UPDATING,
        attempt=life.attempt + 1,
        role_alive=False,
        candidate=None,
        is_storing=False,
        fault="",
    )
    return life, (*actions, Announce())


def _adopt_requested(life: RoleLifecycle, event: AdoptRequested) -> Outcome:
    if life.state is NodeState.ACTIVE and life.held and _refusal(life, event) is None:
        prefix = life.held.config.topic_prefix
        return life, (AnswerRequest(event.request, True, f"already {event.wanted}", prefix),)
    refusal = _refusal(life, event)
    if refusal is not None:
        return life, (AnswerRequest(event.request, False, refusal),)
    life = replace(
        life,
        state=NodeState.ADOPTING,
        attempt=life.attempt + 1,
        wanted=event.wanted,
        candidate=event.assignment,
        request=event.request,
        fault="",
        notice="",
    )
    config = event.assignment.config
    # A role process that died while this node was away may have left motors running.
    return life, (MakeSafe(config), StartRole(life.attempt, config), Announce())


def _refusal(life: RoleLifecycle, event: AdoptRequested) -> str | None:
    if event.node_id != life.node_id:
        return f"this is {life.node_id}, not {event.node_id}"
    if life.state is NodeState.ACTIVE and life.wanted != event.wanted:
        return f"{life.node_id} holds {life.wanted}; reset it first, or add {event.wanted} to it"
    if life.state not in (NodeState.UNADOPTED, NodeState.ACTIVE):
        return f"{life.node_id} is busy ({life.state.value}); try again in a moment"
    return None


def _reset_requested(life: RoleLifecycle, event: ResetRequested) -> Outcome:
    if event.node_id not in ("", life.node_id):
        return life, (AnswerRequest(event.request, False, f"this is {life.node_id}"),)
    if life.state in (NodeState.BOOT, NodeState.UPDATING):
        doing = "just starting" if life.state is NodeState.BOOT else "being updated"
        return life, (AnswerRequest(event.request, False, f"{life.node_id} is {doing}"),)
    actions: list[Action] = [StopRole()]
    if life.config_in_use:
        actions.append(MakeSafe(life.config_in_use))
    if life.request is not None:
        actions.append(AnswerRequest(life.request, False, f"{life.node_id} was reset meanwhile"))
    life = RoleLifecycle(
        life.node_id,
        is_started=True,
        attempt=life.attempt + 1,
        request=event.request,
        outputs_safe=life.outputs_safe,
    )
    forgets_server = event.factory or event.forgets_server
    forget = ForgetRole(life.attempt, event.factory, forgets_server, event.wanted)
    actions += [forget, Announce()]
    return life, tuple(actions)


def _config_arrived(life: RoleLifecycle, assignment: Assignment) -> Outcome:
    """Start the role with a configuration in place of the stored one, which was unusable."""
    if life.state is not NodeState.ADOPTING or life.candidate:
        return life, ()
    if assignment.wanted != life.wanted:
        return _config_failed(life, f"requested {life.wanted}, received {assignment.wanted}")
    life = replace(life, state=NodeState.ACTIVE, held=assignment, fault="", failures=0)
    start = StartRole(life.attempt, assignment.config)
    return life, (StoreRole(life.attempt, assignment), start, Announce())


def _config_failed(life: RoleLifecycle, reason: str) -> Outcome:
    if life.state is not NodeState.ADOPTING or life.candidate or not life.wanted:
        return life, ()
    failures = life.failures + 1
    pause = pause_s(failures, REFETCH_FIRST_S, REFETCH_LONGEST_S)
    again = FetchConfig(life.attempt, life.wanted, pause)
    return replace(life, fault=reason, failures=failures), (again, Announce())


def _adoption_failed(life: RoleLifecycle, reason: str) -> Outcome:
    actions: list[Action] = [StopRole()]
    if life.config_in_use:
        actions.append(MakeSafe(life.config_in_use))
    attempt = life.attempt + 1
    if life.is_storing:  # the write may still succeed, after this failure
        actions.append(ForgetRole(attempt, wanted=life.wanted))
    if life.request is not None:
        actions.append(AnswerRequest(life.request, False, reason))
    life = RoleLifecycle(
        life.node_id,
        NodeState.UNADOPTED,
        is_started=True,
        attempt=attempt,
        fault=reason,
        outputs_safe=life.outputs_safe,
    )
    return life, (*actions, Announce())


def _config_checked(life: RoleLifecycle, event: ConfigChecked) -> Outcome:
    if life.state is not NodeState.ACTIVE or not life.held:
        return life, ()
    newer = event.newer
    if newer is None or newer.wanted != life.wanted:
        changed = life.notice != event.notice
        return replace(life, notice=event.notice), (Announce(),) if changed else ()
    if life.role_alive and not life.outputs_safe:
        notice = f"configuration {newer.config.version} waits until the outputs are safe"
        return replace(life, notice=notice), (Announce(),)
    life = replace(
        life,
        attempt=life.attempt + 1,
        held=newer,
        role_alive=False,
        failures=0,
        notice="",
    )
    actions = (
        StopRole(),
        StoreRole(life.attempt, newer),
        StartRole(life.attempt, newer.config),
        Announce(),
    )
    return life, actions


def _role_reported(life: RoleLifecycle, report: RoleReport) -> Outcome:
    if report.reset_wanted and life.state is NodeState.ACTIVE:
        return _reset_requested(life, ResetRequested(NOBODY, "", forgets_server=True))
    # A role that has no devices says nothing about outputs that refused their safe state.
    unsafe = "" if report.ready and report.safe else life.unsafe
    after = replace(
        life,
        role_alive=report.ready,
        outputs_safe=report.safe and not unsafe,
        fault=report.reason,
        unsafe=unsafe,
        failures=0 if report.ready else life.failures,
    )
    if life.state is NodeState.ADOPTING and life.candidate:
        if not report.ready or life.is_storing:
            return after, ()
        return replace(after, is_storing=True), (StoreRole(life.attempt, life.candidate),)
    if life.state is not NodeState.ACTIVE:
        return life, ()
    return after, (Announce(),) if _is_visible_change(life, after) else ()


def _role_broken(life: RoleLifecycle, reason: str) -> Outcome:
    if life.state is NodeState.ADOPTING and life.candidate:
        return _adoption_failed(life, reason)
    if life.state is not NodeState.ACTIVE or not life.held:
        return life, ()
    config = life.held.config
    life = replace(
        life,
        attempt=life.attempt + 1,
        failures=life.failures + 1,
        fault=reason,
        restarts=life.restarts + (life.role_alive and not life.is_killed),
        is_killed=False,
        role_alive=False,
        outputs_safe=False,  # until MadeSafe
    )
    pause = pause_s(life.failures, RECONNECT_FIRST_S, RECONNECT_LONGEST_S)
    return life, (MakeSafe(config), StartRole(life.attempt, config, pause), Announce())


def _server_changed(life: RoleLifecycle, held: Assignment) -> Outcome:
    """Restart the role with the new server's key."""
    life = replace(life, attempt=life.attempt + 1, role_alive=False, failures=0)
    return life, (StopRole(), StartRole(life.attempt, held.config), Announce())


def _made_safe(life: RoleLifecycle, reason: str) -> Outcome:
    unsafe = f"the outputs could not be made safe: {reason}" if reason else ""
    return replace(life, outputs_safe=not reason, unsafe=unsafe), ()


def _stored(life: RoleLifecycle, reason: str) -> Outcome:
    if life.state is NodeState.ACTIVE and reason:
        return replace(life, notice=f"not stored: {reason}"), (Announce(),)
    if life.state is not NodeState.ADOPTING or not life.candidate:
        return life, ()
    if reason:
        return _adoption_failed(life, f"the role could not be stored: {reason}")
    config, request = life.candidate.config, life.request
    life = replace(
        life,
        state=NodeState.ACTIVE,
        held=life.candidate,
        candidate=None,
        is_storing=False,
        request=None,
    )
    if request is None:
        return life, (Announce(),)
    message = f"{life.node_id} is now {life.wanted}"
    return life, (AnswerRequest(request, True, message, config.topic_prefix), Announce())


def _forgotten(life: RoleLifecycle, reason: str) -> Outcome:
    if life.state is not NodeState.BOOT:
        return life, ()
    request = life.request
    fault = f"the role could not be removed from the disk: {reason}" if reason else life.fault
    life = replace(life, state=NodeState.UNADOPTED, request=None, fault=fault)
    if request is None:
        return life, (Announce(),)
    answer = AnswerRequest(request, not reason, fault or f"{life.node_id} is unadopted")
    return life, (answer, Announce())


def _is_visible_change(before: RoleLifecycle, after: RoleLifecycle) -> bool:
    def visible(life: RoleLifecycle) -> tuple[object, ...]:
        return life.role_alive, life.outputs_safe, life.reason

    return visible(before) != visible(after)
