"""Python's part of the pi-gen stage (image/pi-gen)."""
