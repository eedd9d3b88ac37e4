"""Unit files of systemd as checked data."""
