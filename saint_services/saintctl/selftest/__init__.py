"""`saintctl selftest`: tests the board, its header, its network and its card."""
