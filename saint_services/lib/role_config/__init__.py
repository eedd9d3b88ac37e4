"""Role configurations: their model, their text from other releases, the hardware that they need."""
