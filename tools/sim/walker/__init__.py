"""A simulated walking controller: a process of its own that speaks the bytes of the real ones."""
