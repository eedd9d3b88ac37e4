"""Drives the parts of a role that hold no position: velocities, switches, lights. What rests at
zero goes there when commands end and during an e-stop; lights stay as they are.
"""

import math
from collections.abc import Callable
from functools import partial

from ...hw.ports import Board
from ...limits import clamp
from ...role_config.model import FieldSpec, RoleConfig
from ...role_config.parts import parts_of
from ..motion.axis import SLICE_S, Throttle
from ..pulse_chips import PulseChips
from ..timers import Clock, Handle, Motion
from .on_time import OnTime
from .ports import DcMotor, PartPort, PixelStrip, PortOpener

Attempt = Callable[[str, Callable[[], object]], bool]
_SHOW_AGAIN_S = 2.0  # lights of a strip that lost power are dark, which cannot be detected


class PartOutput:
    """One part: what is commanded, what is applied, and its port."""

    __slots__ = ("applied", "axis", "field", "is_written", "name", "on_time", "port", "wanted")

    def __init__(self, name: str, field: FieldSpec, port: PartPort, on_time: OnTime | None) -> None:
        self.name = name
        self.field = field
        self.port = port
        self.axis = Throttle(field, 0.0) if field.kind == "velocity" else None
        self.on_time = on_time  # of a switch
        self.wanted = 0.0
        self.applied = 0.0
        self.is_written = True

    @property
    def is_resting(self) -> bool:
        """Whether it is safe: at 0, or harmless."""
        return not self.field.rests_at_zero or (self.applied == 0.0 and self.is_written)

    def next_value(self, now_s: float) -> float:
        """Return the value that it has from now on."""
        if self.axis:
            self.axis.step(now_s)
            return self.axis.applied
        if self.on_time:
            return 1.0 if self.on_time.command(self.wanted >= 0.5, now_s) else 0.0
        return self.wanted

    def rest(self, now_s: float) -> None:
        """Forget what is commanded."""
        self.wanted = self.applied = 0.0
        if self.axis:
            self.axis.stop()
        if self.on_time:
            self.on_time.command(False, now_s)


class PartOutputs:
    """All parts of a role without a position. `drive` writes what may move something and `attempt`
    what is safe; both return whether that succeeded. `notice` reports a part that does less."""

    def __init__(
        self,
        config: RoleConfig,
        clock: Clock,
        chips: PulseChips,
        drive: Attempt,
        attempt: Attempt,
        notice: Callable[[str, str], None],
        on_still: Callable[[], None],
    ) -> None:
        self._config = config
        self._clock = clock
        self._chips = chips
        self._drive = drive
        self._attempt = attempt
        self._notice = notice
        self._on_still = on_still
        self._motion = Motion(clock, SLICE_S, self.step)
        self._limit: Handle | None = None
        self._strips: dict[str, PixelStrip] = {}
        self._shown_s = -math.inf
        self.opener: PortOpener | None = None
        self.by_name: dict[str, PartOutput] = {}

    def open(self, board: Board) -> None:
        """Open all outputs; they rest and are dark afterwards. Raises SaintError."""
        self.opener = opener = PortOpener(board, self._config, self._chips)
        for name, field in parts_of(self._config).items():
            if field.kind == "position":
                continue
            pin = self._config.gpio_mapping[name]
            on_time = OnTime(pin) if field.kind == "switch" else None
            self.by_name[name] = output = PartOutput(name, field, opener.open(name, field), on_time)
            output.port.off()
        self._strips = opener.strips
        if not self._chips.flush(_raising):
            raise OSError(5, "a servo chip did not accept its outputs' rest")

    def aim(self, output: PartOutput, value: float) -> None:
        """Set what a part is to have; it gets there in `step`."""
        output.wanted = clamp(value, *output.field.limits)
        if output.axis:
            output.axis.aim(output.wanted)

    def step(self, now_s: float) -> bool:
        """Bring every part as far as its limits allow. True while there is more to do."""
        is_more = False
        for output in self.by_name.values():
            before, output.applied = output.applied, output.next_value(now_s)
            if output.applied != before or not output.is_written:
                write = partial(output.port.put, output.applied)
                output.is_written = self._written(output, write)
            is_still = output.axis is None or output.axis.is_there
            is_more = is_more or not (is_still and output.is_written)
        is_more = not self._flush(self._drive) or is_more
        self._report_limits()
        self._watch_limits(now_s)
        if is_more:
            self._motion.start(now_s)
        else:
            self._on_still()
        return is_more

    def stop(self) -> None:
        """Bring to rest, at once, what must not be left as it is. Never raises."""
        self._motion.close()
        now_s = self._clock.time()
        for output in self.by_name.values():
            if output.field.rests_at_zero:
                output.rest(now_s)
                output.is_written = self._attempt(output.name, output.port.off)
        is_done = self._flush(self._attempt)
        if not is_done or not all(each.is_written for each in self.by_name.values()):
            self._motion.start(now_s)  # again in the next slice
        self._watch_limits(now_s)

    @property
    def are_safe(self) -> bool:
        """True when nothing is left that must not be: velocities at 0, switches off."""
        if not all(each.is_resting for each in self.by_name.values()):
            return False
        return not (self._chips.is_pending and self.may_go_on)

    @property
    def may_go_on(self) -> bool:
        """True when a part that does not obey may go on: a motor, a switch."""
        return any(each.field.rests_at_zero for each in self._all)

    @property
    def _all(self) -> list[PartOutput]:
        return list(self.by_name.values())

    def look(self, now_s: float) -> None:
        """Report faults of motors, and repeat what strips show."""
        for output in self.by_name.values():
            if isinstance(output.port, DcMotor):
                self._notice(output.name, output.port.problem)
        if self._strips and now_s - self._shown_s >= _SHOW_AGAIN_S:
            for strip in self._strips.values():
                strip.is_pending = True
            self._flush(self._attempt)

    def close(self) -> None:
        """Bring everything to rest, lights too, then release it. Never raises."""
        self.stop()
        self._motion.close()
        if self._limit:
            self._limit.cancel()
            self._limit = None
        for output in self.by_name.values():
            if not output.field.rests_at_zero:
                self._attempt(output.name, output.port.off)
        self._flush(self._attempt)
        for output in self.by_name.values():
            self._attempt(output.name, output.port.close)
        for name, strip in self._strips.items():
            self._attempt(name, strip.close)
        self.by_name.clear()
        self._strips = {}

    def _written(self, output: PartOutput, write: Callable[[], None]) -> bool:
        """What rests is written without a guard too: it makes nothing less safe."""
        is_safe = output.applied == 0.0 or not output.field.rests_at_zero
        return (self._attempt if is_safe else self._drive)(output.name, write)

    def _flush(self, attempt: Attempt) -> bool:
        is_written = self._chips.flush(attempt)
        for name, strip in self._strips.items():
            if strip.is_pending:
                self._shown_s = self._clock.time()
                is_written = self._attempt(name, strip.show) and is_written
        return is_written

    def _watch_limits(self, now_s: float) -> None:
        """Wake when the first switch reaches a limit, however late the next command is."""
        due_s = min(
            (each.on_time.due_s(now_s) for each in self.by_name.values() if each.on_time),
            default=math.inf,
        )
        if self._limit:
            self._limit.cancel()
            self._limit = None
        if due_s != math.inf:
            self._limit = self._clock.call_at(due_s, self._on_limit)

    def _on_limit(self) -> None:
        self._limit = None
        self.step(self._clock.time())

    def _report_limits(self) -> None:
        for output in self.by_name.values():
            if output.on_time:
                self._notice(output.name, self._reason(output.name, output.on_time.problem))

    def _reason(self, name: str, problem: str) -> str:
        return f"{name} {problem}" if problem else ""


def _raising(_: str, write: Callable[[], object]) -> bool:
    """Write at opening, where an error ends the opening."""
    write()
    return True
