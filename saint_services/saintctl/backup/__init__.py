"""`saintctl backup`: everything that was set on the robot, in one file."""
