"""`saintctl estop` and `saintctl drill`: stop all motion, clear a stop, test every way to stop."""
