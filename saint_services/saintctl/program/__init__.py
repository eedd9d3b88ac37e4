"""`saintctl program`: programs on the server."""
