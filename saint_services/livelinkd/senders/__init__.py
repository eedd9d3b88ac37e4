"""Which senders may move the robot, and how much each may send."""
