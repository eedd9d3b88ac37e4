"""Sends pulses on a PWM pin and measures them on a second pin over a wire. The pulses are too short
for a servo and too weak for a motor, should one be connected in spite of everything. Before the
first pulse the writes that end them are with the guard, which carries them out when this process
does not.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from ..api.selftest import Jumper, SelfTestCheck
from ..errors import SaintError
from ..guard.will import Will
from ..hw.ports import Board, EdgeInput, PwmOut
from .result import failed, not_connected, passed, skipped
from .situation import PLAIN_PIN, WIRES

WILL = "noded-selftest"
FREQUENCY_HZ = 500
# A servo takes pulses from 500 us on, and a motor does not turn at a tenth of its power.
PULSES_US = (100.0, 200.0)
_PERIOD_US = 1e6 / FREQUENCY_HZ
_LISTEN_S = 0.15
_SETTLE_S = 0.01
_LEAST = 0.5  # of the pulses must arrive
_TOLERANCE_US = 15.0  # the kernel's time stamp is that of an interrupt
_TOLERANCE = 0.02  # of the period
_MOST_SPREAD_US = 50.0  # 5 % of an RC channel's travel, 1000 us
_USER = "self-test"
_LATE = "This machine reads pulses late: take a receiver with a serial line (CRSF, SBUS)."
_AGAIN = "Is anything but the wire on these pins? If not, send this report."


class PulseGuard(Protocol):
    """The guard of the machine, as GuardClient offers it."""

    def may_drive(self) -> bool: ...

    def close(self) -> None: ...


# Leaves a will; `is_moving` and `on_lost` as those of GuardClient. Raises SaintError.
OpenGuard = Callable[[Will, Callable[[], bool], Callable[[str], None]], Awaitable[PulseGuard]]


class _EndedError(Exception):
    """The test was ended from outside."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A change of the listening pin. `stamp_us`: of a clock that only advances."""

    is_high: bool
    stamp_us: float


@dataclass(frozen=True, slots=True)
class PulseTrain:
    """What arrived while pulses of one length were sent."""

    wanted_us: float
    edges: tuple[Edge, ...]

    @property
    def widths_us(self) -> list[float]:
        """The lengths of whole pulses."""
        pairs = zip(self.edges, self.edges[1:], strict=False)
        return [b.stamp_us - a.stamp_us for a, b in pairs if a.is_high and not b.is_high]

    @property
    def periods_us(self) -> list[float]:
        """The times from one rising edge to the next."""
        rises = [edge.stamp_us for edge in self.edges if edge.is_high]
        return [b - a for a, b in itertools.pairwise(rises)]


class PwmLoop:
    """One test with a wire. `end` ends the pulses at once, at any moment, from the loop."""

    def __init__(self, board: Board, jumper: Jumper, open_guard: OpenGuard, target: str) -> None:
        self._board = board
        self._name = f"{jumper}_jumper"
        self._sender, self._listener = WIRES[jumper]
        self._open_guard = open_guard
        self._target = target  # of the will
        self._guard: PulseGuard | None = None
        self._output: PwmOut | None = None
        self._input: EdgeInput | None = None
        self._edges: list[Edge] = []
        self._is_pulsing = False
        self._ended = ""  # why

    async def run(self) -> SelfTestCheck:
        """Send, measure and judge; whatever happens, the pin rests afterwards."""
        try:
            return await self._run()
        except SaintError as err:
            return skipped(self._name, f"{err.message}.", err.fix)
        except _EndedError:
            fix = "Test again while nothing else uses the machine."
            return skipped(self._name, f"The pulses were ended: {self._ended}.", fix)
        except OSError as err:
            return failed(self._name, f"The pulses failed: {err.strerror or err}.", _AGAIN)
        finally:
            self.end("the test is over")

    def end(self, why: str) -> None:
        """End the pulses at once and release both pins; `run` returns soon afterwards."""
        self._ended = self._ended or why
        output, self._output = self._output, None
        if output:
            try:
                output.off()
                self._is_pulsing = False
            finally:
                output.close()
        guard, self._guard = self._guard, None
        if guard:
            guard.close()
        if self._input:
            self._input.close()
            self._input = None

    @property
    def wire(self) -> str:
        """The two pins."""
        return f"GPIO{self._sender} and GPIO{self._listener}"

    async def _run(self) -> SelfTestCheck:
        self._input = self._board.edges((self._listener,), _USER)
        self._input.listen(self._on_edge)
        # A channel that was never used needs up to a second for its files.
        output = await asyncio.to_thread(self._board.pwm, self._sender, FREQUENCY_HZ, _USER)
        output.off()
        if self._ended:
            output.close()
        self._output = output
        await asyncio.sleep(_SETTLE_S)
        self._check()
        if self._input.levels()[self._listener]:  # the resting sender would hold it low
            return self._not_wired()
        will = Will(WILL, self._target, (self._board.will_quiet(self._sender),))
        self._guard = await self._open_guard(will, lambda: self._is_pulsing, self.end)
        trains = [await self._sent(pulse_us) for pulse_us in PULSES_US]
        return judged(self._name, self._listener, trains) or self._not_wired()

    async def _sent(self, pulse_us: float) -> PulseTrain:
        """Send pulses of one length; returns what arrived."""
        self._edges.clear()
        self._check()
        assert self._output and self._guard
        if not self._guard.may_drive():
            self.end("the guard of this machine forbids them")
        self._check()
        self._is_pulsing = True
        self._output.set_pulse_us(pulse_us)
        await asyncio.sleep(_LISTEN_S)
        self._check()
        self._output.off()
        self._is_pulsing = False
        await asyncio.sleep(_SETTLE_S)
        return PulseTrain(pulse_us, tuple(self._edges))

    def _check(self) -> None:
        """Raise once the test was ended."""
        if self._ended:
            raise _EndedError

    def _on_edge(self, pin: int, is_high: bool, stamp_ns: int) -> None:
        if pin == self._listener:
            self._edges.append(Edge(is_high, stamp_ns / 1000))

    def _not_wired(self) -> SelfTestCheck:
        return not_connected(self._name, f"No pulse arrived at GPIO{self._listener}.", _help(self))


def _help(loop: PwmLoop) -> str:
    return f"Is the wire between {loop.wire}, and is it whole? {PLAIN_PIN}"


def judged(name: str, listener: int, trains: Sequence[PulseTrain]) -> SelfTestCheck | None:
    """Judge what arrived; None when nothing did. Pure."""
    if not any(each.edges for each in trains):
        return None
    wanted = _LISTEN_S * FREQUENCY_HZ
    arrived, spread_us = [], 0.0
    for each in trains:
        widths, periods = each.widths_us, each.periods_us
        if len(widths) < _LEAST * wanted or not periods:
            text = f"Of {wanted:.0f} pulses {len(widths)} arrived at GPIO{listener}."
            return failed(name, text, _AGAIN)
        width_us, period_us = median(widths), median(periods)
        if abs(width_us - each.wanted_us) > _TOLERANCE_US:
            text = f"Pulses of {each.wanted_us:.0f} us arrive with {width_us:.0f} us."
            return failed(name, text, _AGAIN)
        if abs(period_us - _PERIOD_US) > _TOLERANCE * _PERIOD_US:
            text = f"{FREQUENCY_HZ} pulses a second arrive as {1e6 / period_us:.0f}."
            return failed(name, text, _AGAIN)
        spread_us = max(spread_us, _spread_us(widths))
        if spread_us >= _MOST_SPREAD_US:
            text = f"Of the pulses at GPIO{listener} 1 of 10 is off by {spread_us:.0f} us or more."
            return failed(name, f"{text} Limit: {_MOST_SPREAD_US:.0f} us.", _LATE)
        arrived.append(f"{width_us:.0f}")
    lengths = " and ".join(f"{each.wanted_us:.0f}" for each in trains)
    text = f"Pulses of {lengths} us arrive with {' and '.join(arrived)} us, {FREQUENCY_HZ} Hz"
    return passed(name, f"{text}; 9 of 10 within {spread_us:.0f} us.")


def _spread_us(widths: Sequence[float]) -> float:
    """Return by how much one of ten lengths, or more of them, differs from the usual one."""
    usual = median(widths)
    return sorted(abs(each - usual) for each in widths)[len(widths) * 9 // 10]
