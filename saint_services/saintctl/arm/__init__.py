"""`saintctl arm`: servos on a serial bus."""
