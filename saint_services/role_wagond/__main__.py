"""Runs role-wagond."""

from saint_services.lib.daemon import main

from .config import Config
from .daemon import run

if __name__ == "__main__":
    main("role-wagond", Config, run)
