"""`saintctl node`: the robot's nodes, their roles, hardware and calibration."""
