"""Run setup once, as root, early in every boot: `python -m saint_services.setup`."""

import sys

from ..lib import log
from .adapters import SetupPaths
from .boot_setup import BootSetup, ThisMachine


def main() -> int:
    """Run all steps. Return 0 always: a wrong setting is reported, it does not stop the boot."""
    log.setup("setup")
    BootSetup(SetupPaths(), ThisMachine()).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
