"""Simulated hardware: files instead of pins and chips, physics instead of motors."""
