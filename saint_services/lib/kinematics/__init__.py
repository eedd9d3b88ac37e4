"""Where the robot's parts are, how a hand gets to a place, and what comes too close to what."""
