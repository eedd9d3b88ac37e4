"""`saintctl system`: name, network, restart and settings of the robot's machines."""
