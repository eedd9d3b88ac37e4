"""The API as HTTP requests and WebSocket messages, and the documents that describe it."""
