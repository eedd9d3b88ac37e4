"""The owner's robot: its text, versions and changes."""
