"""Settings of one machine: saint.yaml on the boot partition. Every key may be left out. Not here:
the files of Raspberry Pi Imager (cloudinit.py), what follows from the settings (logic.py).
"""

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from ..lib.bus.names import NAMESPACE_FORM
from ..lib.config import Settings
from ..lib.machine.wifi import HOSTNAME, Country, Ssid, WifiSecret

Role = Literal["server", "node", "both"]
_KEY = re.compile(r"(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*( [^\r\n]*)?")
_LINK_LOCAL = ipaddress.ip_network("169.254.0.0/16")

# Replaces a secret once it is stored on the data partition.
KEPT = "(kept by this machine)"


def _claim(value: str) -> str:
    if value != KEPT and not re.fullmatch(r"[A-Za-z0-9_-]{20,128}", value):
        raise ValueError("must be 20 to 128 letters, digits, - or _")
    return value


# Plain text, so that the model can be written to a file; the field is left out of its repr.
Claim = Annotated[str, AfterValidator(_claim)]


class Wifi(Settings):
    """A wireless network to join. Without a secret it is an open network."""

    ssid: Ssid
    secret: WifiSecret | None = Field(default=None, repr=False)
    country: Country | None = None  # which channels are allowed, e.g. GB
    hidden: bool = False


class Hotspot(Settings):
    """The server's own wireless network, where it joins no other."""

    enabled: bool = True
    ssid: Ssid | None = None  # made from this machine's number if left out
    secret: WifiSecret | None = Field(
        default=None, repr=False
    )  # made at the first start if left out
    country: Country | None = None


class Ssh(Settings):
    """The keys that may log in. There are no passwords."""

    keys: list[str] = Field(default_factory=list, max_length=32)
    root: bool = False  # the same keys log in as root

    @field_validator("keys")
    @classmethod
    def _keys(cls, keys: list[str]) -> list[str]:
        for key in keys:
            if len(key) > 4096 or not _KEY.fullmatch(key.strip()):
                raise ValueError("must hold public keys only (such as 'ssh-ed25519 AAAA... me')")
        return [key.strip() for key in keys]


class Network(Settings):
    """The robot's own network."""

    # Left out: eth0, or wlan0 on a board without Ethernet. What wlan0 costs: README.md.
    internal: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9]{1,14}$")
    # A node's second address, which it has without a server. Made from this computer's
    # serial number; set it if two nodes should get the same of the 65,000 possible ones.
    link_local: ipaddress.IPv4Address | None = None
    domain_id: int = Field(
        default=0, ge=0, le=101
    )  # ROS_DOMAIN_ID; above 101 the ports collide with others
    # Before every ROS name and frame of this robot; the same on all its machines. Empty: none.
    ros_namespace: str = Field(default="", pattern=NAMESPACE_FORM)

    @field_validator("link_local")
    @classmethod
    def _link_local(cls, value: ipaddress.IPv4Address | None) -> ipaddress.IPv4Address | None:
        if value is not None and value not in _LINK_LOCAL:
            raise ValueError("must lie in 169.254.0.0/16")
        return value


class Machine(Settings):
    """saint.yaml"""

    role: Role = "node"
    hostname: str | None = Field(default=None, pattern=HOSTNAME)
    hardware: Literal["real", "sim"] = "real"  # sim: needs tools/sim, which is not in the image
    # GPIO that the guard toggles at 50 Hz while all is well, for a dead-man relay (guardd).
    enable_pin: int | None = Field(default=None, ge=0, le=27)
    wifi: Wifi | None = None
    hotspot: Hotspot = Hotspot()
    ssh: Ssh = Ssh()
    network: Network = Network()
    # The code that claims the server (webd's token). Made by the server if left out.
    claim: Claim | None = Field(default=None, repr=False)

    @field_validator("hostname", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @property
    def lacks_wifi(self) -> bool:
        """Whether the robot's own network is on the radio, which leads nowhere. No rule of the
        model: what saint.yaml leaves out, Imager's files may have."""
        is_radio = (self.network.internal or "").startswith("wlan")
        return is_radio and not self.wifi and not (self.is_server and self.hotspot.enabled)

    @property
    def is_server(self) -> bool:
        return self.role != "node"

    @property
    def is_node(self) -> bool:
        return self.role != "server"
