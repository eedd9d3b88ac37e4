"""The releases of the robot and their roll-out to its machines."""
