"""Starts a process of its own beside a role, for work that must not pass through the one that
drives the outputs; follows its reports, and starts it again when it ends or hangs. Not here: what
it does (side_program.py is its other end).
"""

import contextlib
import os
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from subprocess import PIPE, Popen
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from ..machine import realtime
from ..strict import StrictModel

REPORT_S: Final = 1.0
SILENCE_S: Final = 5.0  # without a report, the process hangs
LONGEST_LINE: Final = 64 * 1024
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 8.0
_END_S = 2.5  # the process releases the camera meanwhile


class SideReport(StrictModel):
    """How the process goes. It reports every REPORT_S, and when something has changed."""

    problem: str = ""


R = TypeVar("R", bound=SideReport)


class SideProcess(Generic[R]):
    """A thread that waits for reports and passes them on; it does nothing between them. The
    process gets its order as a line of JSON, and works until its input ends.
    """

    def __init__(
        self,
        what: str,
        program: Sequence[str],
        order: StrictModel,
        report: type[R],
        on_report: Callable[[R], None],
        silence_s: float = SILENCE_S,
    ) -> None:
        self._what = what
        self._report = report
        self._order = order.model_dump_json().encode() + b"\n"
        self._on_report = on_report
        self._program = program
        self._silence_s = silence_s
        self._ended, self._end = os.pipe()
        self._is_ending = False
        self._thread = threading.Thread(target=self._run, name=what, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Request the end of the process; `join` waits for it."""
        if not self._is_ending:
            self._is_ending = True
            os.close(self._end)

    def join(self) -> bool:
        """Wait until the process has ended; return False when that times out."""
        self._thread.join(2.0 * _END_S)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._is_ending:
            problem = self._once()
            if not self._is_ending:
                self._on_report(self._report(problem=problem))
            select.select([self._ended], [], [], pause_s)
            pause_s = min(2.0 * pause_s, _LONGEST_PAUSE_S)
        os.close(self._ended)

    def _once(self) -> str:
        """Run the process to its end; return why it ended."""
        try:
            process = Popen(realtime.ordinary(self._program), stdin=PIPE, stdout=PIPE, bufsize=0)
        except OSError as err:
            return f"the {self._what}'s process does not start ({err.strerror})"
        with process:
            try:
                return self._follow(process)
            finally:
                self._finish(process)

    def _follow(self, process: "Popen[bytes]") -> str:
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(self._order)
            rest = b""
            while self._is_readable(process.stdout.fileno()):
                data = os.read(process.stdout.fileno(), LONGEST_LINE)
                if not data:
                    return self._reason(process)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._on_report(self._report.model_validate_json(line))
                if len(rest) > LONGEST_LINE:
                    return f"the {self._what}'s process sent no report"
        except (OSError, ValidationError) as err:
            return f"the {self._what}'s process failed ({type(err).__name__})"
        return f"the {self._what}'s process was silent for {self._silence_s:g} s"

    def _is_readable(self, descriptor: int) -> bool:
        found, _, _ = select.select([descriptor, self._ended], [], [], self._silence_s)
        return descriptor in found and not self._is_ending

    def _finish(self, process: "Popen[bytes]") -> None:
        """End it: by the end of its input when the camera is switched off, else by force."""
        assert process.stdin
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_END_S if self._is_ending else 0.0)
        except subprocess.TimeoutExpired:
            process.kill()

    def _reason(self, process: "Popen[bytes]") -> str:
        try:
            code = process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return f"the {self._what}'s process stopped reporting"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"the {self._what}'s process ended ({how})"
