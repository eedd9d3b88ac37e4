"""Sequences: movements of one target that are recorded, stored, imported and played."""
