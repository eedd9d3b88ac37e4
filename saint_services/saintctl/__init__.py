"""saintctl: the command line of the robot."""
