"""What an admin chose on the settings page, above what the card says. The last word counts: each
choice remembers what the card said then, and ends when somebody writes something else there, so
that a robot that cannot be reached any more can still be put right by its card. Pure.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..lib.api.machine import JoinWifi
from ..lib.state import StateStore
from .config import Machine, Wifi

VERSION = 1


class _Choice(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Name(_Choice):
    """Of the machine."""

    hostname: str
    instead_of: str | None = None


class Network(_Choice):
    """The wireless network; none: its own hotspot."""

    wifi: Wifi | None = None
    instead_of: Wifi | None = None


class Chosen(_Choice):
    """chosen.yaml: root's alone, it holds a password."""

    name: Name | None = None
    network: Network | None = None


def store(data: Path) -> StateStore[Chosen]:
    """On the data partition, beside what the card said."""
    return StateStore(data / "setup/chosen.yaml", Chosen, VERSION)


def over(card: Machine, chosen: Chosen) -> Machine:
    """The settings in force."""
    changed: dict[str, object] = {}
    if chosen.name and chosen.name.instead_of == card.hostname:
        changed["hostname"] = chosen.name.hostname
    if chosen.network and chosen.network.instead_of == card.wifi:
        changed["wifi"] = chosen.network.wifi
    return card.model_copy(update=changed)


def with_hostname(chosen: Chosen, card: Machine, hostname: str) -> Chosen:
    """The machine is called so from now on."""
    name = Name(hostname=hostname, instead_of=card.hostname)
    return chosen.model_copy(update={"name": name})


def with_wifi(chosen: Chosen, card: Machine, wish: JoinWifi | None) -> Chosen:
    """It joins this network from now on, or none."""
    wifi = None
    if wish is not None:
        secret = wish.password or None
        wifi = Wifi(ssid=wish.ssid, secret=secret, country=wish.country, hidden=wish.hidden)
    network = Network(wifi=wifi, instead_of=card.wifi)
    return chosen.model_copy(update={"network": network})
