"""A node with all its roles: which of their lives an event is for, what several of them have to
agree on. Each role lives by itself (logic.py), in a slot; a node without a role has one life too.
Pure: `step(node, event, slot)` returns the node and the actions, each with its slot.
Not here: what a single role does next, carrying anything out.
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
    Answer,
    Assignment,
    ConfigArrived,
    ConfigChecked,
    ConfigFailed,
    DiskRead,
    Event,
    FetchRoles,
    Life,
    MadeSafe,
    MakeSafe,
    ResetRequested,
    RoleReported,
    RolesArrived,
    RolesFailed,
    ServerChanged,
    StopRole,
    UpdateBegan,
    UpdateEnded,
    Wanted,
)

# A whole robot: head, two arms, tracks, console. Not more, so that a release which knows one
# process per role can still read the file of the further roles (state.py).
MOST_ROLES = 5
_SEARCH = (
    "the list of its roles is lost on the disk and is requested from its server; what they drive "
    "moves nothing until the answer"
)
_NONE_KNOWN = "its server knows no role of it; adopt it again"
Outcome = tuple["NodeLife", tuple[tuple[int, Action], ...]]


@dataclass(frozen=True, slots=True)
class NodeLife:
    """A node. The role in the first slot is the one that releases before this know of."""

    node_id: str
    lives: Mapping[int, Life]  # by slot; at least one
    next_slot: int = 1
    pwm_channels: Mapping[int, int] = field(default_factory=dict)  # of its board
    search: str = ""  # why its roles are requested from its server; empty: they are not

    @property
    def first(self) -> Life:
        """The oldest role, or the life without one."""
        return next(iter(self.lives.values()))

    @property
    def roles(self) -> tuple[Life, ...]:
        """The lives that have a role."""
        return tuple(life for life in self.lives.values() if life.wanted)

    @property
    def state(self) -> NodeState:
        """A node that has a role at work is active, whatever happens beside it."""
        states = [life.state for life in self.lives.values()]
        if NodeState.ACTIVE in states:
            return NodeState.ACTIVE
        is_waiting = self.is_lost and states[0] is NodeState.UNADOPTED
        return NodeState.ADOPTING if is_waiting else states[0]

    @property
    def is_lost(self) -> bool:
        """The node may hold roles that only its server knows."""
        return bool(self.search)

    @property
    def held(self) -> tuple[Assignment, ...]:
        """What is stored."""
        return tuple(life.held for life in self.lives.values() if life.held)

    @property
    def configs_in_use(self) -> tuple[RoleConfig, ...]:
        """Those that role processes have, or may still have, from us."""
        configs = (life.config_in_use for life in self.lives.values())
        return tuple(config for config in configs if config)

    @property
    def title(self) -> str:
        """Its roles, for people."""
        return " and ".join(str(life.wanted) for life in self.roles)

    @property
    def is_started(self) -> bool:
        """The disk was read."""
        return self.first.is_started

    @property
    def is_adopted(self) -> bool:
        """At least one role is stored."""
        return any(life.is_adopted for life in self.lives.values())

    @property
    def is_asked(self) -> bool:
        """Somebody waits for the outcome of an adoption or a reset."""
        return any(life.request is not None for life in self.lives.values())

    @property
    def is_any_alive(self) -> bool:
        """A role process works on the devices."""
        return any(life.role_alive for life in self.lives.values())

    @property
    def outputs_safe(self) -> bool:
        """Of every role."""
        return all(life.outputs_safe for life in self.lives.values())

    @property
    def restarts(self) -> int:
        """Of all role processes."""
        return sum(life.restarts for life in self.lives.values())

    @property
    def reason(self) -> str:
        """Why the node is not well; with several roles each reason says whose it is."""
        ill = [life for life in self.lives.values() if life.reason]
        if len(self.lives) == 1:
            texts = [self.first.reason]
        else:
            texts = [f"{life.wanted}: {life.reason}" for life in ill]
        return "; ".join(text for text in (*texts, self.search) if text)


def fresh(node_id: str, pwm_channels: Mapping[int, int] | None = None) -> NodeLife:
    """Nothing is known of it yet but its board."""
    return NodeLife(node_id, {0: Life(node_id)}, pwm_channels=pwm_channels or {})


def step(node: NodeLife, event: Event, slot: int = 0) -> Outcome:
    """The next node and what is to be done, in this order. `slot`: whose event it is, for those
    that only one role can have.
    """
    match event:
        case DiskRead():
            return _disk_read(node, event)
        case AdoptRequested():
            return _adopt_requested(node, event)
        case ResetRequested():
            return _reset_requested(node, event)
        case RolesArrived() if node.is_lost:
            return _roles_arrived(node, event)
        case RolesFailed() if node.is_lost:
            return _roles_failed(node, event)
        case ServerChanged():
            return _for_all(replace(node, search=""), event)
        case UpdateBegan() if node.is_asked:
            return node, ()
        case UpdateBegan() | UpdateEnded():
            return _for_all(node, event)
        case _ if slot in node.lives:
            return _for_one(node, event, slot)
        case MadeSafe() if event.reason:  # of a role that is gone: somebody has to tell it
            return _for_one(node, event, next(iter(node.lives)))
    return node, ()  # late: that role is gone


def _disk_read(node: NodeLife, event: DiskRead) -> Outcome:
    if node.is_started:
        return node, ()
    lives: dict[int, Life] = {}
    actions: list[tuple[int, Action]] = []
    for slot, started in enumerate(event.roles):
        life, todo = logic.step(node.first, started)
        lives[slot] = replace(life, process=_free_process(lives.values(), life.wanted))
        actions += [(slot, action) for action in todo]
    node = replace(node, lives=lives, next_slot=len(lives))
    if event.is_incomplete:
        node = replace(node, search=_SEARCH)
        actions.append((0, FetchRoles()))
    return node, _told_once(actions)


def _roles_arrived(node: NodeLife, event: RolesArrived) -> Outcome:
    """Take the roles that the server names and this node does not have, each like one whose stored
    configuration is unusable. During an adoption or an update the server is asked again."""
    busy = (NodeState.BOOT, NodeState.UPDATING)
    if node.is_asked or any(life.state in busy for life in node.lives.values()):
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
    return node, _told_once(actions)


def _slot_for(node: NodeLife) -> tuple[int, NodeLife]:
    """Where another role goes: the life without a role, else a new slot."""
    if node.first.wanted is None:
        return next(iter(node.lives)), node
    slot = node.next_slot
    free = Life(node.node_id, NodeState.UNADOPTED, is_started=True)
    return slot, replace(node, lives={**node.lives, slot: free}, next_slot=slot + 1)


def _roles_failed(node: NodeLife, event: RolesFailed) -> Outcome:
    pause_s = min(max(2 * event.pause_s, logic.REFETCH_FIRST_S), logic.REFETCH_LONGEST_S)
    node = replace(node, search=f"{_SEARCH}: {event.reason}")
    return node, ((0, FetchRoles(pause_s)), (0, Announce()))


def _for_all(node: NodeLife, event: Event) -> Outcome:
    lives, actions = {}, []
    for slot, life in node.lives.items():
        lives[slot], todo = logic.step(life, event)
        actions += [(slot, action) for action in todo]
    return replace(node, lives=lives), _told_once(actions)


def _for_one(node: NodeLife, event: Event, slot: int) -> Outcome:
    life = node.lives[slot]
    if _is_button(event, life):
        return _reset_requested(node, ResetRequested(logic.NOBODY, "", forgets_server=True))
    life, actions = logic.step(life, _allowed(node, event, slot))
    lives = {**node.lives, slot: life}
    if len(lives) > 1 and life.state is NodeState.UNADOPTED:
        del lives[slot]  # it came to nothing, or was taken away; the others go on
    return replace(node, lives=lives), tuple((slot, action) for action in actions)


def _is_button(event: Event, life: Life) -> bool:
    """Whoever holds a role's button means the whole node."""
    return (
        isinstance(event, RoleReported)
        and event.report.reset_wanted
        and event.attempt == life.attempt
        and life.state is NodeState.ACTIVE
    )


def _allowed(node: NodeLife, event: Event, slot: int) -> Event:
    """A configuration that wants what another role of this node has is not taken."""
    others = [life.config_in_use for s, life in node.lives.items() if s != slot]
    held = [config for config in others if config]
    match event:
        case ConfigArrived():
            reason = conflict(held, event.assignment.config, node.pwm_channels)
            return ConfigFailed(event.attempt, reason) if reason else event
        case ConfigChecked() if event.newer:
            reason = conflict(held, event.newer.config, node.pwm_channels)
            newer = event.newer.config.version
            refused = ConfigChecked(notice=f"configuration {newer} is not taken: {reason}")
            return refused if reason else event
    return event


def _adopt_requested(node: NodeLife, event: AdoptRequested) -> Outcome:
    slots = [slot for slot, life in node.lives.items() if life.wanted == event.wanted]
    is_new = event.adds and not slots and bool(node.roles) and event.node_id == node.node_id
    if not is_new:
        return _adopted_by(node, event, slots[0] if slots else next(iter(node.lives)))
    if reason := _no_room(node):
        return node, ((0, Answer(event.request, False, reason)),)
    slot = node.next_slot
    process = _free_process(node.lives.values(), event.wanted)
    free = Life(node.node_id, NodeState.UNADOPTED, is_started=True, process=process)
    grown = replace(node, lives={**node.lives, slot: free}, next_slot=slot + 1)
    adopted, actions = _adopted_by(grown, event, slot)
    return (adopted if adopted.lives[slot].wanted else node), actions


def _adopted_by(node: NodeLife, event: AdoptRequested, slot: int) -> Outcome:
    """Refuse a configuration that reserves what another role of this node has."""
    if node.lives[slot].state is NodeState.UNADOPTED and (reason := _conflict(node, event, slot)):
        return node, ((0, Answer(event.request, False, reason)),)
    return _for_one(node, event, slot)


def _conflict(node: NodeLife, event: AdoptRequested, slot: int) -> str:
    others = [life.config_in_use for s, life in node.lives.items() if s != slot]
    held = [config for config in others if config]
    return conflict(held, event.assignment.config, node.pwm_channels)


def _free_process(lives: Iterable[Life], wanted: Wanted | None) -> int:
    """The first of the role's processes that none of these lives has. It is kept for as long as the
    role is held: a connection that is lost finds the process where it was."""
    role = wanted.role if wanted else ""
    taken = {life.process for life in lives if life.wanted and life.wanted.role == role}
    return next(number for number in count(1) if number not in taken)


def _no_room(node: NodeLife) -> str:
    busy = [life for life in node.lives.values() if life.state is not NodeState.ACTIVE]
    if busy:
        return f"{node.node_id} is busy ({busy[0].state.value}); try again in a moment"
    if len(node.lives) >= MOST_ROLES:
        return f"{node.node_id} holds {node.title}; more than {MOST_ROLES} roles do not fit"
    return ""


def _reset_requested(node: NodeLife, event: ResetRequested) -> Outcome:
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


def _one_reset(node: NodeLife, event: ResetRequested, wanted: Wanted) -> Outcome:
    for slot, life in node.lives.items():
        if life.wanted == wanted and not event.factory:
            return _for_one(node, event, slot)
    if event.factory:
        reason = "a factory reset takes every role: name none"
    else:
        reason = f"{node.node_id} does not hold {wanted}; it holds {node.title or 'no role'}"
    return node, ((0, Answer(event.request, False, reason)),)


def _ended(life: Life) -> Iterable[Action]:
    """What is left to do about a role that goes with the whole node."""
    yield StopRole()
    if life.config_in_use:
        yield MakeSafe(life.config_in_use)
    if life.request is not None:
        yield Answer(life.request, False, f"{life.node_id} was reset meanwhile")


def _told_once(actions: list[tuple[int, Action]]) -> tuple[tuple[int, Action], ...]:
    rest = [each for each in actions if not isinstance(each[1], Announce)]
    return (*rest, (0, Announce())) if len(rest) < len(actions) else tuple(rest)
