"""The bench console of the BALANCE board: ARM, DISARM, DRIVE, MODE, PID, ESTOP, STATUS, IMU CAL.

It has no more right than the computer: a receiver must live, and the pilot's arm switch be at ARM.
"""

from ..shared import tables as t
from ..shared.lines import LineReader, numbers
from .telemetry import status_line

_MODES = {"RC": t.MODE_RC, "ASSISTED": t.MODE_ASSISTED, "AUTO": t.MODE_AUTONOMOUS}


class BenchConsole:
    """Carries out command lines on the board."""

    def __init__(self, board) -> None:
        self._board = board
        self._reader = LineReader()
        self._mode = t.MODE_RC

    def feed(self, data: bytes, now_ms: int) -> bytes:
        """Return the replies."""
        return b"".join(self._reply(words, now_ms) for words in self._reader.feed(data))

    def _reply(self, words: "list[str]", now_ms: int) -> bytes:
        if words == ["STATUS"]:
            return status_line(self._board, now_ms)
        problem = self._obey(words[0], words[1:], now_ms)
        return b"ERR " + problem.encode() + b"\n" if problem else b"OK\n"

    def _obey(self, verb: str, rest: "list[str]", now_ms: int) -> str:
        """Carry out a command; return why not, or ""."""
        board = self._board
        if verb == "ESTOP":
            board.arming.estop()
            return ""
        if verb == "DISARM" and not rest:
            board.disarm()
            return ""
        if verb == "ARM" and not rest:
            return "" if board.arming.arm() else "cannot arm: " + ", ".join(board.arming.prevents())
        if verb == "MODE" and len(rest) == 1 and rest[0] in _MODES:
            self._mode = _MODES[rest[0]]
            board.sources.bench.command((0, 0, self._mode, 0), now_ms)
            return ""
        if verb == "DRIVE":
            return self._drive(rest, now_ms)
        if verb == "PID":
            return self._pid(rest)
        if verb == "IMU" and rest == ["CAL"]:
            return board.calibrate()
        return "unknown command " + verb

    def _drive(self, rest: "list[str]", now_ms: int) -> str:
        values = numbers(rest, 2)
        if values is None or max(abs(values[0]), abs(values[1])) > t.FULL_SPEED:
            return "DRIVE needs speed and steer, -1000 to 1000"
        command = (int(values[0]), int(values[1]), self._mode, t.DRIVE_FLAG_BRAKE)
        self._board.sources.bench.command(command, now_ms)
        return ""

    def _pid(self, rest: "list[str]") -> str:
        values = numbers(rest, 3)
        if values is None:
            return "PID needs kp, ki and kd"
        return "" if self._board.set_gains(tuple(values)) else "the gains are out of range"
