"""What is known of the machines: what each told of its firmware, and whether it is there. Pure.
Everything that comes from a node is untrusted: bounded, checked, or refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...lib.api.adoption import NodeInfo, NodeState
from ...lib.api.firmware import MachineFirmware, UpdateState, UpdateVerdict
from ...lib.generated.saint_msgs import FirmwareStatus
from ...lib.machine.computer import is_token

MOST_MACHINES = 256
HEARD_FOR_S = 10.0  # counts as there where the registry does not know it
_LONGEST_WORD = 64
_LONGEST_REASON = 400
_LONGEST_EXCERPT = 4096
_SILENT = "it does not tell which release it runs"
_STATES = {state.value: state for state in UpdateState}
_VERDICTS = {verdict.value: verdict for verdict in UpdateVerdict}


@dataclass(frozen=True, slots=True)
class Known:
    """One machine."""

    told: MachineFirmware | None = None  # by itself
    heard_s: float = 0.0
    is_registered: bool = False
    is_online: bool = False  # as the registry says
    version: str = ""
    gone_s: float | None = None  # since when it is away


@dataclass(frozen=True, slots=True)
class Fleet:
    """All machines. `own` is the one that we run on and update ourselves."""

    known: Mapping[str, Known] = field(default_factory=dict)
    own: str = ""


def hear(fleet: Fleet, node_id: str, status: FirmwareStatus, now_s: float) -> Fleet | None:
    """What a machine tells of itself; None when it is refused."""
    is_new = node_id not in fleet.known
    if status.node_id != node_id or not is_token(node_id):
        return None
    if is_new and len(fleet.known) >= MOST_MACHINES:
        return None
    if status.state not in _STATES or status.verdict not in _VERDICTS:
        return None
    known = fleet.known.get(node_id, Known())
    told = _checked(node_id, status)
    return _with(fleet, node_id, replace(known, told=told, heard_s=now_s))


def register(fleet: Fleet, nodes: Iterable[NodeInfo], now_s: float) -> Fleet:
    """What the registry of nodes says: who is there, and who was forgotten."""
    found = {node.node_id: node for node in nodes}
    known: dict[str, Known] = {}
    for node_id, entry in fleet.known.items():
        node = found.pop(node_id, None)
        if node is not None or node_id == fleet.own or not entry.is_registered:
            known[node_id] = _seen(entry, node, now_s)
    for node_id, node in list(found.items())[: max(0, MOST_MACHINES - len(known))]:
        if is_token(node_id):
            known[node_id] = _seen(Known(), node, now_s)
    return replace(fleet, known=known)


def live_outputs(nodes: Iterable[NodeInfo]) -> str:
    """Why the server, which all others lean on, may not be disturbed now; empty: it may."""
    live = [n.node_id for n in nodes if n.state is NodeState.ACTIVE and not n.outputs_safe]
    return f"outputs are live on {', '.join(live)[:200]}" if live else ""


def machines(fleet: Fleet, now_s: float, away_limit_s: float) -> dict[str, MachineFirmware]:
    """As the rules and people see them. One that vanished at work is not at work for ever."""
    return {
        node_id: _machine(fleet, node_id, entry, now_s, away_limit_s)
        for node_id, entry in sorted(fleet.known.items())
    }


def _machine(
    fleet: Fleet, node_id: str, entry: Known, now_s: float, away_limit_s: float
) -> MachineFirmware:
    is_own = node_id == fleet.own
    if entry.told is None:  # the registry alone knows it: nothing to judge it by
        return MachineFirmware(
            node_id=node_id,
            is_server=is_own,
            is_online=False,
            version=entry.version,
            blocked_by=_SILENT,
        )
    is_online = is_own or _is_there(entry, now_s)
    is_lost = entry.gone_s is not None and now_s - entry.gone_s > away_limit_s
    update: dict[str, object] = {"is_online": is_online, "is_server": is_own}
    if is_lost and not is_own:
        update["state"] = UpdateState.IDLE
    return entry.told.model_copy(update=update)


def _is_there(entry: Known, now_s: float) -> bool:
    if entry.is_registered:
        return entry.is_online
    return now_s - entry.heard_s <= HEARD_FOR_S


def _seen(entry: Known, node: NodeInfo | None, now_s: float) -> Known:
    if node is None:
        return entry
    is_online = node.state is not NodeState.OFFLINE
    gone_s = None if is_online else (entry.gone_s if entry.gone_s is not None else now_s)
    return replace(
        entry,
        is_registered=True,
        is_online=is_online,
        version=node.firmware_version,
        gone_s=gone_s,
    )


def _checked(node_id: str, status: FirmwareStatus) -> MachineFirmware:
    return MachineFirmware(
        node_id=node_id,
        version=_clean(status.version),
        slot=_clean(status.slot),
        spare_version=_clean(status.spare_version),
        state=_STATES[status.state],
        progress=min(status.progress, 100),
        target_version=_clean(status.target_version),
        attempt=status.attempt,
        verdict=_VERDICTS[status.verdict],
        reason=_clean(status.reason, _LONGEST_REASON),
        log_excerpt=_lines(status.log_excerpt),
        blocked_by=_clean(status.blocked_by, _LONGEST_REASON),
    )


def _clean(text: str, longest: int = _LONGEST_WORD) -> str:
    return "".join(c if c.isprintable() else " " for c in text[:longest])


def _lines(text: str) -> str:
    return "".join(c for c in text[-_LONGEST_EXCERPT:] if c.isprintable() or c in "\n\t")


def _with(fleet: Fleet, node_id: str, known: Known) -> Fleet:
    return replace(fleet, known={**fleet.known, node_id: known})
