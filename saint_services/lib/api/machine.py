"""What an admin may set of the server's machine: its name, the wireless network that it joins. Webd
hands a wish to setup, setup tells how it ended.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..machine.wifi import HOSTNAME, Country, Ssid, WifiPassword
from . import Reply, Request

HostName = Annotated[str, Field(max_length=63, pattern=HOSTNAME)]


class SetHostname(Request):
    """How the machine is called on the network: NAME.local."""

    hostname: HostName


class JoinWifi(Request):
    """A wireless network; without a password an open one."""

    ssid: Ssid
    password: WifiPassword = Field(default="", repr=False)
    country: Country | None = None  # which channels are allowed, e.g. GB
    hidden: bool = False


class MachineRequest(Request):
    """What webd hands over: the one that is set is wished."""

    hostname: HostName | None = None
    join: JoinWifi | None = None
    leave_wifi: bool = False


class MachineChange(Reply):
    """How the last wish goes, or ended."""

    state: Literal["", "trying", "done", "taken_back", "refused"] = ""  # empty: there was none
    message: str = ""
    begun_s: float = 0.0  # of this machine's monotonic clock


class NetworkStatus(Reply):
    """The server's name and its way to other networks, as they are in force."""

    hostname: str = ""
    wifi: str = ""  # name of the network that it joins
    hotspot: str = ""  # name of its own, where it joins none
    has_radio: bool = False


RobotName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$"
    ),
]


class NameRobot(Request):
    """How the robot is called."""

    name: RobotName


class Forced(Request):
    """Also while the robot is moved."""

    force: bool = False


class Reboot(Forced):
    """One node, or the server."""

    node: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")


class FactoryReset(Forced):
    """`confirm` is the robot's name, typed. With `nodes` all nodes that are there forget their
    server and role too.
    """

    confirm: str = Field(max_length=64)
    nodes: bool = False


class NetworkInterface(Reply):
    """One network card of the server."""

    name: str
    place: Literal["inside", "outside", "own"]  # "own": the machine itself
    is_up: bool
    is_wireless: bool
    mac_address: str = ""
    addresses: list[str] = []  # with the length of the network's part, "192.168.10.1/24"


class SettingsInfo(NetworkStatus):
    """What the settings page shows besides what other daemons tell."""

    name: str
    shipped_name: str
    hostname: str
    version: str
    is_simulated: bool
    machine_role: str = ""  # of saint.yaml; empty on a computer that is no device
    problems: list[str] = []  # what saint-setup could not follow
    interfaces: list[NetworkInterface] = []
    change: MachineChange = MachineChange()  # of host name or Wi-Fi, the last one
    time: str = ""  # of the server's clock


class TlsInfo(Reply):
    """Whether port 443 answers, and what people compare before they trust it."""

    is_enabled: bool
    fingerprint: str = ""  # SHA-256 of the authority, "AB:CD:..."
    names: list[str] = []  # that the certificate is valid for
    ends_s: float = 0.0  # when the certificate ends; it is renewed long before
