"""`saintctl teleop`: recordings of remote operation."""
