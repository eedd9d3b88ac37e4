"""The machine that we run on, when it is only a server: its update, done like a node's."""

from collections.abc import Callable

from ...lib.clock import monotonic_s
from ...lib.daemon import Context
from ...lib.errors import Code, SaintError
from ...lib.generated.saint_msgs import FirmwareStatus
from ...lib.update.installer import Installer
from ..config import Config
from ..logic import Ask
from ..views import Stored

Hear = Callable[[str, FirmwareStatus, float], bool]


class OwnMachine:
    """One among the machines, but asked without the bus."""

    def __init__(self, ctx: Context[Config], installer: Installer, hear: Hear) -> None:
        self._hear = hear

    def start(self) -> None:
        """It tells of itself from now on."""
        self._hear("server", FirmwareStatus(node_id="server", state="idle"), monotonic_s())

    async def ask(self, ask: Ask, release: Stored | None, path: str) -> str:
        """Begin with a release that lies in the repository, or go back."""
        raise SaintError(Code.REFUSED, "the server cannot update itself yet")
