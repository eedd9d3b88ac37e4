"""Sockets of the capture formats: opened, switched, filtered, read."""
