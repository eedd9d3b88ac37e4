"""What the actions work on: the robot's roles, daemons, goals and latch."""
