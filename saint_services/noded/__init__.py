"""noded: one node's life, from boot to its role and back."""
