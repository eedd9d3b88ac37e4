"""Starts saintctl."""

import sys

from .estop import urgent


def main() -> None:
    """Entry point of the console script."""
    if (code := urgent.main()) is not None:
        sys.exit(code)
    run()


def run() -> None:
    """The full program."""
    from .app import app  # half a second: not before a stop

    app(prog_name="saintctl")


if __name__ == "__main__":
    main()
