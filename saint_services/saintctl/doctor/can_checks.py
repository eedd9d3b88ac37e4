"""Checks of CAN: the controllers of this machine as the kernel reports them, and the wagon's bus as
its role does. Not here: frames (`saintctl can dump`).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...lib.errors import Code, SaintError
from .facts import DoctorFacts
from .result import CheckResult, bad, good, not_here, warn

FULL = 0.7  # of a bus's time: beyond it commands wait behind other frames
LONGEST_QUEUE = 10
_CABLES = "Check both wires, the ground and the 120 ohm at each end; then: saintctl can dump {}"


@dataclass(frozen=True, slots=True)
class CanInterface:
    """One CAN controller of the kernel."""

    name: str
    is_up: bool
    state: str  # ERROR-ACTIVE, ERROR-WARNING, ERROR-PASSIVE, BUS-OFF, STOPPED
    bit_rate: int = 0
    bus_offs: int = 0
    errors: int = 0  # error counters of sending and receiving, as they stand
    queue: int = 0  # frames that may wait to be sent


def interfaces_of(text: str | None) -> list[CanInterface] | None:
    """Parse what `ip` prints (facts.LINKS); None: nothing that can be read."""
    try:
        links = json.loads(text or "")
        return [_interface(link) for link in links if _kind(link) == "can"]
    except (ValueError, TypeError, AttributeError):
        return None


def _kind(link: Mapping[str, Any]) -> str:
    return str(link.get("linkinfo", {}).get("info_kind", ""))


def _interface(link: Mapping[str, Any]) -> CanInterface:
    info = link["linkinfo"]
    data, counts = info.get("info_data", {}), info.get("info_xstats", {})
    counters = data.get("berr_counter", {})
    return CanInterface(
        name=str(link.get("ifname", "")),
        is_up="UP" in link.get("flags", ()),
        state=str(data.get("state", "")),
        bit_rate=int(data.get("bittiming", {}).get("bitrate", 0)),
        bus_offs=int(counts.get("bus_off", 0)),
        errors=int(counters.get("tx", 0)) + int(counters.get("rx", 0)),
        queue=int(link.get("txqlen", 0)),
    )


def interfaces(facts: DoctorFacts) -> CheckResult:
    """Judge the controllers of this machine; the first one with a fault is named."""
    found = interfaces_of(facts.machine.links)
    if not found:
        return not_here("this machine has no CAN adapter that the kernel drives")
    judged = [_judge(each) for each in found]
    return next((each for each in judged if each.fix), judged[0])


def _judge(bus: CanInterface) -> CheckResult:
    if not bus.is_up:
        fix = f"networkctl status {bus.name}; the journal of systemd-networkd says why."
        return bad(f"{bus.name} is not up", fix)
    if bus.state == "BUS-OFF":
        return bad(f"{bus.name}: the controller is off (bus-off)", _CABLES.format(bus.name))
    if bus.state != "ERROR-ACTIVE" or bus.errors:
        text = f"{bus.name}: {bus.state.lower()}, error counters at {bus.errors}"
        return warn(text, _CABLES.format(bus.name))
    if bus.bus_offs:
        text = f"{bus.name}: {bus.bus_offs} times off since it is up"
        return warn(text, _CABLES.format(bus.name))
    if bus.queue > LONGEST_QUEUE:
        text = f"{bus.name}: {bus.queue} frames may wait to be sent, so a command can be old"
        return warn(text, f"ip link set {bus.name} txqueuelen 4")
    return good(f"{bus.name} is well, {bus.bit_rate // 1000} kbit/s")


def wagon(facts: DoctorFacts) -> CheckResult:
    """Judge the wagon's bus."""
    found = facts.wagon
    if found is None or (isinstance(found, SaintError) and found.code is Code.NOT_FOUND):
        return not_here("this robot has no wagon")
    if isinstance(found, SaintError):
        return not_here(f"unknown: {found.message}")
    if found.state in ("silent", "absent") or found.bus is None:
        text = "its board does not report" if found.bus else "no role drives the wagon now"
        return bad(text, "Look at its node and at the board's supply: saintctl wagon status")
    bus = found.bus
    if bus.state != "active":
        return bad(f"its bus is {bus.state}", _CABLES.format("can0"))
    if bus.load is not None and bus.load > FULL:
        text = f"its bus is busy for {bus.load:.0%} of the time"
        return warn(text, "A node babbles, or reports too often: saintctl can dump can0")
    if bus.lost or bus.bus_offs:
        text = f"{bus.lost} frames lost, {bus.bus_offs} times bus-off"
        return warn(text, _CABLES.format("can0"))
    if bus.damaged:
        text = f"{bus.damaged} frames with the wagon's identifiers have another length"
        return warn(text, "Another device uses them, or the board's firmware is older: board list")
    load = "unknown" if bus.load is None else f"{bus.load:.0%}"
    return good(f"its board reports, load of the bus {load}")
