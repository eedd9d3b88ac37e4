"""Reads the network cards: wired ones with their link, radios with their switches. Names of
networks and addresses are not read. Not here: what of that is a fault (network_checks.py).
"""

from dataclasses import dataclass
from pathlib import Path

from .kernel_files import entries, link_name, number, text

_ETHERNET = 1  # ARPHRD_ETHER, if_arp.h
_SWITCHED_ON = 0x1  # IFF_UP
_MOST = 16


@dataclass(frozen=True, slots=True)
class WiredCard:
    """A wired network card. `has_link` is None while the card is switched off."""

    name: str
    driver: str
    has_link: bool | None = None
    speed_mbit: int = 0
    frames: int = 0  # received and sent
    damaged: int = 0  # of them


@dataclass(frozen=True, slots=True)
class Radio:
    """A Wi-Fi card. `switch`: why it must not send, "soft" or "hard"; empty when it may."""

    name: str
    driver: str
    is_on: bool = False
    is_joined: bool = False
    switch: str = ""


@dataclass(frozen=True, slots=True)
class NetworkFacts:
    """The network cards of a machine."""

    wired: tuple[WiredCard, ...] = ()
    radios: tuple[Radio, ...] = ()


def read(root: Path) -> NetworkFacts:
    """Read all cards that are devices: no loopback, no bridges."""
    cards = [card for card in entries(root / "sys/class/net") if (card / "device").exists()]
    cards = [card for card in cards if number(card / "type") == _ETHERNET][:_MOST]
    radios = [card for card in cards if _is_radio(card)]
    return NetworkFacts(
        tuple(_wired(card) for card in cards if card not in radios),
        tuple(_radio(root, card) for card in radios),
    )


def _is_radio(card: Path) -> bool:
    return (card / "phy80211").exists() or (card / "wireless").exists()


def _wired(card: Path) -> WiredCard:
    link = number(card / "carrier")  # unreadable while the card is off
    counters = card / "statistics"
    frames = [number(counters / name) or 0 for name in ("rx_packets", "tx_packets")]
    damaged = [number(counters / name) or 0 for name in ("rx_crc_errors", "rx_frame_errors")]
    return WiredCard(
        name=card.name[:16],
        driver=_driver(card),
        has_link=None if link is None else link == 1,
        speed_mbit=max(0, number(card / "speed") or 0),  # -1: unknown
        frames=sum(frames),
        damaged=sum(damaged),
    )


def _radio(root: Path, card: Path) -> Radio:
    flags = number(card / "flags") or 0
    return Radio(
        name=card.name[:16],
        driver=_driver(card),
        is_on=bool(flags & _SWITCHED_ON),
        is_joined=text(card / "operstate") == "up",
        switch=_switch(root, card),
    )


def _driver(card: Path) -> str:
    return link_name(card / "device/driver")[:32] or "unknown driver"


def _switch(root: Path, card: Path) -> str:
    """Return which switch of the radio is off (rfkill), its own or, where that is not named, any of
    Wi-Fi."""
    own = [folder.name for folder in entries(card / "phy80211", "rfkill*")]
    for switch in entries(root / "sys/class/rfkill"):
        if text(switch / "type") != "wlan" or (own and switch.name not in own):
            continue
        for kind in ("hard", "soft"):
            if number(switch / kind):
                return kind
    return ""
