"""The parts of a role: outputs that travel by their names, and the readings of its sensors."""
