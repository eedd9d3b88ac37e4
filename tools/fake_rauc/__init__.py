"""A RAUC installer for simulated machines, and releases for it."""
