"""What systemd does with saint-otad-fetch.socket, on a simulated server: one job for each
connection of otad, which fetches a release from the owner's address. Not here: its sandbox.
"""

import asyncio
import contextlib
import socket
import sys
from pathlib import Path

_MOST_JOBS = 2
_NAME = "otad-fetch.sock"
_COMMAND = (sys.executable, "-m", "saint_services.otad.fetch_job")


class FetchJobs:
    """The socket and the jobs that it started."""

    def __init__(self, run: Path) -> None:
        self._path = run / _NAME
        self._listening: socket.socket | None = None
        self._jobs: set[asyncio.Task[None]] = set()
        self._processes: set[asyncio.subprocess.Process] = set()
        self._is_closed = False

    def open(self) -> None:
        """Wait for connections."""
        self._path.unlink(missing_ok=True)
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        found.bind(str(self._path))
        self._path.chmod(0o600)
        found.listen()
        found.setblocking(False)
        self._listening = found
        asyncio.get_running_loop().add_reader(found, self._accept)

    async def close(self) -> None:
        """End the jobs."""
        if self._listening:
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
        self._is_closed = True
        for process in self._processes:
            _end(process)
        await asyncio.gather(*self._jobs)

    def _accept(self) -> None:
        assert self._listening is not None
        with contextlib.suppress(OSError):
            connection, _ = self._listening.accept()
            with connection:
                if len(self._jobs) < _MOST_JOBS:
                    job = asyncio.get_running_loop().create_task(self._run(connection.dup()))
                    self._jobs.add(job)
                    job.add_done_callback(self._jobs.discard)

    async def _run(self, connection: socket.socket) -> None:
        with connection:
            process = await asyncio.create_subprocess_exec(
                *_COMMAND,
                stdin=connection.fileno(),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,  # otad reports why nothing comes
            )
        self._processes.add(process)
        if self._is_closed:
            _end(process)
        await process.wait()
        self._processes.discard(process)


def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
