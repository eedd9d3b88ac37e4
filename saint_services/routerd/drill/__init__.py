"""Stop drill: a person tries every way to stop the robot, and the times are measured."""
