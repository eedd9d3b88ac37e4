"""One service of a machine: life cycle, process, sockets, log."""
