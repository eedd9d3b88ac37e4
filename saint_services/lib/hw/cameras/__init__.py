"""Cameras: on the ribbon cable by libcamera, on USB by V4L2."""
