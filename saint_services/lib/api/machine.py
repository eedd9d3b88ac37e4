"""What an admin may set of the server's machine: its name, the wireless network that it joins. Webd
hands a wish to setup, setup tells how it ended.
"""

from typing import Annotated, Literal

from pydantic import Field

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


class MachineWish(Request):
    """What webd hands over: the one that is set is wished."""

    hostname: HostName | None = None
    join: JoinWifi | None = None
    leave_wifi: bool = False


class Change(Reply):
    """How the last wish goes, or ended."""

    state: Literal["", "trying", "done", "taken_back", "refused"] = ""  # empty: there was none
    message: str = ""
    begun_s: float = 0.0  # of this machine's monotonic clock


class Outside(Reply):
    """The server's name and its way to other networks, as they are in force."""

    hostname: str = ""
    wifi: str = ""  # name of the network that it joins
    hotspot: str = ""  # name of its own, where it joins none
    has_radio: bool = False
