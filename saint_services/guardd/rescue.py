"""Carries wills out when the guard itself is gone: `ExecStopPost=` of the roles and of the guard.

    python3 -m saint_services.guardd.rescue saint-role-tracksd     after the end of that unit
    python3 -m saint_services.guardd.rescue                        after the guard's: all wills

Writing zero to an output that is at rest changes nothing, so a will may be carried out twice.
"""

import os
import sys

from ..lib.guard.ports import carry_out
from ..lib.guard.will import WillFiles, wills_folder


def main(units: list[str]) -> int:
    """Carry out the wills of these units' processes, or all; returns the exit code."""
    names = [unit.removeprefix("saint-") for unit in units]
    runtime = os.environ.get("RUNTIME_DIRECTORY", "/run/saint").split(":")[0]
    files = WillFiles(wills_folder(runtime))
    wills = [will for name in names or [""] for will in files.load(name)]
    failures = carry_out(wills)
    for failure in failures:
        sys.stderr.write(f"The outputs could not be made safe: {failure}\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
