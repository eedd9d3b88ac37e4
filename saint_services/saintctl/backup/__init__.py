"""`saintctl backup`: the robot's settings in one file."""
