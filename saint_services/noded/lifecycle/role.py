"""The life of a role on this node: which state it is in, what an event changes, what is to be done
then. Pure: `step(life, event)` returns the next life and the actions in their order.
Not here: several roles on one node (whole.py); files, the bus, the role's connection, which carry
out actions and report events.
"""

from dataclasses import replace
from typing import get_args

from ...lib.api.adoption import NodeState
from ...lib.api.node import RoleReport
from ...lib.role_config.model import RoleName
from .model import (
    Action,
    AdoptRequested,
    Announce,
    Answer,
    Assignment,
    ConfigArrived,
    ConfigChecked,
    ConfigFailed,
    Event,
    FetchConfig,
    ForgetRole,
    Forgotten,
    Life,
    MadeSafe,
    MakeSafe,
    ResetRequested,
    RoleBroken,
    RoleReported,
    ServerChanged,
    Started,
    StartRole,
    StopRole,
    Stored,
    StoreRole,
    UpdateBegan,
    UpdateEnded,
)

Outcome = tuple[Life, tuple[Action, ...]]

ROLES: tuple[str, ...] = get_args(RoleName)
RECONNECT_FIRST_S = 0.05
RECONNECT_LONGEST_S = 2.0
REFETCH_FIRST_S = 0.5
NOBODY = 0  # a request of a person at the machine: nobody waits for an answer
REFETCH_LONGEST_S = 5.0


def step(life: Life, event: Event) -> Outcome:
    """The next life and what is to be done, in this order."""
    match event:
        case Started():
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
        case ServerChanged() if life.state is NodeState.ACTIVE and life.held:
            return _server_changed(life, life.held)
        case MadeSafe():
            return _made_safe(life, event.reason)
        case UpdateBegan() if life.request is None and life.state is not NodeState.UPDATING:
            return _update_began(life)
        case UpdateEnded() if life.state is NodeState.UPDATING:
            return resumed(replace(life, state=NodeState.BOOT))
        case Stored() if event.attempt == life.attempt:
            return _stored(life, event.reason)
        case Forgotten() if event.attempt == life.attempt:
            return _forgotten(life, event.reason)
    return life, ()  # late: it belongs to an attempt that was given up


def pause_s(failures: int, first_s: float, longest_s: float) -> float:
    """Doubles with every failure in a row; the exponent is bounded like the pause."""
    doublings = min(max(failures - 1, 0), 16)
    return min(first_s * (1 << doublings), longest_s)


def _started(life: Life, event: Started) -> Outcome:
    if life.is_started or life.state not in (NodeState.BOOT, NodeState.UPDATING):
        return life, ()
    wanted = event.held.wanted if event.held else event.wanted
    life = replace(life, is_started=True, held=event.held, wanted=wanted, fault=event.problem)
    if life.state is NodeState.BOOT:
        return resumed(life)
    # The server had a newer release for us: the role waits until that has ended.
    safe = (MakeSafe(event.held.config),) if event.held else ()
    return life, (*safe, Announce())


def resumed(life: Life) -> Outcome:
    """Put to work what the disk said, or what the server said in its place."""
    if not life.is_started:
        return life, ()
    life = replace(life, attempt=life.attempt + 1, failures=0)
    held, wanted = life.held, life.wanted
    if held:
        life = replace(life, state=NodeState.ACTIVE)
        # A role process that died while we were away may have left motors running.
        return life, (MakeSafe(held.config), StartRole(life.attempt, held.config), Announce())
    if wanted:
        life = replace(life, state=NodeState.ADOPTING)
        return life, (FetchConfig(life.attempt, wanted), Announce())
    return replace(life, state=NodeState.UNADOPTED), (Announce(),)


def _update_began(life: Life) -> Outcome:
    """The role stops before the machine is disturbed; role and configuration are kept."""
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


def _adopt_requested(life: Life, event: AdoptRequested) -> Outcome:
    if life.state is NodeState.ACTIVE and life.held and _refusal(life, event) is None:
        prefix = life.held.config.topic_prefix
        return life, (Answer(event.request, True, f"already {event.wanted}", prefix),)
    refusal = _refusal(life, event)
    if refusal is not None:
        return life, (Answer(event.request, False, refusal),)
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


def _refusal(life: Life, event: AdoptRequested) -> str | None:
    if event.node_id != life.node_id:
        return f"this is {life.node_id}, not {event.node_id}"
    if life.state is NodeState.ACTIVE and life.wanted != event.wanted:
        return f"{life.node_id} holds {life.wanted}; reset it first, or add {event.wanted} to it"
    if life.state not in (NodeState.UNADOPTED, NodeState.ACTIVE):
        return f"{life.node_id} is busy ({life.state.value}); try again in a moment"
    return None


def _reset_requested(life: Life, event: ResetRequested) -> Outcome:
    if event.node_id not in ("", life.node_id):
        return life, (Answer(event.request, False, f"this is {life.node_id}"),)
    if life.state in (NodeState.BOOT, NodeState.UPDATING):
        doing = "just starting" if life.state is NodeState.BOOT else "being updated"
        return life, (Answer(event.request, False, f"{life.node_id} is {doing}"),)
    actions: list[Action] = [StopRole()]
    if life.config_in_use:
        actions.append(MakeSafe(life.config_in_use))
    if life.request is not None:
        actions.append(Answer(life.request, False, f"{life.node_id} was reset meanwhile"))
    life = Life(
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


def _config_arrived(life: Life, assignment: Assignment) -> Outcome:
    """After a power cycle with a stored configuration that was unusable."""
    if life.state is not NodeState.ADOPTING or life.candidate:
        return life, ()
    if assignment.wanted != life.wanted:
        return _config_failed(life, f"requested {life.wanted}, received {assignment.wanted}")
    life = replace(life, state=NodeState.ACTIVE, held=assignment, fault="", failures=0)
    start = StartRole(life.attempt, assignment.config)
    return life, (StoreRole(life.attempt, assignment), start, Announce())


def _config_failed(life: Life, reason: str) -> Outcome:
    if life.state is not NodeState.ADOPTING or life.candidate or not life.wanted:
        return life, ()
    failures = life.failures + 1
    pause = pause_s(failures, REFETCH_FIRST_S, REFETCH_LONGEST_S)
    again = FetchConfig(life.attempt, life.wanted, pause)
    return replace(life, fault=reason, failures=failures), (again, Announce())


def _adoption_failed(life: Life, reason: str) -> Outcome:
    actions: list[Action] = [StopRole()]
    if life.config_in_use:
        actions.append(MakeSafe(life.config_in_use))
    attempt = life.attempt + 1
    if life.is_storing:  # the write may still succeed: it must not outlive this failure
        actions.append(ForgetRole(attempt, wanted=life.wanted))
    if life.request is not None:
        actions.append(Answer(life.request, False, reason))
    life = Life(
        life.node_id,
        NodeState.UNADOPTED,
        is_started=True,
        attempt=attempt,
        fault=reason,
        outputs_safe=life.outputs_safe,
    )
    return life, (*actions, Announce())


def _config_checked(life: Life, event: ConfigChecked) -> Outcome:
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


def _role_reported(life: Life, report: RoleReport) -> Outcome:
    if report.reset_wanted and life.state is NodeState.ACTIVE:
        return _reset_requested(life, ResetRequested(NOBODY, "", forgets_server=True))
    after = replace(
        life,
        role_alive=report.ready,
        outputs_safe=report.safe,
        fault=report.reason,
        unsafe="" if report.safe else life.unsafe,
        failures=0 if report.ready else life.failures,
    )
    if life.state is NodeState.ADOPTING and life.candidate:
        if not report.ready or life.is_storing:
            return after, ()
        return replace(after, is_storing=True), (StoreRole(life.attempt, life.candidate),)
    if life.state is not NodeState.ACTIVE:
        return life, ()
    return after, (Announce(),) if _looks_different(life, after) else ()


def _role_broken(life: Life, reason: str) -> Outcome:
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
        restarts=life.restarts + life.role_alive,
        role_alive=False,
        outputs_safe=False,  # until MadeSafe
    )
    pause = pause_s(life.failures, RECONNECT_FIRST_S, RECONNECT_LONGEST_S)
    return life, (MakeSafe(config), StartRole(life.attempt, config, pause), Announce())


def _server_changed(life: Life, held: Assignment) -> Outcome:
    """The role stops, and starts with the new server's key."""
    life = replace(life, attempt=life.attempt + 1, role_alive=False, failures=0)
    return life, (StopRole(), StartRole(life.attempt, held.config), Announce())


def _made_safe(life: Life, reason: str) -> Outcome:
    unsafe = f"the outputs could not be made safe: {reason}" if reason else ""
    return replace(life, outputs_safe=not reason, unsafe=unsafe), ()


def _stored(life: Life, reason: str) -> Outcome:
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
    return life, (Answer(request, True, message, config.topic_prefix), Announce())


def _forgotten(life: Life, reason: str) -> Outcome:
    if life.state is not NodeState.BOOT:
        return life, ()
    request = life.request
    fault = f"the role could not be removed from the disk: {reason}" if reason else life.fault
    life = replace(life, state=NodeState.UNADOPTED, request=None, fault=fault)
    if request is None:
        return life, (Announce(),)
    answer = Answer(request, not reason, fault or f"{life.node_id} is unadopted")
    return life, (answer, Announce())


def _looks_different(before: Life, after: Life) -> bool:
    def visible(life: Life) -> tuple[object, ...]:
        return life.role_alive, life.outputs_safe, life.reason

    return visible(before) != visible(after)
