"""E-stop: the latch, its storage, and what each stop has done to the robot."""
