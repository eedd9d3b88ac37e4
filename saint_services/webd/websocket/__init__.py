"""One WebSocket: frames, queue of outgoing states, session of a client."""
