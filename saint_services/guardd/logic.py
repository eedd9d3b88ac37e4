"""When a will is carried out. Pure: every reading comes with its time.

A role is in one of three states: watched (its loop beats), tripped (its will was carried out and is
carried out again at every look until its process has gone or leaves a new will), gone.
"""

from dataclasses import dataclass, replace

from ..lib.guard.beat import FAST_NS, LIMIT_NS, SLOW_NS

# After an e-stop a role has so long to bring its outputs to rest by itself.
STOP_NS = 60_000_000
# How long pins may refuse their will before only a restart of the machine can help.
REFUSAL_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """What the shared memory says: when the role's loop beat, and whether an output moves."""

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
class Stop:
    """The e-stop as noded reports it."""

    is_active: bool = False
    since_ns: int = 0

    def reported(self, is_active: bool, now_ns: int) -> "Stop":
        """The stop after a report; a repeated one keeps its time."""
        return self if is_active == self.is_active else Stop(is_active, now_ns)


def verdict(watched: Watched, reading: Reading, stop: Stop, now_ns: int) -> str:
    """Why the will has to be carried out now; empty when it does not."""
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
    """The role after its will was carried out. `is_refused`: a pin of this machine did not take its
    write; what hangs on a bus or a line may be unplugged, and no restart would bring it back."""
    failing_ns = (watched.failing_ns or now_ns) if is_refused else 0
    return replace(watched, trip=why, failures=tuple(failures), failing_ns=failing_ns)


def is_well(roles: list[Watched], now_ns: int) -> bool:
    """Whether this guard can do its work: no pin of this machine has refused for too long."""
    return not any(r.failing_ns and now_ns - r.failing_ns > REFUSAL_NS for r in roles)


def may_enable(roles: list[Watched], stop: Stop) -> bool:
    """Whether the enable line may toggle: something is guarded, nothing tripped, no e-stop."""
    return bool(roles) and not stop.is_active and not any(role.trip for role in roles)


def period_ns(roles: list[Watched], readings: list[Reading], *, has_enable_line: bool) -> int:
    """How long until the next look."""
    if has_enable_line:
        return FAST_NS // 2  # a period of 20 ms is 50 Hz
    is_busy = any(r.is_moving for r in readings) or any(role.trip for role in roles)
    return FAST_NS if is_busy else SLOW_NS
