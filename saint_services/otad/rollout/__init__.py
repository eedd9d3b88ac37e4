"""The roll-out of a release: its rules, its requests, what machines report."""
