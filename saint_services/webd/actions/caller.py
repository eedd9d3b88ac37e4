"""Who asks."""

from dataclasses import dataclass

from ...lib.access.person import Person
from ..accounts.access import ANYONE, Identity


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

    @property
    def person(self) -> Person:
        """As the other daemons and the logs see it."""
        who = self.identity
        return Person(who.name, who.level.word, self.address, self.source)
