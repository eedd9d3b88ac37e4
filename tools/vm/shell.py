"""A root shell in the machine, on a console of its own: no network, no ssh, no password.

systemd opens it early in every boot when the kernel's command line names it (see
`settings.py`), in every slot, so a machine that is half broken can still be examined.
"""

import contextlib
import secrets
import shlex
import time
from dataclasses import dataclass

from .channel import Channel, SilentError
from .settings import PATIENCE

# Said once per boot: no echo, no line editing, no prompt; then lines are commands, bytes are bytes.
_PREPARE = (
    "stty raw -echo; export PAGER=cat SYSTEMD_COLORS=0 SYSTEMD_PAGER= COLUMNS=200; "
    "exec env PS1= PS2= sh\n"
)
_PROMPT = r"[#$] ?\Z"
_PATIENCE_S = 10
_OUTPUT = "/dev/shm/saint-shell-$$"


class CommandFailedError(AssertionError):
    """A command in the machine ended with another code than 0."""


@dataclass(frozen=True)
class Result:
    """What a command said, both outputs together, and its exit code."""

    code: int
    text: str


class Shell:
    """Runs commands one after the other on one channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._since = 0

    def open(self, timeout_s: float) -> None:
        """Take over the prompt of a new boot.

        What we say is lost while the terminal changes hands, and a prompt may be the one of the
        boot before: say it until there is an answer.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise SilentError(f"the root shell did not answer within {timeout_s:g} s")
            with contextlib.suppress(SilentError):
                self._channel.wait_for(_PROMPT, self._since, min(left, _PATIENCE_S))
            self._channel.send(_PREPARE.encode())
            self._since = self._channel.end
            with contextlib.suppress(SilentError):
                self.run("true", timeout_s=_PATIENCE_S)
                return

    def follow(self) -> None:
        """The machine was put back to a moment when the shell was idle: what it said is past."""
        self._since = self._channel.end

    def run(self, command: str, timeout_s: float = 60) -> Result:
        """Run a command; the machine itself ends it when it takes too long."""
        timeout_s *= PATIENCE
        mark = secrets.token_hex(6)
        # By way of a file: programs colour and cut what they say to a terminal.
        line = (
            f"timeout -k 5 {timeout_s:g} sh -c {shlex.quote(command)} </dev/null >{_OUTPUT} 2>&1;"
            f" code=$?; cat {_OUTPUT}; printf '\\036%s %s\\036' {mark} $code\n"
        )
        self._channel.send(line.encode())
        start = f"\x1e{mark} ".encode()
        output, after = self._channel.take(start, self._since, timeout_s + 10)
        code, self._since = self._channel.take(b"\x1e", after, 10)
        return Result(int(code), output.decode(errors="replace"))

    def check(self, command: str, timeout_s: float = 60) -> str:
        """What a command that must succeed said."""
        result = self.run(command, timeout_s)
        if result.code != 0:
            raise CommandFailedError(f"{command!r} ended with {result.code}: {result.text.strip()}")
        return result.text.strip()
