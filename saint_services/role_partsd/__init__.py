"""Drives parts of any kind: servos, motors, switches, lights; reads sensors."""
