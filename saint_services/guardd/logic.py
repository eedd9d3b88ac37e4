"""Decides when a will is carried out. Pure: every reading has its time.

A role is in one of three states: watched (its loop beats), tripped (its will was carried out, and
is carried out again at every look until its process ends or leaves a new will), gone.
"""

from dataclasses import dataclass, replace

from ..lib.guard.beat import FAST_NS, LIMIT_NS, SLOW_NS

# After an e-stop a role has this time to bring its outputs to rest by itself.
STOP_NS = 60_000_000
# How long pins may refuse their will before only a restart of the machine can help.
REFUSAL_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of the shared memory: when the role's loop beat, whether an output moves."""

    role_ns: int
    is_moving: bool


@dataclass(frozen=True, slots=True)
class Watched:
    """One role under guard. `since_ns` is when it left its will; `trip`, why its will was carried
    out, empty while it is watched; `failures`, what of it could not be carried out."""

    since_ns: int
    trip: str = ""
    failures: tuple[str, ...] = ()
    failing_ns: int = 0


@dataclass(frozen=True, slots=True)
class EStopState:
    """The e-stop as noded reports it."""

    is_active: bool = False
    since_ns: int = 0

    def reported(self, is_active: bool, now_ns: int) -> "EStopState":
        """Return the state after a report; a repeated one keeps its time."""
        return self if is_active == self.is_active else EStopState(is_active, now_ns)


def verdict(watched: Watched, reading: Reading, stop: EStopState, now_ns: int) -> str:
    """Return why the will has to be carried out now; empty when it does not."""
    if watched.trip:
        return watched.trip
    if not reading.is_moving:
        return ""
    silent_ns = now_ns - max(reading.role_ns, watched.since_ns)
    if silent_ns > LIMIT_NS:
        return f"its process stood still for {silent_ns // 1_000_000} ms"
    if stop.is_active and now_ns - max(stop.since_ns, watched.since_ns) > STOP_NS:
        return f"it still moved {STOP_NS // 1_000_000} ms after the e-stop"
    return ""


def carried_out(
    watched: Watched, why: str, failures: list[str], now_ns: int, *, is_refused: bool = False
) -> Watched:
    """Return the role after its will was carried out. `is_refused`: a write to a pin of this
    machine failed; a device on a bus or a line may be unplugged, and a restart would not help."""
    failing_ns = (watched.failing_ns or now_ns) if is_refused else 0
    return replace(watched, trip=why, failures=tuple(failures), failing_ns=failing_ns)


def is_well(roles: list[Watched], now_ns: int) -> bool:
    """Return whether no pin of this machine has refused its will for REFUSAL_NS."""
    return not any(r.failing_ns and now_ns - r.failing_ns > REFUSAL_NS for r in roles)


def may_enable(roles: list[Watched], stop: EStopState) -> bool:
    """Return whether the enable line may toggle: roles are guarded, none tripped, no e-stop."""
    return bool(roles) and not stop.is_active and not any(role.trip for role in roles)


def period_ns(roles: list[Watched], readings: list[Reading], *, has_enable_line: bool) -> int:
    """Return the time until the next look."""
    if has_enable_line:
        return FAST_NS // 2  # a period of 20 ms is 50 Hz
    is_busy = any(r.is_moving for r in readings) or any(role.trip for role in roles)
    return FAST_NS if is_busy else SLOW_NS
