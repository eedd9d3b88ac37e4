"""The choices of the settings page, which override the card. The latest one counts: each choice
remembers what the card said then, and ends when the card says something else, so that a robot that
cannot be reached any more can be repaired by its card. Pure.
"""

from pathlib import Path

from ..lib.api.machine import JoinWifi
from ..lib.state import StateStore
from ..lib.strict import StrictModel
from .config import Machine, Wifi

VERSION = 1


class NameOverride(StrictModel):
    """The name of the machine."""

    hostname: str
    instead_of: str | None = None


class WifiOverride(StrictModel):
    """The wireless network; none: the machine's own hotspot."""

    wifi: Wifi | None = None
    instead_of: Wifi | None = None


class Overrides(StrictModel):
    """chosen.yaml: readable by root only, since it holds a password."""

    name: NameOverride | None = None
    network: WifiOverride | None = None


def store(data: Path) -> StateStore[Overrides]:
    """Return the store on the data partition."""
    return StateStore(data / "setup/chosen.yaml", Overrides, VERSION)


def over(card: Machine, chosen: Overrides) -> Machine:
    """Return the settings in force."""
    changed: dict[str, object] = {}
    if chosen.name and chosen.name.instead_of == card.hostname:
        changed["hostname"] = chosen.name.hostname
    if chosen.network and chosen.network.instead_of == card.wifi:
        changed["wifi"] = chosen.network.wifi
    return card.model_copy(update=changed)


def with_hostname(chosen: Overrides, card: Machine, hostname: str) -> Overrides:
    """Return the choices with this host name."""
    name = NameOverride(hostname=hostname, instead_of=card.hostname)
    return chosen.model_copy(update={"name": name})


def with_wifi(chosen: Overrides, card: Machine, request: JoinWifi | None) -> Overrides:
    """Return the choices with this network, or none."""
    wifi = None
    if request is not None:
        secret = request.password or None
        wifi = Wifi(
            ssid=request.ssid, secret=secret, country=request.country, hidden=request.hidden
        )
    network = WifiOverride(wifi=wifi, instead_of=card.wifi)
    return chosen.model_copy(update={"network": network})
