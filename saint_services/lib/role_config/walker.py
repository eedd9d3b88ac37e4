"""Models the walking controller of the role legs: where it is, what it speaks, how many joints it
reports. Not here: its messages (lib/walker).
"""

from ipaddress import IPv4Address
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..walker.model import JOINTS, Protocol
from ..walker.tables import PORTS


class Walker(BaseModel):
    """The controller's address and protocol; ports that are 0 are those of the protocol."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    protocol: Protocol
    host: IPv4Address  # a name would have to be looked up while the robot walks
    command_port: int = Field(default=0, ge=0, le=65535)
    state_port: int = Field(default=0, ge=0, le=65535)
    joints: Literal[12, 25] = 12
    stand_s: float = Field(default=2.0, ge=0.5, le=30)  # it takes to stand up
    settle_s: float = Field(default=0.5, ge=0.1, le=10)  # upright before the next mode
    low_battery_percent: float = Field(default=15.0, ge=0, le=100)  # reported below; 0: never

    @property
    def ports(self) -> tuple[int, int]:
        """Return the ports of commands and states."""
        usual = PORTS[self.protocol]
        return self.command_port or usual[0], self.state_port or usual[1]

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the names of the joints in the order of the messages."""
        return JOINTS[: self.joints]
