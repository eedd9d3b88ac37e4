"""The web server: pages, WebSocket and HTTP API, metrics."""
