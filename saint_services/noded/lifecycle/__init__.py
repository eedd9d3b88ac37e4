"""The state machines of a node and of its roles. Pure: events in, actions out."""
