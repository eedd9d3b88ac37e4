#!/usr/bin/python3 -IS
"""What /usr/bin/saintctl is. Python's own search for packages (site) takes longer than a whole
stop, so a stop goes without it, and everything else catches up on it. Not here: any command.
"""

import sys
from os import path

_PACKAGES = path.dirname(path.dirname(path.dirname(path.realpath(__file__))))  # noqa: PTH120 - pathlib takes 5 ms to load


def main() -> None:
    """The stop first; whatever else is asked goes to the full program."""
    sys.path.insert(0, _PACKAGES)
    from saint_services.saintctl.estop import urgent

    if (code := urgent.main()) is not None:
        sys.exit(code)
    import site

    site.main()
    from saint_services.saintctl.__main__ import run

    run()


if __name__ == "__main__":
    main()
