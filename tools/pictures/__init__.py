"""Screenshots for the README."""
