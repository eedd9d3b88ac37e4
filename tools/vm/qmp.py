"""QEMU's control socket: power, snapshots. It knows QEMU's protocol and no machine of ours."""

import json
import socket
import time
from pathlib import Path
from typing import Any

_TIMEOUT_S = 60


class QmpError(Exception):
    """QEMU refused a command."""


class Qmp:
    """A listening socket that QEMU connects to; commands wait for their answers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._lines: Any = None
        self._socket: socket.socket | None = None
        self.events: list[dict[str, Any]] = []

    def accept(self, timeout_s: float = 20) -> None:
        self._listener.settimeout(timeout_s)
        self._socket, _ = self._listener.accept()
        self._socket.settimeout(_TIMEOUT_S)
        self._lines = self._socket.makefile("rb")
        self._receive()  # the greeting
        self.run("qmp_capabilities")

    def _receive(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise QmpError("QEMU has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, command: str, **arguments: Any) -> Any:
        """Execute; events that come meanwhile are kept."""
        assert self._socket is not None, "accept() first"
        request = {"execute": command, "arguments": arguments}
        self._socket.sendall(json.dumps(request).encode() + b"\n")
        while True:
            answer = self._receive()
            if "event" in answer:
                self.events.append(answer)
            elif "error" in answer:
                raise QmpError(f"{command}: {answer['error']['desc']}")
            else:
                return answer["return"]

    def job(self, command: str, name: str, timeout_s: float = _TIMEOUT_S, **arguments: Any) -> None:
        """Execute a command that goes on in the background, and wait for its end."""
        self.run(command, **{"job-id": name}, **arguments)
        deadline = time.monotonic() + timeout_s
        while self._state_of(name) != "concluded":
            if time.monotonic() > deadline:
                raise QmpError(f"{command} was not done within {timeout_s:g} s")
            self._next_event()
        errors = [
            job["error"] for job in self.run("query-jobs") if job["id"] == name and "error" in job
        ]
        self.run("job-dismiss", id=name)
        if errors:
            raise QmpError(f"{command}: {errors[0]}")

    def _state_of(self, name: str) -> str:
        return next((job["status"] for job in self.run("query-jobs") if job["id"] == name), "")

    def _next_event(self) -> None:
        """A job's change arrives as an event; one that came with an answer counts too."""
        if self.events:
            self.events.clear()
            return
        self.events.append(self._receive())

    def close(self) -> None:
        self._listener.close()
        if self._socket is not None:
            self._lines.close()
            self._socket.close()
        self.path.unlink(missing_ok=True)
