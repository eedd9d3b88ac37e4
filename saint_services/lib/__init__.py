"""What all daemons share. Nothing here knows a daemon."""
