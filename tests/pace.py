"""How fast this computer is, for limits of seconds that are mostly a process's start. Such a limit
is a promise for the computer on which it was set; a slower one gets as much more as it needs for
the imports of a daemon. Limits of safety do not depend on the computer.
"""

import functools
import resource
import subprocess
import sys

_REFERENCE_S = 0.75  # processor time, on a computer that keeps the limits (2026-11-28)
_IMPORTS = "import saint_services.routerd.daemon"


@functools.cache
def slower() -> float:
    """How many times more processor time those imports take than where the limits were set; 1.0 at
    least. Measured once; what runs beside it does not count."""
    _import_s()  # its files are compiled now
    return max(1.0, min(_import_s() for _ in range(2)) / _REFERENCE_S)


def _import_s() -> float:
    before_s = _children_s()
    subprocess.run([sys.executable, "-c", _IMPORTS], check=True)
    return _children_s() - before_s


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
