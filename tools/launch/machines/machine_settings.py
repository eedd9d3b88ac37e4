"""The settings of a simulated server: host name and Wi-Fi change as on a Pi, by the same code, but
in files of the run's own folder; this computer stays as it is. Every network has room and an
address, but those whose name begins with "nowhere".
"""

import time
from pathlib import Path

from saint_services.lib.machine.settings_request import REQUEST

# Setup itself is imported where it is used: simulated nodes start sooner without it.

_JOIN_LIMIT_S = 5.0
_RADIO, _HOTSPOT = "wlan0", "192.168.11.1/24"
_ADDRESS = "192.168.77.20/24"


class SimulatedMachine:
    """Its radio follows the settings that were written for wpa_supplicant."""

    now_s = staticmethod(time.monotonic)
    pause = staticmethod(time.sleep)

    def __init__(self, root: Path) -> None:
        self._conf = root / f"run/saint/wpa_supplicant-{_RADIO}.conf"
        self._is_on = True

    def set_hostname(self, name: str) -> None:
        """It stands in the files alone."""

    def systemctl(self, verb: str, unit: str) -> None:
        """Apply the change to the simulated radio alone."""
        if unit.startswith("wpa_supplicant"):
            self._is_on = verb == "start"

    def address(self) -> str:
        """Of the network that is set."""
        if not self._is_on or not self._conf.exists():
            return ""
        text = self._conf.read_text(encoding="utf-8")
        if "mode=2" in text:
            return _HOTSPOT
        return "" if f"ssid={b'nowhere'.hex()}" in text else _ADDRESS

    def messages(self) -> str:
        """A radio that finds no such network."""
        return "Successfully initialized wpa_supplicant"


def folder(home: Path) -> Path:
    """Return where webd puts its requests."""
    return home / "machine/run/saint-settings"


def prepare(home: Path) -> None:
    """As setup leaves a server at its start."""
    from saint_services.setup.adapters import SetupPaths
    from saint_services.setup.boot_setup import BootSetup, ThisMachine
    from saint_services.setup.config import Machine
    from saint_services.setup.overrides import over, store

    places = SetupPaths(home / "machine")
    for each in (places.requests, places.published, places.root / "sys/class/net" / _RADIO):
        each.mkdir(parents=True, exist_ok=True)
    (places.requests / REQUEST).unlink(missing_ok=True)
    run = BootSetup(places, ThisMachine())
    plan = run.plan(over(Machine(role="server"), store(places.data).load()))
    run.write(plan)
    run.report_network(plan)


def is_requested(home: Path) -> bool:
    """Return whether a change is requested."""
    return (folder(home) / REQUEST).exists()


def follow(home: Path) -> None:
    """Fulfils it, or takes it back. Blocks for seconds."""
    from saint_services.setup.adapters import SetupPaths
    from saint_services.setup.change import SettingsChange

    root = home / "machine"
    SettingsChange(SetupPaths(root), SimulatedMachine(root), _JOIN_LIMIT_S).run()
