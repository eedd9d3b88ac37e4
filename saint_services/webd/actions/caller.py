"""Who asks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Caller:
    """A client as the rest of the robot sees it."""

    client_id: str

    @property
    def source(self) -> str:
        """Its name as an input source."""
        return f"websocket:{self.client_id}"
