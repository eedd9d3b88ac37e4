"""Watches the role processes of a node, and carries out their wills when they fail."""
