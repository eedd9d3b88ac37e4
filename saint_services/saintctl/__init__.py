"""saintctl: the robot from a terminal."""
