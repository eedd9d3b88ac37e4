"""Starts saintctl: a stop before anything else is loaded."""

import sys

from .estop import urgent


def main() -> None:
    """Run the console script."""
    if (code := urgent.main()) is not None:
        sys.exit(code)
    run()


def run() -> None:
    """Run the full program."""
    from .app import app  # takes half a second: not before a stop

    app(prog_name="saintctl")


if __name__ == "__main__":
    main()
