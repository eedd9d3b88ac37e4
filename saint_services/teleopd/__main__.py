"""Starts teleopd."""

from ..lib.daemon import main
from .config import Config
from .daemon import run

if __name__ == "__main__":
    main("teleopd", Config, run)
