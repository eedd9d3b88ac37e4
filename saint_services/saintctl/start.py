#!/usr/bin/python3 -IS
"""Starts saintctl as /usr/bin/saintctl. Python's search for packages (site) takes longer than a
whole stop, so it runs only after a stop was ruled out.
"""

import sys
from os import path

_PACKAGES = path.dirname(path.dirname(path.dirname(path.realpath(__file__))))  # noqa: PTH120 - pathlib takes 5 ms to load


def main() -> None:
    """Run a stop at once, and everything else with the full program."""
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
