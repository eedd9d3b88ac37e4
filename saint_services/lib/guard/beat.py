"""The shared memory of a role process and its guard: the role writes its beat and whether an output
moves, the guard writes its own beat and how often it carried the will out.

Each word has one writer and 8 bytes, written by one store, so no reader sees half of one.
"""

import contextlib
import fcntl
import mmap
import os

# A moving role, or a guard, whose beat is older than this counts as dead or frozen.
LIMIT_NS = 150_000_000
FAST_NS = 20_000_000  # between beats while an output moves
SLOW_NS = 50_000_000  # between the guard's beats while nothing moves

_ROLE_NS, _MOVING, _GUARD_NS, _TRIPS = range(4)
BYTES = 8 * 4
_SEAL_SHRINK = 0x2
_FIXED_SIZE = _SEAL_SHRINK | 0x4 | 0x1  # and F_SEAL_GROW, F_SEAL_SEAL (fcntl(2))


class Beat:
    """One mapping of the memory that a role and its guard share."""

    def __init__(self, descriptor: int) -> None:
        """Map a descriptor, which stays the caller's. Raises OSError or ValueError."""
        self._map = mmap.mmap(descriptor, BYTES)
        self._words = memoryview(self._map).cast("Q")

    def beat(self, now_ns: int, is_moving: bool) -> None:
        """Write the role's beat; `is_moving`: an output is not at rest."""
        self._words[_MOVING] = is_moving
        self._words[_ROLE_NS] = now_ns

    def watch(self, now_ns: int) -> None:
        """Write the guard's beat."""
        self._words[_GUARD_NS] = now_ns

    def trip(self) -> None:
        """Count that the guard carried the will out."""
        self._words[_TRIPS] += 1

    @property
    def role_ns(self) -> int:
        """When the role's loop last beat, CLOCK_MONOTONIC."""
        return self._words[_ROLE_NS]

    @property
    def is_moving(self) -> bool:
        """Whether an output moved at the last beat."""
        return bool(self._words[_MOVING])

    @property
    def guard_ns(self) -> int:
        """When the guard last looked."""
        return self._words[_GUARD_NS]

    @property
    def trips(self) -> int:
        """How often the guard carried the will out."""
        return self._words[_TRIPS]

    def close(self) -> None:
        """Unmap the memory."""
        with contextlib.suppress(BufferError):
            self._words.release()
            self._map.close()


def new_memory() -> int:
    """Make the memory, zeroed and of fixed size; returns its descriptor. Raises OSError."""
    if not hasattr(os, "memfd_create"):  # macOS, where the robot is only simulated
        import tempfile  # with its archive formats it costs every daemon of a node 0.5 MB

        with tempfile.TemporaryFile() as file:
            file.truncate(BYTES)
            return os.dup(file.fileno())
    descriptor = os.memfd_create("saint-beat", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, BYTES)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _FIXED_SIZE)
    return descriptor


def has_fixed_size(descriptor: int) -> bool:
    """Return whether the memory cannot be shortened, which would end who maps it (SIGBUS)."""
    if not hasattr(os, "memfd_create"):
        return True
    try:
        seals: int = fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
    except OSError:
        return False
    return bool(seals & _SEAL_SHRINK) and os.fstat(descriptor).st_size >= BYTES
