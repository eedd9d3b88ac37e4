"""Simulated computers: services, power, settings, updates, serial lines."""
