"""Displays and LED strips."""
