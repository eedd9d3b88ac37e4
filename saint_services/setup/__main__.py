"""`python -m saint_services.setup`: one run, as root, early in every boot."""

import sys

from ..lib import log
from .adapters import Places
from .boot_setup import Run, ThisMachine


def main() -> int:
    """Always 0 when it came to its end: a wrong setting is told, it does not stop the boot."""
    log.setup("setup")
    Run(Places(), ThisMachine()).everything()
    return 0


if __name__ == "__main__":
    sys.exit(main())
