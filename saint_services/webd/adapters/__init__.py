"""Where webd touches the world: connections, files, the bus. No rules."""
