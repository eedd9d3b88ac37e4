"""`saintctl sim`: the simulated hardware of a node."""
