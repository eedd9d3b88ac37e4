"""How fast this computer is, for limits of seconds that are mostly a process's start. Such a limit
is a promise for the computer on which it was set; a slower one gets as much more as it needs for
the imports of a daemon. Limits of safety do not depend on the computer.
"""

import functools
import subprocess
import sys
import time

_REFERENCE_S = 0.6  # where the limits were set: two processors of a shared computer, else idle
_IMPORTS = "import saint_services.routerd.daemon"


@functools.cache
def slower() -> float:
    """How many times longer those imports take than where the limits were set; 1.0 at least.
    Measured once, beside whatever runs now."""
    _import_s()  # its files are read now, and compiled
    return max(1.0, min(_import_s() for _ in range(2)) / _REFERENCE_S)


def _import_s() -> float:
    began_s = time.monotonic()
    subprocess.run([sys.executable, "-c", _IMPORTS], check=True)
    return time.monotonic() - began_s
