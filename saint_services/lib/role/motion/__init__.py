"""How positions and velocities follow commands within their limits, rates and accelerations."""
