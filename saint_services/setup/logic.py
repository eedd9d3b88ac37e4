"""From this machine's settings to everything that follows from them: which files its services read,
what it is called, what it starts. Pure. Not here: how the files look (templates/).
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
RADIO = "wlan0"
_PORTS_PER_DOMAIN, _FIRST_PORT = 250, 7400  # of DDS (OMG DDSI-RTPS 9.6.1)
# All of 169.254.0.0/16 but the first and the last /24 (RFC 3927, 2.1).
_FIRST_LINK_LOCAL, _LINK_LOCALS = int(ipaddress.IPv4Address("169.254.1.0")), 254 * 256


@dataclass(frozen=True, slots=True)
class Facts:
    """What this computer is."""

    number: str  # hexadecimal digits that no other has: its serial number, else its machine-id


@dataclass(frozen=True, slots=True)
class Secrets:
    """Made by this machine where the settings name none."""

    hotspot: str
    claim: str  # empty once the robot has an owner
    is_claimed: bool = False
    has_lost_users: bool = False  # webd made a new code, which counts before that of the settings


@dataclass(frozen=True, slots=True)
class File:
    """One file that a template becomes."""

    path: str  # below the root
    template: str
    values: dict[str, Any]
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is to be done."""

    hostname: str
    files: tuple[File, ...]
    unwanted: tuple[str, ...]  # files of another role, left from the last time
    targets: tuple[str, ...]
    root_keys: tuple[str, ...]
    user_keys: tuple[str, ...]
    claim: str  # empty: no server here, or one that has an owner
    outside: NetworkStatus


def plan(machine: Machine, facts: Facts, secrets: Secrets) -> Plan:
    """Everything that follows from the settings of this machine."""
    files = _files(machine, facts, secrets)
    wanted = {file.path for file in files}
    keys = tuple(machine.ssh.keys)
    return Plan(
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
    )


def _outside(machine: Machine, facts: Facts, secrets: Secrets) -> NetworkStatus:
    hotspot = _radio(machine, facts, secrets)["ssid"] if has_hotspot(machine) else ""
    wifi = machine.wifi.ssid if machine.wifi else ""
    return NetworkStatus(hostname=hostname(machine, facts), wifi=wifi, hotspot=hotspot)


def _claim(machine: Machine, secrets: Secrets) -> str:
    """The code has served once there is an owner; whoever reads the screen then gets nothing."""
    if not machine.is_server or secrets.is_claimed:
        return ""
    if secrets.has_lost_users:
        return secrets.claim
    return machine.claim or secrets.claim


def hostname(machine: Machine, facts: Facts) -> str:
    """The server is found as saint-server.local; nodes must differ from each other."""
    if machine.hostname:
        return machine.hostname
    return "saint-server" if machine.is_server else f"saint-node-{facts.number[-6:] or 'new'}"


def link_local(machine: Machine, facts: Facts) -> str:
    """A node's address from its first moment on: before a server, without a cable."""
    if machine.network.link_local:
        return str(machine.network.link_local)
    digest = hashlib.sha256(facts.number.encode()).digest()
    offset = int.from_bytes(digest[:4]) % _LINK_LOCALS
    return str(ipaddress.IPv4Address(_FIRST_LINK_LOCAL + offset))


def has_hotspot(machine: Machine) -> bool:
    """Only a server that joins no other network, so that somebody can reach it at all."""
    return machine.is_server and machine.wifi is None and machine.hotspot.enabled


_NETWORK = "run/systemd/network"
_INTERNAL = f"{_NETWORK}/10-saint-internal.network"
_HOTSPOT = f"{_NETWORK}/20-saint-hotspot.network"
_EXTERNAL = f"{_NETWORK}/30-saint-external.network"
_DNSMASQ, _CHRONY = "run/saint/dnsmasq.conf", "run/saint/chrony.conf"
_WPA = f"run/saint/wpa_supplicant-{RADIO}.conf"
_NFTABLES, _ENVIRONMENT = "run/saint/nftables.d/machine.nft", "run/saint/machine.env"
_ISSUE = "run/issue.d/saint.issue"
WPA_UNIT = f"wpa_supplicant@{RADIO}.service"
# Who reads a file again while the machine runs: unit and how it is told.
_READERS = {
    _NFTABLES: ("reload", "nftables.service"),
    _INTERNAL: ("reload", "systemd-networkd.service"),
    _HOTSPOT: ("reload", "systemd-networkd.service"),
    _EXTERNAL: ("reload", "systemd-networkd.service"),
    _DNSMASQ: ("try-restart", "dnsmasq.service"),
    _CHRONY: ("try-restart", "chrony.service"),
}


def has_wpa(plan: Plan) -> bool:
    """The radio is on: in a network or as one."""
    return any(file.path == _WPA for file in plan.files)


def readers(changed: set[str]) -> tuple[tuple[str, str], ...]:
    """What systemd must be told once these files have changed, the packet filter first. The radio
    is told apart (change.py).
    """
    return tuple(dict.fromkeys(told for path, told in _READERS.items() if path in changed))


_EVERY_PATH = {
    *(_INTERNAL, _HOTSPOT, _EXTERNAL, _DNSMASQ, _CHRONY, _WPA, _NFTABLES, _ENVIRONMENT, _ISSUE)
}


def _enable_line(machine: Machine) -> str:
    if machine.enable_pin is None:
        return ""
    is_simulated = machine.hardware == "sim"
    return f"{'sim:/run/saint/hw/pins:' if is_simulated else ''}{machine.enable_pin}"


def _files(machine: Machine, facts: Facts, secrets: Secrets) -> tuple[File, ...]:
    internal = machine.network.internal
    is_server, hotspot = machine.is_server, has_hotspot(machine)
    address = SERVER_ADDRESS if is_server else link_local(machine, facts)
    values: dict[str, Any] = {
        "role": machine.role,
        "is_server": is_server,
        "internal": internal,
        "address": address,
        "server": SERVER_ADDRESS,
        "hotspot": hotspot,
        "hotspot_address": HOTSPOT_ADDRESS,
        "radio": RADIO,
        "enable_line": _enable_line(machine),
        "hardware": "sim:/run/saint/hw" if machine.hardware == "sim" else "real",
        "domain": machine.network.domain_id,
        "ports": _ports(machine.network.domain_id),
        "hostname": hostname(machine, facts),
    }
    files = [
        File(_INTERNAL, "internal.network.j2", values),
        File(_EXTERNAL, "external.network.j2", values),
        File(_CHRONY, "chrony.conf.j2", values),
        File(_NFTABLES, "nftables.nft.j2", values),
        File(_ENVIRONMENT, "machine.env.j2", values),
    ]
    if is_server:
        files.append(File(_DNSMASQ, "dnsmasq.conf.j2", values))
    radio = _radio(machine, facts, secrets)
    if radio:
        files.append(File(_WPA, "wpa_supplicant.conf.j2", radio, mode=0o600))
    if hotspot:
        files.append(File(_HOTSPOT, "hotspot.network.j2", values))
    shown = values | {"claim": _claim(machine, secrets), "network": radio if hotspot else None}
    return (*files, File(_ISSUE, "saint.issue.j2", shown, mode=0o600))


def _ports(domain: int) -> str:
    first = _FIRST_PORT + _PORTS_PER_DOMAIN * domain
    return f"{first}-{first + _PORTS_PER_DOMAIN - 1}"


def _radio(machine: Machine, facts: Facts, secrets: Secrets) -> dict[str, Any]:
    """What wpa_supplicant must know; empty when the radio stays off."""
    if machine.wifi:
        return _network(machine.wifi, is_hotspot=False)
    if not has_hotspot(machine):
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
        "ssid_hex": wifi.ssid.encode().hex(),  # no character of it can mean something else
        "secret": wifi.secret or "",
        "is_raw_key": is_raw_key(wifi.secret or ""),
        "country": wifi.country or "",
        "hidden": wifi.hidden,
        "is_hotspot": is_hotspot,
    }
