"""Who asks."""

from dataclasses import dataclass

from ..access import ANYONE, Identity


@dataclass(frozen=True, slots=True)
class Caller:
    """A client as the rest of the robot sees it."""

    client_id: str
    identity: Identity = ANYONE
    address: str = ""

    @property
    def source(self) -> str:
        """Its name as an input source."""
        return f"websocket:{self.client_id}"
