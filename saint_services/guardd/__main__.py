"""Runs guardd."""

from saint_services.guardd.daemon import main

if __name__ == "__main__":
    main()
