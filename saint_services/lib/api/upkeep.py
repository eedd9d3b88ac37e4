"""webd's settings and what is done to machines as a whole: names, network, restarts, resets."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from . import Reply, Request
from .machine import Change, Outside

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


class Interface(Reply):
    """One network card of the server."""

    name: str
    place: Literal["inside", "outside", "own"]  # "own": the machine itself
    is_up: bool
    is_wireless: bool
    mac_address: str = ""
    addresses: list[str] = []  # with the length of the network's part, "192.168.10.1/24"


class Settings(Outside):
    """What the settings page shows besides what other daemons tell."""

    name: str
    shipped_name: str
    hostname: str
    version: str
    is_simulated: bool
    machine_role: str = ""  # of saint.yaml; empty on a computer that is no device
    problems: list[str] = []  # what saint-setup could not follow
    interfaces: list[Interface] = []
    change: Change = Change()  # of host name or Wi-Fi, the last one
    time: str = ""  # of the server's clock
