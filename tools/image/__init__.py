"""Builds the disk image and the update bundle: `python -m tools.image --help`."""
