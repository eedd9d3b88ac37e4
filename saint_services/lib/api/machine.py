"""webd's settings: names, network and encryption of the server, restarts and resets of machines.
Host name and Wi-Fi are changed by the privileged setup service on webd's request.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..machine.wifi import HOSTNAME, Country, Ssid, WifiPassword
from . import Reply, Request

HostName = Annotated[str, Field(max_length=63, pattern=HOSTNAME)]


class SetHostname(Request):
    """Set the name of the server on the network: NAME.local."""

    hostname: HostName = Field(description="Host name, without .local.")


class JoinWifi(Request):
    """A wireless network; without a password an open one."""

    ssid: Ssid = Field(description="Name of the Wi-Fi network.")
    password: WifiPassword = Field(default="", repr=False)
    country: Country | None = Field(
        default=None, description="Country that sets the allowed channels, e.g. GB."
    )
    hidden: bool = Field(default=False, description="The network does not announce its name.")


class MachineRequest(Request):
    """webd's request to the setup service: the field that is set is changed."""

    hostname: HostName | None = None
    join: JoinWifi | None = None
    leave_wifi: bool = False


class MachineChange(Reply):
    """State or result of the last change of host name or Wi-Fi."""

    state: Literal["", "trying", "done", "taken_back", "refused"] = ""  # empty: no change so far
    message: str = ""
    begun_s: float = 0.0  # of this machine's monotonic clock


class NetworkStatus(Reply):
    """Host name and uplink of the server, as in force."""

    hostname: str = ""
    wifi: str = ""  # name of the joined network
    hotspot: str = ""  # name of its own network, if none is joined
    has_radio: bool = False


RobotName = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$"
    ),
]


class NameRobot(Request):
    """Set the name of the robot."""

    name: RobotName = Field(description="Name of the robot.")


class Forced(Request):
    """`force`: also while the robot moves."""

    force: bool = Field(default=False, description="Also while the robot is being driven.")


class Reboot(Forced):
    """Restart a node, or the server."""

    node: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")


class Shutdown(Forced):
    """Switch off the whole robot, a node, or `server`: its machine alone."""

    node: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$",
        description='A node, or "server" for its machine alone. Default: the whole robot.',
    )


class FactoryReset(Forced):
    """Reset the server. `confirm` is the robot's name, typed. With `nodes`, all online nodes also
    forget their server and role.
    """

    confirm: str = Field(max_length=64, description="The robot's name, as a confirmation.")
    nodes: bool = Field(default=False, description="Also reset all nodes that are online.")


class NetworkInterface(Reply):
    """A network card of the server."""

    name: str
    place: Literal["inside", "outside", "own"]  # "own": loopback
    is_up: bool
    is_wireless: bool
    mac_address: str = ""
    addresses: list[str] = []  # with prefix length, "192.168.10.1/24"


class AddressInfo(Reply):
    """Whether the server gives addresses on the robot's own network; why not, and what to do."""

    state: str = ""  # no_link, looking, serving, refused, unsure; empty: it has none to give
    text: str = ""
    fix: str = ""


class SettingsInfo(NetworkStatus):
    """What the settings page shows of the server."""

    name: str
    shipped_name: str
    hostname: str
    version: str
    is_simulated: bool
    machine_role: str = ""  # from saint.yaml; empty on a development computer
    problems: list[str] = []  # wrong settings: of saint.yaml, of the server's daemons
    interfaces: list[NetworkInterface] = []
    addresses: AddressInfo = AddressInfo()
    change: MachineChange = MachineChange()  # the last change of host name or Wi-Fi
    time: str = ""  # of the server's clock


class TlsInfo(Reply):
    """State of HTTPS, and the fingerprint that users compare before they trust the certificate."""

    is_enabled: bool
    fingerprint: str = ""  # SHA-256 of the authority, "AB:CD:..."
    names: list[str] = []  # host names and addresses of the certificate
    ends_s: float = 0.0  # expiry of the certificate, which is renewed before
