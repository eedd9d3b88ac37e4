"""Where the other daemons answer. Not here: what they are asked (actions, adapters/feeds.py)."""

from dataclasses import dataclass
from pathlib import Path

from ...lib.ipc import Client


@dataclass(slots=True)
class Daemons:
    """The others' sockets."""

    adoptiond: Client
    routerd: Client
    rcd: Client
    livelinkd: Client
    otad: Client

    @classmethod
    def at(cls, runtime: Path) -> "Daemons":
        """Sockets in the runtime directory; nothing is connected yet."""
        names = ("adoptiond", "routerd", "rcd", "livelinkd", "otad")
        return cls(**{name: Client(runtime / f"{name}.sock") for name in names})

    def of(self, name: str) -> Client:
        """The client of that daemon."""
        client: Client = getattr(self, name)
        return client

    async def close(self) -> None:
        """End all connections."""
        for client in (self.adoptiond, self.routerd, self.rcd, self.livelinkd, self.otad):
            await client.close()
