"""The guard of a node: watches its role processes and carries out their wills."""
