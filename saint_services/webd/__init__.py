"""webd: the only door from outside: pages, WebSocket, API."""
