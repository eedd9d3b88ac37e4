"""Derives everything from this machine's settings: the files of its services, its name, the targets
to start. Pure. Not here: the text of the files (templates/).
"""

import hashlib
import ipaddress
from dataclasses import dataclass
from typing import Any

from ..lib.api.machine import NetworkStatus
from ..lib.machine.wifi import is_raw_key
from .config import Machine, Wifi

SERVER_ADDRESS = "192.168.10.1"
HOTSPOT_ADDRESS = "192.168.11.1"
CABLE, RADIO = "eth0", "wlan0"
_WITHOUT_CABLE = ("Raspberry Pi Zero 2", "Raspberry Pi 3 Model A")  # boards without Ethernet
_PORTS_PER_DOMAIN, _FIRST_PORT = 250, 7400  # of DDS (OMG DDSI-RTPS 9.6.1)
# All of 169.254.0.0/16 but the first and the last /24 (RFC 3927, 2.1).
_FIRST_LINK_LOCAL, _LINK_LOCALS = int(ipaddress.IPv4Address("169.254.1.0")), 254 * 256


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """The identity of this computer."""

    number: str  # unique hexadecimal digits: its serial number, else its machine-id
    model: str = ""  # "Raspberry Pi Zero 2 W Rev 1.0"


@dataclass(frozen=True, slots=True)
class MachineSecrets:
    """Secrets made by this machine where the settings give none."""

    hotspot: str  # empty: none could be saved
    claim: str  # empty once the robot has an owner
    is_claimed: bool = False
    has_lost_users: bool = False  # webd made a new code, which overrides the one in the settings


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """A file to render from a template."""

    path: str  # below the root
    template: str
    values: dict[str, Any]
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """All that setup has to do."""

    hostname: str
    files: tuple[TemplateFile, ...]
    unwanted: tuple[str, ...]  # files of another role, left from an earlier start
    targets: tuple[str, ...]
    root_keys: tuple[str, ...]
    user_keys: tuple[str, ...]
    claim: str  # empty: not a server, or one that has an owner
    outside: NetworkStatus
    lacks_hotspot: bool  # it is wanted, and there is no password for it


def plan(machine: Machine, facts: MachineFacts, secrets: MachineSecrets) -> SetupPlan:
    """Return everything that follows from the settings of this machine."""
    files = _files(machine, facts, secrets)
    wanted = {file.path for file in files}
    keys = tuple(machine.ssh.keys)
    return SetupPlan(
        hostname=hostname(machine, facts),
        files=files,
        unwanted=tuple(sorted(_EVERY_PATH - wanted)),
        targets=tuple(
            name
            for name, is_wanted in (
                ("saint-server.target", machine.is_server),
                ("saint-node.target", machine.is_node),
            )
            if is_wanted
        ),
        root_keys=keys if machine.ssh.root else (),
        user_keys=keys,
        claim=_claim(machine, secrets),
        outside=_outside(machine, facts, secrets),
        lacks_hotspot=has_hotspot(machine) and not _opens_hotspot(machine, secrets),
    )


def _outside(machine: Machine, facts: MachineFacts, secrets: MachineSecrets) -> NetworkStatus:
    hotspot = _radio(machine, facts, secrets)["ssid"] if _opens_hotspot(machine, secrets) else ""
    wifi = machine.wifi.ssid if machine.wifi else ""
    return NetworkStatus(hostname=hostname(machine, facts), wifi=wifi, hotspot=hotspot)


def _claim(machine: Machine, secrets: MachineSecrets) -> str:
    """Return the claim code; none once there is an owner, so that the screen reveals nothing."""
    if not machine.is_server or secrets.is_claimed:
        return ""
    if secrets.has_lost_users:
        return secrets.claim
    return machine.claim or secrets.claim


def hostname(machine: Machine, facts: MachineFacts) -> str:
    """Return the host name. The server is found as saint-server.local; nodes must differ from each
    other."""
    if machine.hostname:
        return machine.hostname
    return "saint-server" if machine.is_server else f"saint-node-{facts.number[-6:] or 'new'}"


def link_local(machine: Machine, facts: MachineFacts) -> str:
    """Return a node's address that needs no server and no other device."""
    if machine.network.link_local:
        return str(machine.network.link_local)
    digest = hashlib.sha256(facts.number.encode()).digest()
    offset = int.from_bytes(digest[:4]) % _LINK_LOCALS
    return str(ipaddress.IPv4Address(_FIRST_LINK_LOCAL + offset))


def internal(machine: Machine, facts: MachineFacts) -> str:
    """Return the interface of the robot's own network: the cable, or the radio of a board without
    Ethernet."""
    is_radio_alone = facts.model.startswith(_WITHOUT_CABLE)
    return machine.network.internal or (RADIO if is_radio_alone else CABLE)


def has_hotspot(machine: Machine) -> bool:
    """Whether to open a hotspot: only on a server that joins no other network, so that it can be
    reached at all."""
    return machine.is_server and machine.wifi is None and machine.hotspot.enabled


def _opens_hotspot(machine: Machine, secrets: MachineSecrets) -> bool:
    """Whether there is a password for it too: it is never an open network."""
    return has_hotspot(machine) and bool(machine.hotspot.secret or secrets.hotspot)


_NETWORK = "run/systemd/network"
_INTERNAL = f"{_NETWORK}/10-saint-internal.network"
_HOTSPOT = f"{_NETWORK}/20-saint-hotspot.network"
_EXTERNAL = f"{_NETWORK}/30-saint-external.network"
_DNSMASQ, _CHRONY = "run/saint/dnsmasq.conf", "run/saint/chrony.conf"
_WPA = f"run/saint/wpa_supplicant-{RADIO}.conf"
_NFTABLES, _ENVIRONMENT = "run/saint/nftables.d/machine.nft", "run/saint/machine.env"
# What the screen shows, in the order of the names.
_ISSUE, PROBLEM_ISSUE = "run/issue.d/saint.issue", "run/issue.d/setup-problems.issue"
_DNSSD = "run/systemd/dnssd/saint-livelink.dnssd"
WPA_UNIT = f"wpa_supplicant@{RADIO}.service"
# The unit that reads a file again while the machine runs, and the systemctl verb for it.
_READERS = {
    _NFTABLES: ("reload", "nftables.service"),
    _INTERNAL: ("reload", "systemd-networkd.service"),
    _HOTSPOT: ("reload", "systemd-networkd.service"),
    _EXTERNAL: ("reload", "systemd-networkd.service"),
    _DNSMASQ: ("try-restart", "dnsmasq.service"),
    _CHRONY: ("try-restart", "chrony.service"),
    _DNSSD: ("reload", "systemd-resolved.service"),
}


def has_wpa(plan: SetupPlan) -> bool:
    """Whether the radio is on: in a network or as a hotspot."""
    return any(file.path == _WPA for file in plan.files)


def readers(changed: set[str]) -> tuple[tuple[str, str], ...]:
    """Return the systemctl verbs and units for changed files, the packet filter first. The radio is
    handled apart (change.py)."""
    return tuple(
        dict.fromkeys(
            systemctl_call for path, systemctl_call in _READERS.items() if path in changed
        )
    )


_EVERY_PATH = {
    *(_INTERNAL, _HOTSPOT, _EXTERNAL, _DNSMASQ, _CHRONY, _WPA, _NFTABLES, _ENVIRONMENT, _ISSUE),
    _DNSSD,
}


def _enable_line(machine: Machine) -> str:
    if machine.enable_pin is None:
        return ""
    is_simulated = machine.hardware == "sim"
    return f"{'sim:/run/saint/hw/pins:' if is_simulated else ''}{machine.enable_pin}"


def _files(
    machine: Machine, facts: MachineFacts, secrets: MachineSecrets
) -> tuple[TemplateFile, ...]:
    inside = internal(machine, facts)
    is_server, hotspot = machine.is_server, _opens_hotspot(machine, secrets)
    # A foreign Wi-Fi gives the addresses; ours gives none in it.
    is_guest = inside == RADIO and machine.wifi is not None
    has_own_radio_network = hotspot and inside != RADIO
    address = SERVER_ADDRESS if is_server else link_local(machine, facts)
    values: dict[str, Any] = {
        "role": machine.role,
        "is_server": is_server,
        "internal": inside,
        "is_guest": is_guest,
        "address": address,
        "server": SERVER_ADDRESS,
        "hotspot": has_own_radio_network,
        "hotspot_address": HOTSPOT_ADDRESS if has_own_radio_network else SERVER_ADDRESS,
        "radio": RADIO,
        "enable_line": _enable_line(machine),
        "hardware": "sim:/run/saint/hw" if machine.hardware == "sim" else "real",
        "domain": machine.network.domain_id,
        "ros_namespace": machine.network.ros_namespace,
        "ports": _ports(machine.network.domain_id),
        "hostname": hostname(machine, facts),
    }
    files = [
        TemplateFile(_INTERNAL, "internal.network.j2", values),
        TemplateFile(_EXTERNAL, "external.network.j2", values),
        TemplateFile(_CHRONY, "chrony.conf.j2", values),
        TemplateFile(_NFTABLES, "nftables.nft.j2", values),
        TemplateFile(_ENVIRONMENT, "machine.env.j2", values),
    ]
    if is_server:
        files.append(TemplateFile(_DNSSD, "livelink.dnssd.j2", values))
    if is_server and not is_guest:
        files.append(TemplateFile(_DNSMASQ, "dnsmasq.conf.j2", values))
    radio = _radio(machine, facts, secrets)
    if radio:
        files.append(TemplateFile(_WPA, "wpa_supplicant.conf.j2", radio, mode=0o600))
    if has_own_radio_network:
        files.append(TemplateFile(_HOTSPOT, "hotspot.network.j2", values))
    shown = values | {
        "claim": _claim(machine, secrets),
        "network": radio if hotspot else None,
        "lacks_hotspot": has_hotspot(machine) and not hotspot,
    }
    return (*files, TemplateFile(_ISSUE, "saint.issue.j2", shown, mode=0o600))


def _ports(domain: int) -> str:
    first = _FIRST_PORT + _PORTS_PER_DOMAIN * domain
    return f"{first}-{first + _PORTS_PER_DOMAIN - 1}"


def _radio(machine: Machine, facts: MachineFacts, secrets: MachineSecrets) -> dict[str, Any]:
    """Return the settings of wpa_supplicant; empty when the radio stays off."""
    if machine.wifi:
        return _network(machine.wifi, is_hotspot=False)
    if not _opens_hotspot(machine, secrets):
        return {}
    own = machine.hotspot
    made = Wifi(
        ssid=own.ssid or f"saint-{facts.number[-6:] or 'server'}",
        secret=own.secret or secrets.hotspot,
        country=own.country,
    )
    return _network(made, is_hotspot=True)


def _network(wifi: Wifi, *, is_hotspot: bool) -> dict[str, Any]:
    return {
        "ssid": wifi.ssid,
        "ssid_hex": wifi.ssid.encode().hex(),  # hexadecimal: no character needs escaping
        "secret": wifi.secret or "",
        "is_raw_key": is_raw_key(wifi.secret or ""),
        "country": wifi.country or "",
        "hidden": wifi.hidden,
        "is_hotspot": is_hotspot,
    }
