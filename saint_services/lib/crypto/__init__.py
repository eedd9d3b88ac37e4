"""Signatures between a server and its nodes, and secrets under a passphrase."""
