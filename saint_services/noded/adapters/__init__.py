"""What noded touches: the role process, the pins, the server."""
