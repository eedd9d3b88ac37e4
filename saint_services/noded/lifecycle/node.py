"""The state machine of a node with several roles: passes events to the role that they are for, and
resolves conflicts between roles. Each role has its own state machine (role.py) in a slot; a node
without a role has one too. Pure: `step(node, event, slot)` returns the node and the actions, each
with its slot. Not here: the transitions of one role, carrying actions out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from ...lib.api.adoption import NodeState
from ...lib.role_config.model import RoleConfig
from ...lib.role_config.resources import conflict
from . import role as logic
from .model import (
    Action,
    AdoptRequested,
    Announce,
    AnswerRequest,
    Assignment,
    ConfigArrived,
    ConfigChecked,
    ConfigFailed,
    ConfigsChecked,
    Event,
    FetchRoles,
    MadeSafe,
    MakeSafe,
    ResetRequested,
    RoleId,
    RoleLifecycle,
    RoleReported,
    RolesArrived,
    RolesFailed,
    RolesLoaded,
    ServerChanged,
    StartRole,
    StopRole,
    StoreRole,
    StoreRoles,
    UpdateBegan,
    UpdateEnded,
)

# A whole robot: head, two arms, tracks, console. Not more, so that a release which knows one
# process per role can still read the file of the further roles (state.py).
MOST_ROLES = 5
_SEARCH = (
    "the list of its roles is lost on the disk and is requested from its server; what they drive "
    "moves nothing until the answer"
)
_NONE_KNOWN = "its server knows no role of it; adopt it again"
Outcome = tuple["NodeLifecycle", tuple[tuple[int, Action], ...]]


@dataclass(frozen=True, slots=True)
class NodeLifecycle:
    """A node and its roles. Older releases know the role in the first slot alone."""

    node_id: str
    lives: Mapping[int, RoleLifecycle]  # by slot; at least one
    next_slot: int = 1
    pwm_channels: Mapping[int, int] = field(default_factory=dict)  # of its board
    search: str = ""  # why its roles are requested from its server; empty: they are not

    @property
    def first(self) -> RoleLifecycle:
        """The oldest role, or the life cycle without one."""
        return next(iter(self.lives.values()))

    @property
    def roles(self) -> tuple[RoleLifecycle, ...]:
        """The life cycles that have a role."""
        return tuple(life for life in self.lives.values() if life.wanted)

    @property
    def state(self) -> NodeState:
        """ACTIVE while any role is, whatever the others do."""
        states = [life.state for life in self.lives.values()]
        if NodeState.ACTIVE in states:
            return NodeState.ACTIVE
        is_waiting = self.is_lost and states[0] is NodeState.UNADOPTED
        return NodeState.ADOPTING if is_waiting else states[0]

    @property
    def is_lost(self) -> bool:
        """True when the node may hold roles that only its server knows."""
        return bool(self.search)

    @property
    def held(self) -> tuple[Assignment, ...]:
        """The stored assignments."""
        return tuple(life.held for life in self.lives.values() if life.held)

    @property
    def configs_in_use(self) -> tuple[RoleConfig, ...]:
        """The configurations that role processes have, or may still have."""
        configs = (life.config_in_use for life in self.lives.values())
        return tuple(config for config in configs if config)

    @property
    def title(self) -> str:
        """The names of its roles, for people."""
        return " and ".join(str(life.wanted) for life in self.roles)

    @property
    def is_started(self) -> bool:
        """True once the disk was read."""
        return self.first.is_started

    @property
    def is_adopted(self) -> bool:
        """True while a role is stored."""
        return any(life.is_adopted for life in self.lives.values())

    @property
    def is_changing(self) -> bool:
        """True while an adoption or a reset waits for its outcome."""
        return any(life.request is not None for life in self.lives.values())

    @property
    def is_any_alive(self) -> bool:
        """True while a role process works on its devices."""
        return any(life.role_alive for life in self.lives.values())

    @property
    def outputs_safe(self) -> bool:
        """True when the outputs of every role are safe."""
        return all(life.outputs_safe for life in self.lives.values())

    @property
    def restarts(self) -> int:
        """The restarts of all role processes."""
        return sum(life.restarts for life in self.lives.values())

    @property
    def reason(self) -> str:
        """Why the node does not work; with several roles each reason names its role."""
        ill = [life for life in self.lives.values() if life.reason]
        if len(self.lives) == 1:
            texts = [self.first.reason]
        else:
            texts = [f"{life.wanted}: {life.reason}" for life in ill]
        return "; ".join(text for text in (*texts, self.search) if text)


def fresh(node_id: str, pwm_channels: Mapping[int, int] | None = None) -> NodeLifecycle:
    """Return a node of which only the board is known."""
    return NodeLifecycle(node_id, {0: RoleLifecycle(node_id)}, pwm_channels=pwm_channels or {})


def step(node: NodeLifecycle, event: Event, slot: int = 0) -> Outcome:
    """Return the next node and the actions, in their order. `slot` is the role of an event that
    concerns one role.
    """
    match event:
        case RolesLoaded():
            return _disk_read(node, event)
        case AdoptRequested():
            return _adopt_requested(node, event)
        case ResetRequested():
            return _reset_requested(node, event)
        case RolesArrived() if node.is_lost:
            return _roles_arrived(node, event)
        case RolesFailed() if node.is_lost:
            return _roles_failed(node, event)
        case ConfigsChecked():
            return _configs_checked(node, event)
        case ServerChanged():
            return _for_all(replace(node, search=""), event)
        case UpdateBegan() if node.is_changing:
            return node, ()
        case UpdateBegan() | UpdateEnded():
            return _for_all(node, event)
        case _ if slot in node.lives:
            return _for_one(node, event, slot)
        case MadeSafe() if event.reason:  # of a role that is gone: the node reports it
            return _for_one(node, event, next(iter(node.lives)))
    return node, ()  # late: that role is gone


def _disk_read(node: NodeLifecycle, event: RolesLoaded) -> Outcome:
    if node.is_started:
        return node, ()
    lives: dict[int, RoleLifecycle] = {}
    actions: list[tuple[int, Action]] = []
    for slot, started in enumerate(event.roles):
        life, todo = logic.step(node.first, started)
        lives[slot] = replace(life, process=_free_process(lives.values(), life.wanted))
        actions += [(slot, action) for action in todo]
    node = replace(node, lives=lives, next_slot=len(lives))
    if event.is_incomplete:
        node = replace(node, search=_SEARCH)
        actions.append((0, FetchRoles()))
    return node, _announced_once(actions)


def _roles_arrived(node: NodeLifecycle, event: RolesArrived) -> Outcome:
    """Add the roles that the server names and this node does not have, each like one whose stored
    configuration is unusable. During an adoption or an update the request is repeated later."""
    busy = (NodeState.BOOT, NodeState.UPDATING)
    if node.is_changing or any(life.state in busy for life in node.lives.values()):
        return node, ((0, FetchRoles(logic.REFETCH_LONGEST_S)),)
    held = {life.wanted for life in node.roles}
    missing = [w for w in event.roles if w not in held and w.role in logic.ROLES]
    missing = list(dict.fromkeys(missing))[: MOST_ROLES - len(held)]
    node = replace(node, search="")
    actions: list[tuple[int, Action]] = [(0, Announce())]
    for wanted in missing:
        slot, node = _slot_for(node)
        process = _free_process(node.lives.values(), wanted)
        life, todo = logic.resumed(replace(node.lives[slot], wanted=wanted, process=process))
        node = replace(node, lives={**node.lives, slot: life})
        actions += [(slot, action) for action in todo]
    if not node.roles:
        text = "; ".join(each for each in (node.first.fault, _NONE_KNOWN) if each)
        first = next(iter(node.lives))
        node = replace(node, lives={first: replace(node.first, fault=text)})
    return node, _announced_once(actions)


def _slot_for(node: NodeLifecycle) -> tuple[int, NodeLifecycle]:
    """Return the slot for another role: that of the life cycle without one, else a new slot."""
    if node.first.wanted is None:
        return next(iter(node.lives)), node
    slot = node.next_slot
    free = RoleLifecycle(node.node_id, NodeState.UNADOPTED, is_started=True)
    return slot, replace(node, lives={**node.lives, slot: free}, next_slot=slot + 1)


def _roles_failed(node: NodeLifecycle, event: RolesFailed) -> Outcome:
    pause_s = min(max(2 * event.pause_s, logic.REFETCH_FIRST_S), logic.REFETCH_LONGEST_S)
    node = replace(node, search=f"{_SEARCH}: {event.reason}")
    return node, ((0, FetchRoles(pause_s)), (0, Announce()))


def _for_all(node: NodeLifecycle, event: Event) -> Outcome:
    lives, actions = {}, []
    for slot, life in node.lives.items():
        lives[slot], todo = logic.step(life, event)
        actions += [(slot, action) for action in todo]
    return replace(node, lives=lives), _announced_once(actions)


def _for_one(node: NodeLifecycle, event: Event, slot: int) -> Outcome:
    life = node.lives[slot]
    if _is_button(event, life):
        return _reset_requested(node, ResetRequested(logic.NOBODY, "", forgets_server=True))
    life, actions = logic.step(life, _allowed(node, event, slot))
    lives = {**node.lives, slot: life}
    if len(lives) > 1 and life.state is NodeState.UNADOPTED:
        del lives[slot]  # its adoption failed, or it was reset; the others go on
    return replace(node, lives=lives), tuple((slot, action) for action in actions)


def _configs_checked(node: NodeLifecycle, event: ConfigsChecked) -> Outcome:
    """Apply the newer configurations of a robot's change together: one robot, never a part of one.
    They wait until the outputs of all roles that change are safe.
    """
    newer = {slot: each.newer for slot, each in event.found if each.newer and slot in node.lives}
    waits = _unmet(node, newer)
    lives, actions = dict(node.lives), list[tuple[int, Action]]()
    for slot, checked in event.found:
        if slot not in lives:
            continue
        if slot in newer and waits:
            version = newer[slot].config.version
            checked = ConfigChecked(notice=f"configuration {version} {waits}")
        lives[slot], todo = logic.step(lives[slot], checked)
        actions += [(slot, action) for action in todo]
    return replace(node, lives=lives), _together(actions)


def _unmet(node: NodeLifecycle, newer: Mapping[int, Assignment]) -> str:
    """Return what keeps newer configurations from being applied; empty when nothing does."""
    configs: list[RoleConfig] = []
    for slot, life in node.lives.items():
        config = newer[slot].config if slot in newer else life.config_in_use
        if config and (reason := conflict(configs, config, node.pwm_channels)):
            return f"is not applied: {reason}"
        configs += [config] if config else []
    lives = (node.lives[slot] for slot in newer)
    moving = [str(life.wanted) for life in lives if life.role_alive and not life.outputs_safe]
    return f"waits until the outputs of {' and '.join(moving)} are safe" if moving else ""


def _together(actions: list[tuple[int, Action]]) -> tuple[tuple[int, Action], ...]:
    """Order the actions of several roles: all stop, all are stored at once, all start."""

    def of(kind: type[Action]) -> list[tuple[int, Action]]:
        return [each for each in actions if isinstance(each[1], kind)]

    stored = tuple((slot, each) for slot, each in actions if isinstance(each, StoreRole))
    store: list[tuple[int, Action]] = [*stored]
    if len(stored) > 1:
        store = [(stored[0][0], StoreRoles(stored))]
    ordered = (StopRole, StoreRole, StartRole)
    rest = [each for each in actions if not isinstance(each[1], ordered)]
    return _announced_once([*of(StopRole), *store, *of(StartRole), *rest])


def _is_button(event: Event, life: RoleLifecycle) -> bool:
    """Return whether a role's reset button was held, which resets the whole node."""
    return (
        isinstance(event, RoleReported)
        and event.report.reset_wanted
        and event.attempt == life.attempt
        and life.state is NodeState.ACTIVE
    )


def _allowed(node: NodeLifecycle, event: Event, slot: int) -> Event:
    """Replace a configuration that needs resources of another role by its refusal."""
    others = [life.config_in_use for s, life in node.lives.items() if s != slot]
    held = [config for config in others if config]
    match event:
        case ConfigArrived():
            reason = conflict(held, event.assignment.config, node.pwm_channels)
            return ConfigFailed(event.attempt, reason) if reason else event
        case ConfigChecked() if event.newer:
            reason = conflict(held, event.newer.config, node.pwm_channels)
            newer = event.newer.config.version
            refused = ConfigChecked(notice=f"configuration {newer} is not applied: {reason}")
            return refused if reason else event
    return event


def _adopt_requested(node: NodeLifecycle, event: AdoptRequested) -> Outcome:
    slots = [slot for slot, life in node.lives.items() if life.wanted == event.wanted]
    is_new = event.adds and not slots and bool(node.roles) and event.node_id == node.node_id
    if not is_new:
        return _adopted_by(node, event, slots[0] if slots else next(iter(node.lives)))
    if reason := _no_room(node):
        return node, ((0, AnswerRequest(event.request, False, reason)),)
    slot = node.next_slot
    process = _free_process(node.lives.values(), event.wanted)
    free = RoleLifecycle(node.node_id, NodeState.UNADOPTED, is_started=True, process=process)
    grown = replace(node, lives={**node.lives, slot: free}, next_slot=slot + 1)
    adopted, actions = _adopted_by(grown, event, slot)
    return (adopted if adopted.lives[slot].wanted else node), actions


def _adopted_by(node: NodeLifecycle, event: AdoptRequested, slot: int) -> Outcome:
    """Refuse a configuration that reserves what another role of this node has."""
    if node.lives[slot].state is NodeState.UNADOPTED and (reason := _conflict(node, event, slot)):
        return node, ((0, AnswerRequest(event.request, False, reason)),)
    return _for_one(node, event, slot)


def _conflict(node: NodeLifecycle, event: AdoptRequested, slot: int) -> str:
    others = [life.config_in_use for s, life in node.lives.items() if s != slot]
    held = [config for config in others if config]
    return conflict(held, event.assignment.config, node.pwm_channels)


def _free_process(lives: Iterable[RoleLifecycle], wanted: RoleId | None) -> int:
    """Return the first process of a role that no other role uses. The role keeps it for as long as
    it is held, so that noded finds the process again after a lost connection."""
    role = wanted.role if wanted else ""
    taken = {life.process for life in lives if life.wanted and life.wanted.role == role}
    return next(number for number in count(1) if number not in taken)


def _no_room(node: NodeLifecycle) -> str:
    busy = [life for life in node.lives.values() if life.state is not NodeState.ACTIVE]
    if busy:
        return f"{node.node_id} is busy ({busy[0].state.value}); try again in a moment"
    if len(node.lives) >= MOST_ROLES:
        return f"{node.node_id} holds {node.title}; more than {MOST_ROLES} roles do not fit"
    return ""


def _reset_requested(node: NodeLifecycle, event: ResetRequested) -> Outcome:
    if event.wanted is not None:
        return _one_reset(node, event, event.wanted)
    busy = (NodeState.BOOT, NodeState.UPDATING)
    slots = list(node.lives)
    refusing = [slot for slot in slots if node.lives[slot].state in busy]
    if refusing or event.node_id not in ("", node.node_id):
        return _for_one(node, event, (refusing or slots)[0])
    actions: list[tuple[int, Action]] = []
    for slot in slots[1:]:
        actions += [(slot, action) for action in _ended(node.lives[slot])]
    life, todo = logic.step(node.first, event)
    actions += [(slots[0], action) for action in todo]
    return replace(node, lives={slots[0]: life}, search=""), tuple(actions)


def _one_reset(node: NodeLifecycle, event: ResetRequested, wanted: RoleId) -> Outcome:
    for slot, life in node.lives.items():
        if life.wanted == wanted and not event.factory:
            return _for_one(node, event, slot)
    if event.factory:
        reason = "a factory reset removes every role: name none"
    else:
        reason = f"{node.node_id} does not hold {wanted}; it holds {node.title or 'no role'}"
    return node, ((0, AnswerRequest(event.request, False, reason)),)


def _ended(life: RoleLifecycle) -> Iterable[Action]:
    """Yield the actions for a role that is reset with the whole node."""
    yield StopRole()
    if life.config_in_use:
        yield MakeSafe(life.config_in_use)
    if life.request is not None:
        yield AnswerRequest(life.request, False, f"{life.node_id} was reset meanwhile")


def _announced_once(actions: list[tuple[int, Action]]) -> tuple[tuple[int, Action], ...]:
    rest = [each for each in actions if not isinstance(each[1], Announce)]
    return (*rest, (0, Announce())) if len(rest) < len(actions) else tuple(rest)
