"""The registry of nodes: which nodes there are, and which node holds which role."""
