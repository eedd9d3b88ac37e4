"""Network of the bus and form of the ROS graph, from the environment.

SAINT_DDS_INTERFACE  unset or "lo": this machine only (loopback.py); else that interface
SAINT_DDS_PEERS      addresses, separated by comma or space: no multicast, only these are discovered
SAINT_ROS_DISTRO     "humble" for sites with ROS 2 Humble (default: ROS_DISTRO)
CYCLONEDDS_URI       a custom configuration; then the first two have no effect

A process that starts before its network has an address waits for it. Not here: quality of service.
"""

import asyncio
import fcntl
import os
import re
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from ... import log
from ...clock import monotonic_s
from ...errors import SaintError
from ...generated.errors import Code

# ROS 2 peers restricted to their machine scan participant indexes up to 32 only. Indexes are
# assigned from 0 up, so such peers see the first 33 processes of a machine; ours see all.
_HIGHEST_INDEX = 60
_SIOCGIFADDR = 0x8915
_INTERFACE = re.compile(r"[A-Za-z0-9_.:-]{1,15}")
_PEER = re.compile(r"[A-Za-z0-9_.:\[\]-]{1,255}")
_GID_BYTES, _GID_BYTES_HUMBLE = 16, 24
# Early in a boot the network driver is still loading. After this time the process exits with an
# error and is restarted, which costs a Pi two seconds.
_ADDRESS_LIMIT_S, _ADDRESS_PAUSE_S = 45.0, 0.1
_log = log.get("bus")


@dataclass(frozen=True, slots=True)
class DdsSettings:
    """The bus settings of one process."""

    configuration: str | None  # XML for the library; None: it reads CYCLONEDDS_URI itself
    gid_bytes: int = _GID_BYTES
    is_local: bool = False  # datagrams of other computers are dropped


def from_environment(environment: Mapping[str, str] = os.environ) -> DdsSettings:
    distribution = environment.get("SAINT_ROS_DISTRO") or environment.get("ROS_DISTRO", "")
    gid_bytes = _GID_BYTES_HUMBLE if distribution.lower() == "humble" else _GID_BYTES
    if environment.get("CYCLONEDDS_URI"):
        return DdsSettings(None, gid_bytes)
    interface = environment.get("SAINT_DDS_INTERFACE") or "lo"
    peers = environment.get("SAINT_DDS_PEERS", "").replace(",", " ").split()
    return DdsSettings(configuration(interface, peers), gid_bytes, is_local=interface == "lo")


async def when_addressed(
    environment: Mapping[str, str] = os.environ, limit_s: float = _ADDRESS_LIMIT_S
) -> DdsSettings:
    """Return the settings as soon as the interface has an address."""
    interface = environment.get("SAINT_DDS_INTERFACE") or "lo"
    if interface != "lo" and not environment.get("CYCLONEDDS_URI"):
        if not _INTERFACE.fullmatch(interface):
            raise _invalid("SAINT_DDS_INTERFACE", interface)
        await _wait_for_address(interface, limit_s)
    return await asyncio.to_thread(from_environment, environment)


async def _wait_for_address(interface: str, limit_s: float) -> None:
    end_s = monotonic_s() + limit_s
    is_logged = False
    while True:
        try:
            await asyncio.to_thread(_address, interface)
        except SaintError as err:
            if monotonic_s() >= end_s:
                raise
            if not is_logged:
                _log.warning("the bus waits for the network", reason=str(err))
                is_logged = True
        else:
            if is_logged:
                _log.info("the network is available", interface=interface)
            return
        await asyncio.sleep(_ADDRESS_PAUSE_S)


def configuration(interface: str, peers: list[str]) -> str:
    """Return the library's XML configuration. On loopback, and with named peers, without multicast.
    The checked names need no quoting.
    """
    if not _INTERFACE.fullmatch(interface):
        raise _invalid("SAINT_DDS_INTERFACE", interface)
    for peer in peers:
        if not _PEER.fullmatch(peer):
            raise _invalid("SAINT_DDS_PEERS", peer)
    if interface == "lo":
        return _xml(
            'address="127.0.0.1"', ["localhost", *peers]
        )  # the interface is not named lo on every system
    if peers:  # discover processes of this machine by its own address
        return _xml(f'name="{interface}"', [_address(interface), *peers])
    return _xml(f'name="{interface}"', [])


def _xml(interface: str, peers: list[str]) -> str:
    multicast = "false" if peers else "default"
    named = "".join(f'<Peer Address="{peer}"/>' for peer in peers)
    return (
        '<CycloneDDS><Domain Id="any">'
        f"<General><Interfaces><NetworkInterface {interface}/></Interfaces>"
        f"<AllowMulticast>{multicast}</AllowMulticast></General>"
        "<Discovery><ParticipantIndex>auto</ParticipantIndex>"
        f"<MaxAutoParticipantIndex>{_HIGHEST_INDEX}</MaxAutoParticipantIndex>"
        f"<Peers>{named}</Peers></Discovery>"
        # A process that exits does not wait, writer by writer, for readers that exit with it.
        "<Internal><WriterLingerDuration>0 ms</WriterLingerDuration></Internal>"
        "</Domain></CycloneDDS>"
    )


def _address(interface: str) -> str:
    """Return the interface's IPv4 address."""
    request = struct.pack("256s", interface.encode())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe, _SIOCGIFADDR, request)
        except OSError as err:
            text = f"network interface {interface} has no IPv4 address ({err.strerror})"
            fix = "Check that it is there and configured (ip addr), or set SAINT_DDS_INTERFACE."
            raise SaintError(Code.BUS_UNAVAILABLE, text, fix=fix) from err
    return socket.inet_ntoa(answer[20:24])


def _invalid(name: str, value: str) -> SaintError:
    return SaintError(Code.CONFIG_INVALID, f"{name} has {value!r}")
