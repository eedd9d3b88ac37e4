"""`saintctl sequence`: movements that are recorded, imported and played."""
