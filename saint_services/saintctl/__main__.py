"""Starts saintctl."""

from .app import app


def main() -> None:
    """Entry point of the console script."""
    app(prog_name="saintctl")


if __name__ == "__main__":
    main()
