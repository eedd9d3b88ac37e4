"""ssh into a machine as its owner does: with a key, on a forwarded port."""

import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .settings import PATIENCE
from .shell import CommandFailedError, Result


def make_key(path: Path) -> str:
    """A key pair; the public half is what goes onto the card."""
    if not path.exists():
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "image tests", "-f", str(path)],
            check=True,
            timeout=30,
        )
    return path.with_suffix(".pub").read_text().strip()


@dataclass(frozen=True)
class Ssh:
    """One account on one machine. The first command opens a connection that the next share."""

    user: str
    port: int
    key: Path
    folder: Path

    def _options(self) -> list[str]:
        return [
            *("-i", str(self.key), "-p", str(self.port)),
            *("-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.folder}/known"),
            *("-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "LogLevel=ERROR"),
            *("-o", "ConnectTimeout=60", "-o", "ControlMaster=auto", "-o", "ControlPersist=120"),
            *("-o", f"ControlPath={self.folder}/ssh-{self.user}"),
        ]

    def run(self, command: str, timeout_s: float = 120) -> Result:
        timeout_s *= PATIENCE
        try:
            done = subprocess.run(
                ["ssh", *self._options(), f"{self.user}@127.0.0.1", command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout_s,
            )
        except subprocess.TimeoutExpired as error:
            said = (error.stdout or b"").decode(errors="replace")
            return Result(124, f"{said}\n(ssh gave no answer within {timeout_s:g} s)")
        return Result(done.returncode, done.stdout.decode(errors="replace"))

    def check(self, command: str, timeout_s: float = 120) -> str:
        result = self.run(command, timeout_s)
        if result.code != 0:
            raise CommandFailedError(
                f"ssh {command!r} ended with {result.code}: {result.text.strip()}"
            )
        return result.text.strip()

    def put(self, source: Path, target: str) -> None:
        """Copy a file into the machine."""
        command = ["ssh", *self._options(), f"{self.user}@127.0.0.1", f"cat >{shlex.quote(target)}"]
        with source.open("rb") as data:
            subprocess.run(command, stdin=data, check=True, timeout=300)

    def close(self) -> None:
        """Forget the shared connection, e.g. because the machine was put back to a snapshot."""
        subprocess.run(
            ["ssh", *self._options(), "-O", "exit", f"{self.user}@127.0.0.1"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
        )
