"""Disks as records of writes: layout, file systems, slots, and every point where power may go."""
