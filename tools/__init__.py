"""Developers' tools; never shipped on the device."""
