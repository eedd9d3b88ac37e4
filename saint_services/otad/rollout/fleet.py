"""Knows the machines: what each reported of its firmware, and whether it is online. Pure.
Everything from a node is untrusted: bounded, checked, or refused.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...lib.api.adoption import NodeInfo, NodeState
from ...lib.api.firmware import MachineFirmware, UpdateState, UpdateVerdict
from ...lib.generated.saint_msgs import FirmwareStatus
from ...lib.machine.computer import is_token

MOST_MACHINES = 256
REPORT_LIMIT_S = 10.0  # counts as online without the registry
_LONGEST_WORD = 64
_LONGEST_REASON = 400
_LONGEST_EXCERPT = 4096
_SILENT = "the running release is not known"
_STATES = {state.value: state for state in UpdateState}
_VERDICTS = {verdict.value: verdict for verdict in UpdateVerdict}


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """One machine."""

    reported: MachineFirmware | None = None  # from the machine itself
    received_s: float = 0.0
    is_registered: bool = False
    is_online: bool = False  # from the registry
    version: str = ""
    hardware_rev: str = ""
    gone_s: float | None = None  # offline since


@dataclass(frozen=True, slots=True)
class Fleet:
    """All machines. `own`: the machine that otad runs on and updates itself."""

    known: Mapping[str, KnownMachine] = field(default_factory=dict)
    own: str = ""
    own_hardware_rev: str = ""  # of a server that is no node: the registry does not know it


def report_received(
    fleet: Fleet, node_id: str, status: FirmwareStatus, now_s: float
) -> Fleet | None:
    """Take in a machine's report; None when the report is refused."""
    is_new = node_id not in fleet.known
    if status.node_id != node_id or not is_token(node_id):
        return None
    if is_new and len(fleet.known) >= MOST_MACHINES:
        return None
    if status.state not in _STATES or status.verdict not in _VERDICTS:
        return None
    known = fleet.known.get(node_id, KnownMachine())
    reported = _checked(node_id, status)
    return _with(fleet, node_id, replace(known, reported=reported, received_s=now_s))


def register(fleet: Fleet, nodes: Iterable[NodeInfo], now_s: float) -> Fleet:
    """Take in the registry's list: which nodes are online, which were forgotten."""
    found = {node.node_id: node for node in nodes}
    known: dict[str, KnownMachine] = {}
    for node_id, entry in fleet.known.items():
        node = found.pop(node_id, None)
        if node is not None or node_id == fleet.own or not entry.is_registered:
            known[node_id] = _seen(entry, node, now_s)
    for node_id, node in list(found.items())[: max(0, MOST_MACHINES - len(known))]:
        if is_token(node_id):
            known[node_id] = _seen(KnownMachine(), node, now_s)
    return replace(fleet, known=known)


def live_outputs(nodes: Iterable[NodeInfo]) -> str:
    """Return why the server, which all nodes need, must not restart now; empty: it may."""
    live = [n.node_id for n in nodes if n.state is NodeState.ACTIVE and not n.outputs_safe]
    return f"outputs are live on {', '.join(live)[:200]}" if live else ""


def machines(fleet: Fleet, now_s: float, away_limit_s: float) -> dict[str, MachineFirmware]:
    """Return the machines for the rules and for users. One that disappeared while updating does not
    count as updating without limit."""
    return {
        node_id: _machine(fleet, node_id, entry, now_s, away_limit_s)
        for node_id, entry in sorted(fleet.known.items())
    }


def hardware_rev(fleet: Fleet, node_id: str) -> str:
    """Return what a machine reports as the revision of its hardware; empty while that is not
    known."""
    known = fleet.known.get(node_id)
    registered = known.hardware_rev if known else ""
    return registered or (fleet.own_hardware_rev if node_id == fleet.own else "")


def _machine(
    fleet: Fleet, node_id: str, entry: KnownMachine, now_s: float, away_limit_s: float
) -> MachineFirmware:
    is_own = node_id == fleet.own
    if entry.reported is None:  # known from the registry alone: there is nothing to judge
        return MachineFirmware(
            node_id=node_id,
            is_server=is_own,
            is_online=False,
            version=entry.version,
            blocked_by=_SILENT,
            hardware_rev=hardware_rev(fleet, node_id),
        )
    is_online = is_own or _is_there(entry, now_s)
    is_lost = entry.gone_s is not None and now_s - entry.gone_s > away_limit_s
    update: dict[str, object] = {"is_online": is_online, "is_server": is_own}
    update["hardware_rev"] = hardware_rev(fleet, node_id)
    if is_lost and not is_own:
        update["state"] = UpdateState.IDLE
    return entry.reported.model_copy(update=update)


def _is_there(entry: KnownMachine, now_s: float) -> bool:
    if entry.is_registered:
        return entry.is_online
    return now_s - entry.received_s <= REPORT_LIMIT_S


def _seen(entry: KnownMachine, node: NodeInfo | None, now_s: float) -> KnownMachine:
    if node is None:
        return entry
    is_online = node.state is not NodeState.OFFLINE
    gone_s = None if is_online else (entry.gone_s if entry.gone_s is not None else now_s)
    return replace(
        entry,
        is_registered=True,
        is_online=is_online,
        version=node.firmware_version,
        hardware_rev=_clean(node.hardware_rev),
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


def _with(fleet: Fleet, node_id: str, known: KnownMachine) -> Fleet:
    return replace(fleet, known={**fleet.known, node_id: known})
