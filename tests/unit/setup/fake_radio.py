"""A machine that a change is made on, with a radio: it has the address of the network that its
settings name, where there is such a network. Time passes only in pauses.
"""

from dataclasses import dataclass, field
from pathlib import Path

from saint_services.lib.api.machine import MachineChange, MachineRequest
from saint_services.lib.machine.settings_request import CHANGE, REQUEST
from saint_services.setup.adapters import SetupPaths
from saint_services.setup.change import SettingsChange

WRONG_KEY = 'wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid="stage" reason=WRONG_KEY\n'
WPA = "run/saint/wpa_supplicant-wlan0.conf"


@dataclass
class FakeRadio:
    """`networks` by name: password and address."""

    root: Path
    networks: dict[str, tuple[str, str]]
    hostname: str = ""
    clock_s: float = 1000.0
    is_on: bool = True
    orders: list[str] = field(default_factory=list)
    keeps: str = ""  # an address that it never gives up

    def set_hostname(self, name: str) -> None:
        self.hostname = name

    def systemctl(self, verb: str, unit: str) -> None:
        self.orders.append(f"{verb} {unit}")
        if unit.startswith("wpa_supplicant"):
            self.is_on = verb == "start"

    def address(self) -> str:
        if self.keeps or not self.is_on:
            return self.keeps
        text = (self.root / WPA).read_text()
        if "mode=2" in text:
            return "192.168.11.1/24"
        for name, (password, address) in self.networks.items():
            if name.encode().hex() in text and f'psk="{password}"' in text:
                return address
        return ""

    def messages(self) -> str:
        """As wpa_supplicant says it of a network that is there, with another password."""
        text = (self.root / WPA).read_text()
        is_there = any(name.encode().hex() in text for name in self.networks)
        return "Successfully initialized wpa_supplicant\n" + WRONG_KEY * is_there

    def now_s(self) -> float:
        return self.clock_s

    def pause(self, seconds: float) -> None:
        self.clock_s += seconds


def change(root: Path, radio: FakeRadio, **params: object) -> MachineChange:
    """Return the state that the page shows after this request."""
    folder = root / "run/saint-settings"
    folder.mkdir(exist_ok=True)
    request = MachineRequest.model_validate(params)
    (folder / REQUEST).write_text(request.model_dump_json())
    SettingsChange(SetupPaths(root), radio).run()
    assert not (folder / REQUEST).exists()
    return MachineChange.model_validate_json((root / "run/saint" / CHANGE).read_bytes())
