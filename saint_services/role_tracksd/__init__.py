"""Drives the tracks: motors, encoders, odometry."""
