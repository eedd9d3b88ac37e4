"""Connects the role to its walking controller: numbers and times commands, encodes them, reads
reports and counts what is lost or malformed. Not here: what is commanded (logic.py).
"""

from collections import Counter
from dataclasses import replace

from saint_services.lib.hw.datagrams import DatagramPort
from saint_services.lib.role_config.walker import Walker
from saint_services.lib.walker.codec import decode_state, encode_command
from saint_services.lib.walker.model import WalkCommand, WalkMode, WalkState


class WalkerLink:
    """One controller. `sent` is the mode of the newest command that left this machine."""

    def __init__(self, port: DatagramPort, walker: Walker, counters: Counter[str]) -> None:
        self._port = port
        self._walker = walker
        self._counters = counters
        self._sequence = 0
        self._epoch = 0
        self._state_sequence = -1
        self._foreign = 0
        self.sent = WalkMode.DAMP
        self.driven_s = float("-inf")  # when something else than damping was last sent

    def send(self, command: WalkCommand, now_s: float) -> None:
        """Send a command. What cannot leave, because the controller is away, is counted. Raises
        OSError."""
        if command.mode is not WalkMode.DAMP:
            self.sent, self.driven_s = command.mode, now_s  # it may have left, whatever happens
        self._sequence += 1
        stamped = replace(
            command, sequence=self._sequence, timestamp_us=int(now_s * 1e6), epoch=self._epoch
        )
        if self._port.send(encode_command(self._walker.protocol, stamped)):
            self.sent = command.mode
            self._counters["walker_commands"] += 1
        else:
            self._counters["walker_unsent"] += 1

    def receive(self) -> WalkState | None:
        """Return the newest valid report that has arrived; None without one."""
        newest: WalkState | None = None
        for data in self._port.receive():
            try:
                state = decode_state(self._walker.protocol, data)
            except ValueError:
                self._counters["walker_malformed"] += 1
                continue
            if len(state.joint_pos) not in (0, self._walker.joints):
                self._counters["walker_malformed"] += 1
                continue
            if self._is_newer(state):
                newest = state
        if more := self._port.foreign - self._foreign:
            self._foreign += more
            self._counters["walker_foreign"] += more
        return newest

    def _is_newer(self, state: WalkState) -> bool:
        """Count a report, and what is missing before it. A lower number is an old report, or a
        controller that has started again: then it has another epoch, or is far behind."""
        behind = self._state_sequence - state.sequence
        is_same = state.epoch == self._epoch
        if self._state_sequence >= 0 and is_same and 0 <= behind < _REORDERED:
            self._counters["walker_old"] += 1
            return False
        if self._state_sequence >= 0 and is_same and behind < 0:
            self._counters["walker_lost"] += -behind - 1
        self._counters["walker_reports"] += 1
        self._state_sequence, self._epoch = state.sequence, state.epoch
        return True

    def close(self) -> None:
        """Release the port."""
        self._port.close()


_REORDERED = 100  # reports, a second
