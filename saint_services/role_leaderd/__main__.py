"""Runs role-leaderd."""

from saint_services.lib.daemon import main

from .config import Config
from .daemon import run

if __name__ == "__main__":
    main("role-leaderd", Config, run)
