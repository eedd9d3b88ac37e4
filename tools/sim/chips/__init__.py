"""Simulated chips: what the bytes of a transfer do to their registers."""
