"""`saintctl rc`: the RC receiver, its channels, calibration and decoding."""
