"""Starts saintctl."""

from . import urgent


def main() -> None:
    """Entry point of the console script."""
    if not urgent.main():
        run()


def run() -> None:
    """The full program."""
    from .app import app  # half a second: not before a stop

    app(prog_name="saintctl")


if __name__ == "__main__":
    main()
