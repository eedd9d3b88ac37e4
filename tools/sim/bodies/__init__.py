"""Bodies of a simulated robot: motors, servos, the base, and the process that moves them."""
