"""Writes the image to a card: finds the disk, reads the image, adds settings, verifies."""
