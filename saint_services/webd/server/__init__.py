"""The web server: listening sockets, connections, request bodies, error replies."""
