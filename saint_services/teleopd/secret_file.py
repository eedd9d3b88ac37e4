"""One secret in a file of the state folder: readable for teleopd alone, in no backup."""

import asyncio
from pathlib import Path

from ..lib.state import write_atomic

_LARGEST_BYTES = 4096


class SecretFile:
    """A line of text, mode 0600. Once found it is read no more: later all threads may be waiting
    for a name server that does not answer.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._secret = ""

    async def write(self, secret: str) -> None:
        """Replace the secret. Raises OSError."""
        await asyncio.to_thread(write_atomic, self._path, secret.encode() + b"\n", 0o600)
        self._secret = secret

    async def read(self) -> str:
        """Return the secret, of 4 kB at most; empty when there is none that can be read."""
        if not self._secret:
            stored = await asyncio.to_thread(self._stored)
            self._secret = self._secret or stored  # one that was written meanwhile is newer
        return self._secret

    def _stored(self) -> str:
        try:
            with self._path.open("rb") as file:
                return file.read(_LARGEST_BYTES).decode().strip()
        except (OSError, UnicodeDecodeError):
            return ""
