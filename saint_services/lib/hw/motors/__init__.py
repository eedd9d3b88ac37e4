"""Motors and their encoders, on bridges or motor controllers."""
